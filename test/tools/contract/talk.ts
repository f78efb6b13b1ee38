// Sends bytes on a connection, and reads what the server sends.
import type { Duplex } from 'node:stream';
import { repliesIn, type Replies } from '../../support/replies.ts';

/** Opens a connection to the server: TCP, TLS or a Unix socket. */
export type Connect = () => Duplex;

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

export type TalkOptions = {
  readonly connect: Connect;
  readonly now: () => number;
  /** How long to wait for the next bytes, in milliseconds. */
  readonly patienceMs: () => number;
};

/** A talker for the server that `connect` connects to. */
export function talker({ connect, now, patienceMs }: TalkOptions): Talker {
  return (bytes, enough) => new Promise((resolve) => {
    const sentAt = now();
    const socket = connect();
    const chunks: Buffer[] = [];
    const toHead = isHead(bytes);
    let error: string | undefined;

    function finish(end: Talk['end']): void {
      socket.removeAllListeners('data').removeAllListeners('end').removeAllListeners('close').destroy();
      clearTimeout(timer);
      const received = Buffer.concat(chunks);
      resolve({ ...repliesIn(received, { ended: end === 'closed', toHead }), bytes: received, end, error, sentAt, receivedAt: now() });
    }
    const wait = () => setTimeout(() => finish('silent'), patienceMs());
    let timer = wait();

    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      clearTimeout(timer);
      timer = wait();
      if (enough < Infinity && repliesIn(Buffer.concat(chunks), { toHead }).replies.length >= enough) finish('enough');
    });
    socket.on('error', (failure) => {
      error = 'code' in failure ? String(failure.code) : failure.message;
      finish('reset');
    });
    socket.on('end', () => finish('closed'));
    socket.on('close', () => finish('reset')); // has no effect after another event; without one the connection was closed without an end
    socket.write(bytes, 'latin1');
  });
}

/** Whether the first request in `bytes` is a HEAD, whose reply has no content. */
export function isHead(bytes: string): boolean {
  return bytes.startsWith('HEAD ');
}
