// A client: carries out what is planned for one connection, and keeps what it receives.
import { once } from 'node:events';
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { setImmediate as iteration, setTimeout as delay } from 'node:timers/promises';
import tls from 'node:tls';
import { field, repliesIn, type Reply } from '../../support/replies.ts';
import { bytesOf } from './bytes.ts';
import type { Connection } from './generate.ts';

let session: Buffer | undefined; // the latest one of TLS

/** Whether the connection ends with this reply. */
export const isLast = (reply: Reply | undefined) => reply !== undefined && field(reply, 'connection') === 'close';

/** Whether each request has a reply, or all that was sent to whoever takes over has come back, and nothing more. */
export const hasAll = ({ takesOver, requests, replies, rest }: Connection) =>
  replies.length === requests.length && rest.length === (takesOver === undefined ? 0 : requests[0]?.contentBytes);

/** Resolves when the connection is over for its client, with its socket. `touch` is called when something happens. */
export async function converse(plan: Connection, to: NetConnectOpts, touch: () => void): Promise<Socket> {
  const { over, end, readAfterMs } = plan;
  const note = (error: unknown) => { plan.error = String(error); };
  await delay(plan.startMs);
  const below = connect({ ...to, localAddress: plan.from, allowHalfOpen: plan.keeps, noDelay: true }).on('error', note);
  const closed = new Promise((resolve) => { below.once('close', resolve); });
  const socket = over === 'TLS' ? (await startTls(below, plan)).on('error', note) : below;
  const ended = new Promise((resolve) => { socket.once('end', resolve); });
  socket.on('data', (part: Buffer) => {
    touch();
    const { replies, rest } = repliesIn(Buffer.concat([plan.rest, part]));
    plan.replies.push(...replies.filter(({ status }) => status !== 100));
    plan.rest = rest;
    if (end === 'wait' && hasAll(plan) && !isLast(plan.replies.at(-1))) socket.end();
  });
  if (readAfterMs > 0) socket.pause();
  setTimeout(() => socket.resume(), readAfterMs);
  await send(socket, plan);
  if (end !== 'wait') {
    await delay(plan.leaveMs);
    plan.hasLeft = !socket.readableEnded && !socket.destroyed;
    if (end === 'halfClose') socket.end();
    else if (end === 'reset' && over !== 'Unix') below.resetAndDestroy();
    else socket.destroy();
  }
  await Promise.race([closed, plan.keeps ? ended : closed]);
  return below;
}

async function startTls(below: Socket, { header, version, resumes }: Connection) {
  await once(below, 'connect').catch(() => {});
  if (header !== '') below.write(header, 'latin1');
  const options = { rejectUnauthorized: false, minVersion: version, maxVersion: version };
  return tls.connect({ socket: below, ...options, ...resumes && session && { session } })
    .on('session', (ticket) => { session = ticket; });
}

// Sends bytes in pieces, until there is a last reply. A service that does not read makes it wait.
async function send(socket: Socket, plan: Connection): Promise<void> {
  const closed = new Promise((resolve) => { socket.once('close', resolve); });
  const { bytes, ends } = bytesOf(plan);
  const length = Math.ceil(plan.leavesAt * bytes.length);
  const least = length / 200; // more pieces take too long, and over TLS, they are mostly overhead
  const isOver = () => isLast(plan.replies.at(-1)) || hasAll(plan) || !socket.writable;
  for (let at = 0, i = 0; at < length && !isOver(); i += 1) {
    const start = at;
    at = Math.min(length, Math.ceil(at + Math.max(least, plan.pieces[i % plan.pieces.length] ?? 0)));
    const isTaken = socket.write(bytes.subarray(start, at));
    plan.sent = ends.filter((end) => end <= at).length;
    if (!isTaken) await Promise.race([once(socket, 'drain').catch(() => {}), closed]);
    else if (plan.pauses) await iteration();
  }
}
