// What each of the two servers is given, offers and reports: src/server/server.ts and src/node-server.ts.
import type { Server as Listener } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import type { TimeLimits } from '../http/limits.ts';
import type { Reason } from '../http/refusals.ts';
import type { Handler } from '../http/reply.ts';
import type { Known } from '../http/request.ts';
import type { RefuseHost } from '../http/request-target.ts';
import { plainAddress } from '../transport/client.ts';
import type { Turns } from '../transport/turns.ts';

export type ServerOptions = {
  readonly handler: Handler;
  readonly refuseHost: RefuseHost; // names the rule that a request for this host breaks, if any
  readonly isDraining: () => boolean; // whether the service is draining: while it is, each reply is the last on its connection
  readonly reports: Reports;
  readonly maxConnections: number; // how many connections may be open at once
  readonly keepAliveTimeoutMs: number; // how long a connection may be idle
  readonly turns?: Turns; // for tests of server.ts, like the limits
  readonly limits?: Partial<TimeLimits>;
};

/** What all connections of a server share. */
export type Context = ServerOptions & {
  readonly turns: Turns;
  readonly discardTurns: Turns; // for what is discarded: one read every `discardMs`
  readonly limits: TimeLimits;
};

export type Server = {
  readonly listener: Listener; // listens when it is told to
  readonly stopListening: () => void;
  readonly close: () => Promise<void>; // stops listening, and closes idle connections. Resolves when all connections have ended.
  readonly closeAll: () => number; // stops listening, closes all connections, and returns how many requests were still owed a reply
  readonly setSecureContext: (tls: SecureContextOptions) => void; // new connections get this certificate and key
};

/** Makes a server that does not listen yet. With `tls` (a certificate, a key and more) it serves HTTPS. */
export type CreateServer = (options: ServerOptions, tls?: SecureContextOptions) => Server | Promise<Server>;

/** A request that is over. */
export type FinishedRequest = {
  readonly method: string | undefined; // undefined, like the two below, when what was read does not have the form of a request line
  readonly path: string | undefined; // without the query. Empty when a refused target has no path.
  readonly traceId: string | undefined;
  readonly status: number | undefined; // undefined: the connection ended before there was a reply
  readonly reason: Reason | undefined; // undefined: it was not refused
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
  readonly refused: (reason: Reason) => void; // a request was refused
  readonly ended: (reason: EndReason) => void; // a connection has ended early
  readonly dropped: (reason: DropReason) => void; // there were too many connections, so one was closed
  readonly finished: ((request: FinishedRequest) => void) | undefined; // a request is over. Undefined: there is no access log.
};

/** What is recorded of a request, from its head until its reply is flushed, or can no longer be sent. */
export type AccessRecord = { readonly request: Known; readonly startedAt: number; status: number | undefined; reason: Reason | undefined };

/** The record of a request whose head has arrived, or that is refused. */
export function startRecord(request: Known): AccessRecord {
  return { request, startedAt: performance.now(), status: undefined, reason: undefined };
}

/** Reports that a request is over. `aborted`: its reply was not flushed completely. */
export function reportFinished(
  { request, startedAt, status, reason }: AccessRecord, address: string | undefined, aborted: boolean, reports: Reports,
): void {
  if (reports.finished === undefined) return;
  const { method, path, traceparent: traceId } = request; // only here: reading `traceparent` generates it
  const remoteAddress = address && plainAddress(address);
  const durationMs = Math.round((performance.now() - startedAt) * 1000) / 1000;
  reports.finished({ method, path, status, reason, durationMs, traceId, remoteAddress, aborted: aborted || undefined });
}

/** The same reports, but none of them throws: an error in one is reported as failed. If that fails, there is nobody to tell. */
export function safely({ failed, refused, ended, dropped, finished }: Reports): Reports {
  const safe = <About extends readonly unknown[]>(report: (...about: About) => void) => (...about: About): void => {
    try {
      report(...about);
    } catch (error) {
      try { failed(error, ''); } catch {}
    }
  };
  return { failed: safe(failed), refused: safe(refused), ended: safe(ended), dropped: safe(dropped), finished: finished && safe(finished) };
}
