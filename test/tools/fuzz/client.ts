// A client: carries out the plan of one connection, and keeps what it receives.
import { once } from 'node:events';
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { setImmediate as iteration, setTimeout as delay } from 'node:timers/promises';
import tls from 'node:tls';
import { field, repliesIn, type Reply } from '../../support/replies.ts';
import { bytesOf } from './bytes.ts';
import type { ConnectionPlan } from './generate.ts';

type Sessions = { latest: Buffer | undefined }; // of TLS

/** What becomes of a connection. */
export class Received {
  readonly replies: Reply[] = []; // whole ones, without any 100 (Continue)
  rest: Buffer = Buffer.alloc(0); // what came after them
  sent = 0; // how many requests, to their end
  hasLeft = false; // before the other end did
  isClosed = false;
  error: unknown;
}

/** Whether the connection ends with this reply. */
export const isLastReply = (reply: Reply | undefined) => reply !== undefined && field(reply, 'connection') === 'close';

/** Whether each request has a reply, or all that was sent to whoever takes over has come back, and nothing more. */
export const hasAll = ({ takesOver, requests }: ConnectionPlan, { replies, rest }: Received) =>
  replies.length === requests.length && rest.length === (takesOver === undefined ? 0 : requests[0]?.contentBytes);

/** Resolves when the connection has closed. `touch` is called when something happens. */
export async function converse(
  plan: ConnectionPlan, to: NetConnectOpts, sessions: Sessions, received: Received, touch: () => void,
): Promise<void> {
  const isTls = plan.over === 'TLS';
  const note = (error: unknown) => { received.error = error; };
  const isOver = () => isLastReply(received.replies.at(-1)) || hasAll(plan, received);
  const [header, requests] = [Buffer.from(plan.header, 'latin1'), bytesOf(plan)];
  const isFrom = plan.from === undefined ? {} : { localAddress: plan.from };
  await delay(plan.startMs);
  const below = connect({ ...to, ...isFrom, allowHalfOpen: true, noDelay: true }).on('error', note);
  const closed = new Promise((resolve) => { below.once('close', resolve); });
  await Promise.race([once(below, 'connect').catch(note), closed]);
  if (isTls && header.length > 0) below.write(header);
  const socket = isTls ? startTls(below, plan, sessions).on('error', note) : below;
  socket.on('end', () => socket.end()).on('data', (part: Buffer) => {
    touch();
    const { replies, rest } = repliesIn(Buffer.concat([received.rest, part]));
    received.replies.push(...replies.filter(({ status }) => status !== 100));
    received.rest = rest;
    if (plan.end === 'wait' && isOver()) socket.end();
  });
  if (plan.readAfterMs > 0) setTimeout(() => socket.resume(), plan.readAfterMs).unref();
  if (plan.readAfterMs > 0) socket.pause();
  const bytes = Buffer.concat([isTls ? Buffer.of() : header, ...requests]);
  const length = await send(socket, bytes.subarray(0, Math.ceil(plan.leavesAt * bytes.length)), plan, isOver);
  const unsent = bytes.length - length;
  received.sent = requests.filter((_, i) => Buffer.concat(requests.slice(i + 1)).length >= unsent).length;
  await leave(socket, below, plan, received);
  await closed;
  received.isClosed = true;
}

async function leave(socket: Socket, below: Socket, { end, leaveMs, over }: ConnectionPlan, received: Received) {
  if (end === 'wait') return;
  await delay(leaveMs);
  received.hasLeft = !socket.readableEnded && !socket.destroyed;
  if (end === 'halfClose') socket.end();
  else if (end === 'reset' && over !== 'Unix') below.resetAndDestroy();
  else socket.destroy();
}

function startTls(below: Socket, { tls: version, resumes }: ConnectionPlan, sessions: Sessions): Socket {
  const session = resumes && sessions.latest !== undefined ? { session: sessions.latest } : {};
  const versions = { minVersion: version, maxVersion: version };
  const socket = tls.connect({ socket: below, rejectUnauthorized: false, ...versions, ...session });
  return socket.on('session', (ticket: Buffer) => { sessions.latest = ticket; });
}

// Sends bytes in pieces, until there is a last reply. Returns how many it has sent.
async function send(socket: Socket, bytes: Buffer, { pieces, pauses }: ConnectionPlan, isOver: () => boolean) {
  const closed = new Promise((resolve) => { socket.once('close', resolve); });
  const least = bytes.length / 200; // more pieces take too long, and over TLS, they are mostly overhead
  let at = 0;
  for (let i = 0; at < bytes.length && !isOver() && socket.writable; i += 1) {
    const end = Math.min(bytes.length, Math.ceil(at + Math.max(least, pieces[i % pieces.length] ?? 0)));
    const isTaken = socket.write(bytes.subarray(at, end));
    at = end;
    if (!isTaken) await Promise.race([once(socket, 'drain').catch(() => {}), closed]);
    else if (pauses) await iteration();
  }
  return at;
}
