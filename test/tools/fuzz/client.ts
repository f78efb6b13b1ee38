// A client: carries out the plan of one connection, and keeps what it receives.
import { once } from 'node:events';
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { setImmediate as iteration, setTimeout as delay } from 'node:timers/promises';
import tls from 'node:tls';
import { field, repliesIn, type Reply } from '../../support/replies.ts';
import { bytesOf } from './bytes.ts';
import type { ConnectionPlan } from './generate.ts';

/** What clients share: the latest session of TLS, and sockets that they keep until the round is over. */
type Shared = { session: Buffer | undefined; readonly kept: Socket[] };

/** What becomes of a connection. */
export class Received {
  readonly replies: Reply[] = []; // whole ones, without any 100 (Continue)
  rest: Buffer = Buffer.alloc(0); // what came after them
  sent = 0; // how many requests, to their end
  hasLeft = false; // before the other end did
  error: unknown;
}

/** Whether the connection ends with this reply. */
export const isLastReply = (reply: Reply | undefined) => reply !== undefined && field(reply, 'connection') === 'close';

/** Whether each request has a reply, or all that was sent to whoever takes over has come back, and nothing more. */
export const hasAll = ({ takesOver, requests }: ConnectionPlan, { replies, rest }: Received) =>
  replies.length === requests.length && rest.length === (takesOver === undefined ? 0 : requests[0]?.contentBytes);

const isOver = (plan: ConnectionPlan, received: Received) =>
  isLastReply(received.replies.at(-1)) || hasAll(plan, received);

/** Resolves when the connection has closed, or the service has ended its side and the client keeps its own. `touch` is called when something happens. */
export async function converse(
  plan: ConnectionPlan, to: NetConnectOpts, shared: Shared, received: Received, touch: () => void,
): Promise<void> {
  const isTls = plan.over === 'TLS';
  const note = (error: unknown) => { received.error = error; };
  const isFrom = plan.from === undefined ? {} : { localAddress: plan.from };
  await delay(plan.startMs);
  const below = connect({ ...to, ...isFrom, allowHalfOpen: true, noDelay: true }).on('error', note);
  const closed = new Promise((resolve) => { below.once('close', resolve); });
  if (isTls) await Promise.race([once(below, 'connect').catch(note), closed]);
  if (isTls && plan.header !== '') below.write(plan.header, 'latin1');
  const socket = isTls ? startTls(below, plan, shared).on('error', note) : below;
  const kept = new Promise<void>((resolve) => {
    socket.on('end', () => {
      if (!plan.keeps) return void socket.end();
      shared.kept.push(below);
      resolve();
    });
  });
  socket.on('data', (part: Buffer) => {
    touch();
    const { replies, rest } = repliesIn(Buffer.concat([received.rest, part]));
    received.replies.push(...replies.filter(({ status }) => status !== 100));
    received.rest = rest;
    if (plan.end === 'wait' && isOver(plan, received)) socket.end();
  });
  if (plan.readAfterMs > 0) setTimeout(() => socket.resume(), plan.readAfterMs).unref();
  if (plan.readAfterMs > 0) socket.pause();
  await send(socket, plan, received);
  await leave(socket, below, plan, received);
  await Promise.race([closed, kept]);
}

// Sends bytes in pieces, until there is a last reply.
async function send(socket: Socket, plan: ConnectionPlan, received: Received): Promise<void> {
  const { bytes, ends } = bytesOf(plan);
  const { pieces, pauses } = plan;
  const length = Math.ceil(plan.leavesAt * bytes.length);
  const closed = new Promise((resolve) => { socket.once('close', resolve); });
  const least = length / 200; // more pieces take too long, and over TLS, they are mostly overhead
  for (let at = 0, i = 0; at < length && !isOver(plan, received) && socket.writable; i += 1) {
    const end = Math.min(length, Math.ceil(at + Math.max(least, pieces[i % pieces.length] ?? 0)));
    const isTaken = socket.write(bytes.subarray(at, end));
    received.sent = ends.filter((one) => one <= end).length;
    at = end;
    if (!isTaken) await Promise.race([once(socket, 'drain').catch(() => {}), closed]);
    else if (pauses) await iteration();
  }
}

async function leave(socket: Socket, below: Socket, { end, leaveMs, over }: ConnectionPlan, received: Received) {
  if (end === 'wait') return;
  await delay(leaveMs);
  received.hasLeft = !socket.readableEnded && !socket.destroyed;
  if (end === 'halfClose') socket.end();
  else if (end === 'reset' && over !== 'Unix') below.resetAndDestroy();
  else socket.destroy();
}

function startTls(below: Socket, { tls: version, resumes }: ConnectionPlan, shared: Shared): Socket {
  const session = resumes && shared.session !== undefined ? { session: shared.session } : {};
  const versions = { minVersion: version, maxVersion: version };
  const socket = tls.connect({ socket: below, rejectUnauthorized: false, ...versions, ...session });
  return socket.on('session', (ticket: Buffer) => { shared.session = ticket; });
}
