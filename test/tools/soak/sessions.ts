// Sessions of clients that behave as RFC 9112 says. All their replies are checked.
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { exchangeOn, parseReplies } from '../../support/wire.ts';
import { lastRequest } from '../../support/sequences/last-requests.ts';
import { legalRequest } from '../../support/sequences/legal-requests.ts';
import { checkReplies, type Part } from '../../support/sequences/part.ts';
import { wholeLength } from '../../support/sequences/whole-length.ts';
import type { Random } from '../../support/random.ts';

/** Runs one connection from its beginning to its end; resolves with the number of requests, and throws when a reply is wrong. */
export type Session = (port: number, random: Random) => Promise<number>;

const HANG_MS = 30_000;

/** Opens a connection. It fails when nothing happens for longer than any time limit of the service. */
export function connectTo(port: number, allowHalfOpen = false): Socket {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen });
  socket.setTimeout(HANG_MS, () => socket.destroy(new Error(`Nothing has happened for ${HANG_MS / 1000} s.`)));
  return socket;
}

export const legalRequests = (count: number, random: Random): Part[] => Array.from({ length: count }, () => legalRequest(random));
export const bytesOf = (parts: readonly Part[]) => parts.map(({ bytes }) => bytes).join('');

// What is sent after the last request. It must not be answered.
const AFTERWARDS = ['', '', 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n', 'noise'] as const;

/** Sends all requests at once, and reads all replies. */
export async function pipelined(port: number, random: Random): Promise<number> {
  const parts = [...legalRequests(random.below(16), random), lastRequest(random)];
  const { replies, ended } = await exchangeOn(connectTo(port), bytesOf(parts) + random.pick(AFTERWARDS));
  checkReplies(replies, parts);
  if (!ended) throw new Error('The connection was not ended.');
  return parts.length;
}

/** Sends each request after the reply to the one before it. */
export async function inTurns(port: number, random: Random): Promise<number> {
  const parts = legalRequests(1 + random.below(60), random);
  const socket = connectTo(port);
  let [part] = parts;
  let answered = 0;
  let received = Buffer.alloc(0);
  socket.write(part?.bytes ?? '', 'latin1');
  for await (const chunk of socket) {
    received = Buffer.concat([received, chunk]);
    if (part === undefined || !isWhole(received)) continue;
    checkReplies(parseReplies(received), [part]);
    answered += 1;
    received = Buffer.alloc(0);
    part = parts[answered];
    if (part === undefined) socket.end();
    else socket.write(part.bytes, 'latin1');
  }
  if (answered < parts.length) throw new Error(`The connection has ended after ${answered} of ${parts.length} replies.`);
  return answered;
}

/** Sends the bytes of the requests a few at a time. */
export async function slowly(port: number, random: Random): Promise<number> {
  const parts = [...legalRequests(random.below(3), random), { bytes: 'GET /health HTTP/1.0\r\n\r\n', status: 200, body: 'Healthy', isLast: true }];
  const bytes = bytesOf(parts);
  const socket = connectTo(port);
  const size = Math.ceil(bytes.length / (2 + random.below(50)));
  async function sendTheRest(): Promise<void> {
    for (let at = size; at < bytes.length; at += size) {
      await delay(random.below(5));
      socket.write(bytes.slice(at, at + size), 'latin1');
    }
  }
  const [{ replies }] = await Promise.all([exchangeOn(socket, bytes.slice(0, size)), sendTheRest()]);
  checkReplies(replies, parts);
  return parts.length;
}

function isWhole(bytes: Buffer): boolean {
  return bytes.length > 0 && wholeLength(bytes) === bytes.length;
}
