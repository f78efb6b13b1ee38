// What a server reports of its work. The record of a request, for the access log, is complete when the reply has
// left, or can no longer leave.
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
  /** The reply has left or, with an error, never will. Only the first call counts. */
  readonly close: (error?: Error | null) => void;
};

/**
 * What opens the record of a request (undefined: it could not be parsed) on a socket, and hands the record to
 * `reports.finished` when it is complete. Undefined when nobody keeps an access log.
 */
export function createRecorder({ finished, failed }: Reports) {
  if (finished === undefined) return undefined;
  const openRecords = new WeakMap<Socket, Set<OpenRecord>>();

  function openRecordsOf(socket: Socket): Set<OpenRecord> {
    const known = openRecords.get(socket);
    if (known !== undefined) return known;
    const records = new Set<OpenRecord>();
    openRecords.set(socket, records);
    socket.once('close', () => records.forEach((record) => record.close(new Error('The connection has ended.'))));
    return records;
  }

  return (socket: Socket, request: ParsedRequest | undefined): OpenRecord => {
    const startedAt = performance.now();
    const { remoteAddress } = socket; // a socket that has closed does not know it any more
    const records = openRecordsOf(socket);
    let status: number | undefined;
    const record: OpenRecord = {
      answered: (replyStatus) => {
        status = replyStatus;
      },
      close: (error) => {
        if (!records.delete(record)) return;
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
    records.add(record);
    return record;
  };
}
