// What a server reports about its work.
import type { Known } from '../http/request.ts';

/** A request that is over. */
export type FinishedRequest = {
  readonly method: string | undefined; // undefined, like the two below, when what was read does not have the form of a request line
  readonly path: string | undefined; // without the query; for CONNECT, the authority. Empty when a refused target has no path.
  readonly traceId: string | undefined;
  readonly status: number | undefined; // undefined: the connection ended before there was a reply
  readonly durationMs: number; // from the end of the request's head, or its refusal, until the reply is flushed or the connection ends
  readonly remoteAddress: string | undefined; // undefined: the connection has none (a Unix socket)
  readonly aborted: true | undefined; // true: the connection ended before the whole reply was flushed
};

/** Why a connection has ended early: deploy/README.md explains each. */
export type EndReason = 'handshakeTooSlow' | 'tlsFailed' | 'resetBeforeReply' | 'replyNotRead' | 'notClosedByClient';

/** Which connection was closed because there were too many: an idle one, a busy one, or the new one (see `chooseVictim`). */
export type DropReason = 'idleClosed' | 'busyClosed' | 'newRefused';

export type Reports = {
  readonly failed: (error: unknown, traceId: string) => void; // an error was thrown while a request was answered, or in a report
  readonly refused: (status: number) => void; // a request was refused
  readonly ended: (reason: EndReason) => void; // a connection has ended early
  readonly dropped: (reason: DropReason) => void; // there were too many connections, so one was closed
  readonly finished: ((request: FinishedRequest) => void) | undefined; // a request is over. Undefined: there is no access log.
};

/** What is recorded of a request, from its head until its reply is flushed, or can no longer be sent. */
export type AccessRecord = { readonly request: Known; readonly startedAt: number; status: number | undefined };

/** Reports that a request is over. `aborted`: its reply was not flushed completely. */
export function reportFinished(
  { request, startedAt, status }: AccessRecord, remoteAddress: string | undefined, aborted: boolean, reports: Reports,
): void {
  const { finished } = reports;
  if (finished === undefined) return;
  const { method, path, traceparent: traceId } = request; // only here: reading `traceparent` generates it
  const durationMs = Math.round((performance.now() - startedAt) * 1000) / 1000;
  const record = { method, path, status, durationMs, traceId, remoteAddress, aborted: aborted || undefined };
  reportSafely(reports, () => finished(record), traceId);
}

/** Calls `report`. An error in it is reported, too. If that fails, there is nobody to tell, and the service goes on. */
export function reportSafely(reports: Reports, report: (reports: Reports) => void, traceId = ''): void {
  try {
    report(reports);
  } catch (error) {
    try {
      reports.failed(error, traceId);
    } catch {}
  }
}
