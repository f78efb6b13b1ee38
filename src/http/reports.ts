// What is reported of requests and connections, to whoever writes the log.
import type { HttpRequest } from './request.ts';

export type Reports = {
  readonly requestFailed: (error: unknown, request: FailedRequest) => void; // something has thrown this
  readonly endedEarly: (reason: string) => void; // a request (see `reason` below), or a connection
  /** There were too many connections, so one of this client, which had the most, was closed. */
  readonly dropped: (reason: string, client: string | undefined, connections: number) => void;
  readonly requestOver: (status: number | undefined) => void; // undefined: there was no reply
  readonly finished: ((record: AccessRecord) => void) | undefined; // a request is over; undefined: no access log
};

/** A request that has failed. Without these, Node's parser has refused its head. */
export type FailedRequest = Partial<Readonly<ReturnType<typeof namesOf>>>;

/** A request that is over. It never has the query: names are personal data. */
export type AccessRecord = FailedRequest & {
  readonly durationMs?: number; // since the head had arrived; missing in the same case
  readonly remoteAddress: string | undefined; // undefined: on a Unix socket
  readonly status: number | undefined; // undefined: the connection ended before there was a reply
  // A Reason, the code of an error of Node's, `handlerTooSlow`, or `handlerAborted`: it has failed after an abort.
  readonly reason: string | undefined;
  readonly aborted: true | undefined; // the kernel has not taken the whole reply
};

/** What the log says of a request. */
export const namesOf = ({ method, path, traceparent: traceId }: HttpRequest) => ({ method, path, traceId });

/** Calls `report`, and returns whether it has not thrown. Otherwise, the request has failed with what it has thrown. */
export function attempt(report: () => void, reports: Reports, request?: HttpRequest): boolean {
  try {
    report();
    return true;
  } catch (error) {
    try {
      reports.requestFailed(error, request === undefined ? {} : namesOf(request));
    } catch { // nobody can be told
    }
    return false;
  }
}

type Result = Pick<AccessRecord, 'status' | 'reason' | 'aborted'>;

/** The record of a request that is over now, and whose head had arrived at `since`, by `performance.now`. */
export function accessRecord(request: HttpRequest, since: number, result: Result): AccessRecord {
  const durationMs = Math.round((performance.now() - since) * 1_000) / 1_000;
  return { ...namesOf(request), ...result, durationMs, remoteAddress: request.remoteAddress };
}
