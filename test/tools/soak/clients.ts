// The clients of the soak test: each makes one connection after the other.
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { exchangeOn } from '../../support/exchange.ts';
import type { Client } from '../../support/load.ts';
import { createRandom, type Random } from '../../support/random.ts';
import { closed } from '../../support/sockets.ts';
import { greetings, lastRequest, legalRequest, withContent, type Part } from '../simulation/requests.ts';

const QUICK = 64, SLOW = 8; // how many clients make such connections
const HANG_MS = 30_000; // longer than any time limit of the service

/** What a client does on a connection. Resolves with how many requests it has sent. */
type Visit = (random: Random, socket: Socket) => Promise<number>;

const bytesOf = (parts: readonly Part[]) => parts.map(({ bytes }) => bytes).join('');

/** Sends requests, the last of which ends the connection, and reads the replies; or leaves before. */
const quick: Visit = async (random, socket) => {
  const { below } = random;
  const parts = [...Array.from({ length: below(8) }, (_, i) => legalRequest(random, i)), lastRequest(random, 9)];
  const bytes = bytesOf(parts);
  if (below(3) > 0) await expect(socket, bytes, parts.map(({ reply }) => reply.status));
  else await leave(socket, bytes.slice(0, below(bytes.length)), below(10));
  return parts.length;
};

/** Sends an incomplete request, until the service refuses it; or thousands of requests, and does not read the replies. */
const slow: Visit = async ({ below, pick }, socket) => {
  if (below(3) > 0) await expect(socket, withContent(0).bytes.slice(0, -pick([1, 30])), [408]);
  else await leave(socket, bytesOf(greetings(0, 50_000)), 1_000 * below(25));
  return 1;
};

async function expect(socket: Socket, bytes: string, statuses: readonly number[]): Promise<void> {
  const { replies } = await exchangeOn(socket, bytes);
  const got = String(replies.map(({ status }) => status));
  if (got !== String(statuses)) throw new Error(`The replies are ${got}, and not ${String(statuses)}.`);
}

async function leave(socket: Socket, bytes: string, afterMs: number): Promise<void> {
  socket.on('error', () => {}).write(bytes, 'latin1'); // the service may close the connection
  await delay(afterMs);
  if (!socket.destroyed) await closed(socket.destroy());
}

/** The clients. A fault names the seed of its connection, which makes the same bytes again; that of the first one is `seed`. */
export function createClients(port: number, isSecure: boolean, seed: number): Client[] {
  let next = seed;
  const place = { port, host: '127.0.0.1', noDelay: true };
  const client = (visit: Visit): Client => async () => {
    const own = next;
    next += 1;
    const socket = isSecure ? connectTls({ ...place, rejectUnauthorized: false }) : connect(place);
    socket.setTimeout(HANG_MS, () => socket.destroy(new Error(`Nothing has happened for ${HANG_MS / 1000} s.`)));
    return visit(createRandom(own), socket).catch((error: unknown) => { throw new Error(`Seed ${own}: ${String(error)}`); });
  };
  return [...Array.from({ length: QUICK }, () => client(quick)), ...Array.from({ length: SLOW }, () => client(slow))];
}
