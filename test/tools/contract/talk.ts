// Sends bytes on a connection, and reads what the server sends.
import type { Socket } from 'node:net';
import { repliesIn, type Replies } from '../../support/replies.ts';

export type Talk = Replies & {
  readonly bytes: Buffer;
  /** The server closed or reset the connection, or took too long, or it was not awaited, because enough replies had come. */
  readonly end: 'closed' | 'reset' | 'late' | 'not awaited';
  /** Why the connection failed, such as `ECONNREFUSED`; undefined: it did not. */
  readonly error: string | undefined;
  readonly sentAt: number;
};

const BUSY_MS = 10_000; // a machine that takes longer for one reply is not waited for
const AT_ONCE = 16; // connections, because most of the time is spent waiting for the server

/** Sends bytes, one for each character, on a new connection, and reads until it ends or `enough` replies have arrived. */
export type Talker = (bytes: string, enough: number) => Promise<Talk>;

/** A talker for the server that `connect` connects to, which has `patienceMs` milliseconds for everything that it sends on a connection. */
export function talker(connect: () => Socket, patienceMs: number): Talker {
  return async (bytes, enough) => {
    const sentAt = Date.now();
    const socket = connect();
    const chunks: Buffer[] = [];
    const toHead = bytes.startsWith('HEAD ');
    let error: string | undefined;
    let timer: NodeJS.Timeout | undefined;
    const end = await new Promise<Talk['end']>((resolve) => {
      timer = setTimeout(() => void isAlive(connect).then(() => resolve('late')), patienceMs);
      socket.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        if (enough < Infinity && repliesIn(Buffer.concat(chunks), { toHead }).replies.length >= enough) resolve('not awaited');
      });
      socket.on('error', (failure) => { error ??= 'code' in failure ? String(failure.code) : failure.message; });
      socket.on('end', () => resolve('closed'));
      socket.on('close', () => resolve('reset')); // has no effect after another event
      socket.write(bytes, 'latin1');
    });
    clearTimeout(timer);
    socket.destroy();
    const received = Buffer.concat(chunks);
    return { ...repliesIn(received, { ended: end === 'closed', toHead }), bytes: received, end, error, sentAt };
  };
}

// Resolves when the server has answered on another connection: until then it may be the machine that is too busy, and the server not late.
function isAlive(connect: () => Socket): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect().on('error', () => {}).once('data', () => socket.destroy()).once('close', () => resolve());
    socket.setTimeout(BUSY_MS, () => socket.destroy()).write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  });
}

/** Calls `visit` for each item, for some at once. */
export async function forEach<Item>(items: Iterable<Item>, visit: (item: Item) => Promise<void>): Promise<void> {
  const queue = Array.from(items).values(); // which all take from
  await Promise.all(Array.from({ length: AT_ONCE }, async () => { for (const item of queue) await visit(item); }));
}
