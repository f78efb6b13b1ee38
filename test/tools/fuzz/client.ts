// A client: carries out the plan of one connection, and keeps what it receives.
import { once } from 'node:events';
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { setImmediate as iteration, setTimeout as delay } from 'node:timers/promises';
import tls from 'node:tls';
import { field, repliesIn, type Reply } from '../../support/replies.ts';
import { bytesOf } from './bytes.ts';
import type { ConnectionPlan } from './generate.ts';

/** What clients share: the latest session of TLS, and all sockets, which some keep open until the round is over. */
type Shared = { session: Buffer | undefined; readonly sockets: Socket[] };

/** What has been seen of a connection. */
export class Received {
  readonly replies: Reply[] = []; // whole ones, without any 100 (Continue)
  rest: Buffer = Buffer.alloc(0); // what came after them
  sent = 0; // how many requests, to their end
  hasLeft = false; // before the service ended its side
  error: unknown;
}

/** Whether the connection ends with this reply. */
export const isLastReply = (reply: Reply | undefined) => reply !== undefined && field(reply, 'connection') === 'close';

/** Whether each request has a reply, or all that was sent to whoever takes over has come back, and nothing more. */
export const hasAll = ({ takesOver, requests }: ConnectionPlan, { replies, rest }: Received) =>
  replies.length === requests.length && rest.length === (takesOver === undefined ? 0 : requests[0]?.contentBytes);

const isOver = (plan: ConnectionPlan, received: Received) =>
  isLastReply(received.replies.at(-1)) || hasAll(plan, received);

/** Resolves when the connection is over for its client. `touch` is called when something happens. */
export async function converse(
  plan: ConnectionPlan, to: NetConnectOpts, shared: Shared, received: Received, touch: () => void,
): Promise<void> {
  const note = (error: unknown) => { received.error = error; };
  await delay(plan.startMs);
  const below = connect({ ...to, allowHalfOpen: plan.keeps, noDelay: true }).on('error', note);
  const closed = new Promise((resolve) => { below.once('close', resolve); });
  shared.sockets.push(below);
  const socket = plan.over === 'TLS' ? (await startTls(below, plan, shared)).on('error', note) : below;
  const ended = new Promise((resolve) => { socket.once('end', resolve); });
  socket.on('data', (part: Buffer) => {
    touch();
    const { replies, rest } = repliesIn(Buffer.concat([received.rest, part]));
    received.replies.push(...replies.filter(({ status }) => status !== 100));
    received.rest = rest;
    if (plan.end === 'wait' && hasAll(plan, received) && !isLastReply(received.replies.at(-1))) socket.end();
  });
  if (plan.readAfterMs > 0) {
    socket.pause();
    setTimeout(() => socket.resume(), plan.readAfterMs);
  }
  await send(socket, plan, received);
  if (plan.end !== 'wait') {
    await delay(plan.leaveMs);
    received.hasLeft = !socket.readableEnded && !socket.destroyed;
    if (plan.end === 'halfClose') socket.end();
    else if (plan.end === 'reset' && plan.over !== 'Unix') below.resetAndDestroy();
    else socket.destroy();
  }
  await Promise.race([closed, plan.keeps ? ended : closed]);
}

async function startTls(below: Socket, { header, tls: version, resumes }: ConnectionPlan, shared: Shared) {
  await once(below, 'connect').catch(() => {});
  if (header !== '') below.write(header, 'latin1');
  const session = resumes && shared.session !== undefined ? { session: shared.session } : {};
  const options = { rejectUnauthorized: false, minVersion: version, maxVersion: version, ...session };
  return tls.connect({ socket: below, ...options }).on('session', (ticket) => { shared.session = ticket; });
}

// Sends bytes in pieces, until there is a last reply. A service that does not read makes it wait.
async function send(socket: Socket, plan: ConnectionPlan, received: Received): Promise<void> {
  const { bytes, ends } = bytesOf(plan);
  const length = Math.ceil(plan.leavesAt * bytes.length);
  const least = length / 200; // more pieces take too long, and over TLS, they are mostly overhead
  const closed = new Promise((resolve) => { socket.once('close', resolve); });
  for (let at = 0, i = 0; at < length && !isOver(plan, received) && socket.writable; i += 1) {
    const end = Math.min(length, Math.ceil(at + Math.max(least, plan.pieces[i % plan.pieces.length] ?? 0)));
    const isTaken = socket.write(bytes.subarray(at, end));
    received.sent = ends.filter((one) => one <= end).length;
    at = end;
    if (!isTaken) await Promise.race([once(socket, 'drain').catch(() => {}), closed]);
    else if (plan.pauses) await iteration();
  }
}
