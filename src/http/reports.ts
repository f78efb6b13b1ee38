// What a server tells of its work, and the record of each request, which is told when its reply has left or
// can no longer leave.
import type { Socket } from 'node:net';
import type { ParsedRequest } from './parsed-request.ts';

/** A request that is over. */
export type FinishedRequest = {
  /** Undefined, like the two below, when the request could not be parsed. */
  readonly method: string | undefined;
  /** As sent, without the query. */
  readonly path: string | undefined;
  readonly traceId: string | undefined;
  /** Undefined: the client left before there was a reply. */
  readonly status: number | undefined;
  /** From the request's head to the last byte of the reply. */
  readonly durationMs: number;
  /** Undefined: the connection has none (a Unix socket). */
  readonly remoteAddress: string | undefined;
  /** True: the client left before the whole reply had been sent. */
  readonly aborted: true | undefined;
};

export type Reports = {
  /** An error was thrown on the way to a reply. */
  readonly failed: (error: unknown, traceId: string) => void;
  /** An illegal request was refused. */
  readonly refused: (status: number) => void;
  /** A connection was closed: the one idle longest or, when none was idle, the new one; or for its unread replies. */
  readonly dropped: (reason: 'idle' | 'full' | 'unread') => void;
  /** A request is over. Undefined: nobody keeps an access log. */
  readonly finished: ((request: FinishedRequest) => void) | undefined;
};

/** The record of a request that is not over. */
export type OpenRecord = {
  /** Takes note of the reply that is going out. */
  readonly answered: (status: number) => void;
  /** The reply has left, or (with an error) never will. */
  readonly close: (error?: Error | null) => void;
};

/** Opens the record of a request; `request` is undefined when it could not be parsed. */
export type Recorder = (socket: Socket, request: ParsedRequest | undefined) => OpenRecord;

/** A recorder that hands each record to `reports.finished` when it is complete; undefined when nobody wants them. */
export function createRecorder({ finished, failed }: Reports): Recorder | undefined {
  if (finished === undefined) return undefined;
  const connections = new WeakMap<Socket, { readonly openRecords: Set<OpenRecord>; readonly remoteAddress: string | undefined }>();

  function connectionOf(socket: Socket) {
    const known = connections.get(socket);
    if (known !== undefined) return known;
    const openRecords = new Set<OpenRecord>();
    const connection = { openRecords, remoteAddress: socket.remoteAddress }; // once closed, a socket does not know it any more
    connections.set(socket, connection);
    // When a connection ends, the replies that have not left never will.
    socket.once('close', () => openRecords.forEach((record) => record.close(new Error('The connection has ended.'))));
    return connection;
  }

  return (socket, request) => {
    const startedAt = performance.now();
    const { openRecords, remoteAddress } = connectionOf(socket);
    let status: number | undefined;
    const record: OpenRecord = {
      answered: (replyStatus) => {
        status = replyStatus;
      },
      close: (error) => {
        if (!openRecords.delete(record)) return;
        const method = request?.method;
        const path = request?.path;
        const traceId = request?.traceId;
        const durationMs = Math.round((performance.now() - startedAt) * 1000) / 1000;
        const aborted = error ? true : undefined;
        try {
          finished({ method, path, status, durationMs, traceId, remoteAddress, aborted });
        } catch (thrown) {
          failed(thrown, traceId ?? '');
        }
      },
    };
    openRecords.add(record);
    return record;
  };
}
