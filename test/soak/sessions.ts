// What a client may do with a connection: the polite ones, whose replies are checked to the last byte.
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { exchangeOn, parseReplies } from '../support/wire.ts';
import { lastRequest } from '../fuzz/last-requests.ts';
import { legalRequest } from '../fuzz/legal-requests.ts';
import { checkReplies, type Part } from '../fuzz/part.ts';
import { wholeLength } from '../fuzz/whole-length.ts';
import type { Random } from '../support/random.ts';

/** Runs one connection from its beginning to its end; resolves with the number of requests, and throws when a reply is wrong. */
export type Session = (port: number, random: Random) => Promise<number>;

const HANG_MS = 30_000;

/** A connection on which nothing takes longer than anything in the service may. */
export function dial(port: number, allowHalfOpen = false): Socket {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen });
  socket.setTimeout(HANG_MS, () => socket.destroy(new Error(`Nothing has happened for ${HANG_MS / 1000} s.`)));
  return socket;
}

export const legalRequests = (count: number, random: Random): Part[] => Array.from({ length: count }, () => legalRequest(random));
export const bytesOf = (parts: readonly Part[]) => parts.map(({ bytes }) => bytes).join('');

// Must not be answered.
const AFTERWARDS = ['', '', 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n', 'noise'] as const;

/** All requests at once, then all replies. */
export async function pipelined(port: number, random: Random): Promise<number> {
  const parts = [...legalRequests(random.below(16), random), lastRequest(random)];
  const { replies, ended } = await exchangeOn(dial(port), bytesOf(parts) + random.pick(AFTERWARDS));
  checkReplies(replies, parts);
  if (!ended) throw new Error('The connection was not ended.');
  return parts.length;
}

/** A reply to each request before the next is sent. */
export async function inTurns(port: number, random: Random): Promise<number> {
  const parts = legalRequests(1 + random.below(60), random);
  const socket = dial(port);
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

/** A few bytes at a time. */
export async function slowly(port: number, random: Random): Promise<number> {
  const parts = [...legalRequests(random.below(3), random), { bytes: 'GET /health HTTP/1.0\r\n\r\n', statuses: [200], body: 'Healthy', isLast: true }];
  const bytes = bytesOf(parts);
  const socket = dial(port);
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
