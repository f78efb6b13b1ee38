// One connection: bytes out, and whatever comes back.
import type { Duplex } from 'node:stream';
import { readReplies, type Reply } from './reply.ts';

/** Opens a connection to the server, of any kind. */
export type Connect = () => Duplex;

export type Talk = {
  readonly replies: readonly Reply[];
  /** Everything that came. */
  readonly bytes: Buffer;
  /** How many of the bytes are behind the last whole reply: a part of one, or no HTTP. */
  readonly rest: number;
  /** The server has closed the connection, or reset it; or nothing came for too long; or we have heard enough. */
  readonly end: 'closed' | 'reset' | 'silent' | 'enough';
  /** Why the connection failed, if it did: `ECONNREFUSED`, say. */
  readonly error: string | undefined;
  /** Milliseconds since the epoch, by the clock that was given. */
  readonly sentAt: number;
  readonly receivedAt: number;
};

/** Sends bytes on a connection of its own, a character for each, and reads until it ends or `enough` replies have come. */
export type Talker = (bytes: string, enough: number) => Promise<Talk>;

export type TalkOptions = {
  readonly connect: Connect;
  readonly now: () => number;
  /** How long to wait for the next bytes, from now on. */
  readonly patienceMs: () => number;
};

/** Talks to the server that `connect` connects to. */
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
      resolve({ ...readReplies(received, end === 'closed', toHead), bytes: received, end, error, sentAt, receivedAt: now() });
    }
    const wait = () => setTimeout(() => finish('silent'), patienceMs());
    let timer = wait();

    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      clearTimeout(timer);
      timer = wait();
      if (enough < Infinity && readReplies(Buffer.concat(chunks), false, toHead).replies.length >= enough) finish('enough');
    });
    socket.on('error', (failure) => {
      error = 'code' in failure ? String(failure.code) : failure.message;
      finish('reset');
    });
    socket.on('end', () => finish('closed'));
    socket.on('close', () => finish('reset')); // nothing, unless it was torn down without a word
    socket.write(bytes, 'latin1');
  });
}

/** Whether the (first) request in `bytes` is a HEAD, whose reply has no content. */
export function isHead(bytes: string): boolean {
  return bytes.startsWith('HEAD ');
}
