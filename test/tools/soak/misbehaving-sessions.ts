// Sessions of clients that disconnect early, send too little, or read nothing.
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { exchangeOn } from '../../support/wire.ts';
import type { Random } from '../../support/random.ts';
import { checkReplies } from '../../support/sequences/part.ts';
import { bytesOf, connectTo, legalRequests } from './sessions.ts';

/** Sends some requests, the last of them incomplete, and resets the connection, at once or a little later. */
export async function halfSentThenReset(port: number, random: Random): Promise<number> {
  const parts = legalRequests(1 + random.below(8), random);
  const bytes = bytesOf(parts);
  await sendThenReset(port, bytes.slice(0, random.below(bytes.length)), random);
  return parts.length;
}

/** Sends requests and resets the connection without reading a reply. */
export async function sentThenReset(port: number, random: Random): Promise<number> {
  const parts = legalRequests(1 + random.below(16), random);
  await sendThenReset(port, bytesOf(parts), random);
  return parts.length;
}

async function sendThenReset(port: number, bytes: string, { pick, below }: Random): Promise<void> {
  const socket = connectTo(port);
  await once(socket, 'connect');
  const closed = once(socket, 'close');
  socket.on('error', () => {});
  socket.write(bytes, 'latin1');
  if (pick([true, false])) await delay(below(10));
  socket.resetAndDestroy();
  await closed;
}

/** Sends requests, of which the last is incomplete, and ends the client's side. */
export async function halfSentThenEnded(port: number, random: Random): Promise<number> {
  const parts = legalRequests(1 + random.below(4), random);
  const [last = ''] = parts.slice(-1).map(({ bytes }) => bytes);
  const whole = parts.slice(0, -1);
  const socket = connectTo(port, true);
  const exchange = exchangeOn(socket, bytesOf(whole) + last.slice(0, random.below(last.length)));
  socket.end();
  const { replies } = await exchange;
  const refusals = replies.slice(whole.length).map(({ status }) => status);
  if (refusals.some((status) => status !== 400) || refusals.length > 1) throw new Error(`An incomplete request was answered with ${refusals.join()}.`);
  checkReplies(replies.slice(0, whole.length), whole);
  return parts.length;
}

/** Sends an incomplete request, and waits until the service refuses it. */
export async function incomplete(port: number, random: Random): Promise<number> {
  const { replies } = await exchangeOn(connectTo(port), random.pick(['GET /health HTTP/1.1\r\nHo', 'GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab']));
  checkReplies(replies, [{ bytes: '', status: 408, body: '', isLast: true }]);
  return 1;
}

/** Sends thousands of requests, and reads none of the replies. */
export async function unread(port: number, random: Random): Promise<number> {
  const socket = connectTo(port);
  await once(socket, 'connect');
  const closed = once(socket, 'close');
  socket.on('error', () => {}); // the service may close the connection first
  socket.write('GET /api/greetings HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(50_000), 'latin1');
  await delay(1_000 * random.below(25));
  socket.resetAndDestroy();
  await closed;
  return 1; // at least one of them; the service closes the connection before it has answered all
}
