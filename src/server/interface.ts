// What each of the two servers is given, offers and reports: src/server/server.ts and src/node-server.ts.
import type { Server as Listener } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import type { TimeLimits } from '../http/limits.ts';
import { traceparentOf, type Handler, type Known } from '../http/messages.ts';
import type { Reason } from '../http/refusals.ts';
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

/** Why a connection has ended early: deploy/README.md explains each. */
export type EndReason = 'handshakeTooSlow' | 'tlsFailed' | 'resetBeforeReply' | 'replyNotRead' | 'notClosedByClient';

/** Which connection was closed because there were too many: an idle one, a busy one, or the new one (see `chooseVictim`). */
export type DropReason = 'idleClosed' | 'busyClosed' | 'newRefused';

export type Reports = {
  readonly failed: (error: unknown, traceId: string) => void; // an error while a request was answered; without an id, in a connection
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

/** A request that is over, as the access log has it. `aborted`: the connection ended before the whole reply was flushed. */
export function finishedRequest({ request, startedAt, status, reason }: AccessRecord, address: string | undefined, aborted: boolean) {
  const { method, path } = request;
  return {
    method, // undefined, like the next two, when what was read does not have the form of a request line
    path, // without the query. Empty when a refused target has no path.
    traceId: method === undefined ? undefined : traceparentOf(request),
    status, // undefined: the connection ended before there was a reply
    reason, // undefined: it was not refused
    durationMs: Math.round((performance.now() - startedAt) * 1000) / 1000, // since the end of the head, or the refusal
    remoteAddress: address && plainAddress(address), // undefined: the connection has none (a Unix socket)
    aborted: aborted || undefined,
  };
}

export type FinishedRequest = ReturnType<typeof finishedRequest>;
