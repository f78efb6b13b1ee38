// Sends bytes on a connection, and reads what the server sends.
import type { Duplex } from 'node:stream';
import { repliesIn, type Replies } from '../../support/replies.ts';

export type Talk = Replies & {
  /** All bytes that were received. */
  readonly bytes: Buffer;
  /** The server closed or reset the connection, nothing arrived for too long, or enough replies arrived. */
  readonly end: 'closed' | 'reset' | 'silent' | 'enough';
  /** Why the connection failed, such as `ECONNREFUSED`; undefined: it did not. */
  readonly error: string | undefined;
  /** Milliseconds since the epoch, from the given clock. */
  readonly sentAt: number;
  readonly receivedAt: number;
};

/** Sends bytes, one for each character, on a new connection, and reads until it ends or `enough` replies have arrived. */
export type Talker = (bytes: string, enough: number) => Promise<Talk>;

/** A talker for the server that `connect` connects to. It waits for the next bytes for `patienceMs()` milliseconds. */
export function talker(connect: () => Duplex, now: () => number, patienceMs: () => number): Talker {
  return async (bytes, enough) => {
    const sentAt = now();
    const socket = connect();
    const chunks: Buffer[] = [];
    const toHead = isHead(bytes);
    let error: string | undefined;
    let timer: NodeJS.Timeout | undefined;

    const end = await new Promise<Talk['end']>((resolve) => {
      function wait(): void {
        clearTimeout(timer);
        timer = setTimeout(resolve, patienceMs(), 'silent');
      }
      socket.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        wait();
        if (enough < Infinity && repliesIn(Buffer.concat(chunks), { toHead }).replies.length >= enough) resolve('enough');
      });
      socket.on('error', (failure) => {
        error ??= 'code' in failure ? String(failure.code) : failure.message;
        resolve('reset');
      });
      socket.on('end', () => resolve('closed'));
      socket.on('close', () => resolve('reset')); // has no effect after another event; without one the connection was closed without an end
      socket.write(bytes, 'latin1');
      wait();
    });
    clearTimeout(timer);
    socket.destroy();
    const received = Buffer.concat(chunks);
    return { ...repliesIn(received, { ended: end === 'closed', toHead }), bytes: received, end, error, sentAt, receivedAt: now() };
  };
}

/** Whether the first request in `bytes` is a HEAD, whose reply has no content. */
export function isHead(bytes: string): boolean {
  return bytes.startsWith('HEAD ');
}
