// What a server reports, to whoever writes the log.
import type { HttpRequest } from './request.ts';

type EndReason = 'replyNotTaken' | 'connectMethod' | 'tlsFailed' | 'handshakeTooSlow' | 'tlsOverhead' |
  'proxyHeaderIllegal' | 'proxyHeaderTooSlow';

export type Reports = {
  readonly failed: (error: unknown, traceId: string) => void; // an error while a request was answered
  readonly refused: (reason: string) => void; // a request was refused: a Reason, or the code of an error of Node's
  readonly ended: (reason: EndReason) => void; // a connection has ended early
  readonly dropped: (reason: string) => void; // there were too many connections, so one was closed
  readonly finished: ((record: AccessRecord) => void) | undefined; // a request is over; undefined: no access log
};

export type AccessRecord = ReturnType<typeof accessRecord>;

type Known = {
  readonly request?: HttpRequest; // undefined: Node's parser has refused the head
  readonly status?: number | undefined; // undefined: the connection ended before there was a reply
  readonly reason?: string | undefined; // undefined: it was not refused
  readonly startedAt?: number; // when its head had arrived, by `performance.now`; undefined: Node has refused that
  readonly remoteAddress: string | undefined; // undefined: on a Unix socket
  readonly isAborted: boolean; // the kernel has not taken the whole reply
};

/** A request that is over, as the access log has it. It never has the query: names are personal data. */
export function accessRecord(known: Known) {
  const { request, status, reason, startedAt, remoteAddress, isAborted } = known;
  return {
    method: request?.method,
    path: request?.path,
    traceId: request?.traceparent,
    status,
    reason,
    durationMs: startedAt === undefined ? undefined : Math.round((performance.now() - startedAt) * 1_000) / 1_000,
    remoteAddress,
    aborted: isAborted || undefined,
  };
}
