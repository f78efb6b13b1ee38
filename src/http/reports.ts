// What a server reports of its work. The record of a request, for the access log, is complete when the reply has
// left, or can no longer leave.
import type { Socket } from 'node:net';
import type { ParsedRequest } from './parsed-request.ts';

/** A request that is over. */
export type FinishedRequest = {
  /** Undefined, like the two below, when the request could not be parsed. */
  readonly method: string | undefined;
  /** Without the query and the authority. Empty when the target is illegal and has no path. */
  readonly path: string | undefined;
  readonly traceId: string | undefined;
  /** Undefined: the connection ended before there was a reply. */
  readonly status: number | undefined;
  /** From the request's head to the last byte of the reply. */
  readonly durationMs: number;
  /** Undefined: the connection has none (a Unix socket). */
  readonly remoteAddress: string | undefined;
  /** True: the connection ended before the whole reply had been sent. */
  readonly aborted: true | undefined;
};

export type Reports = {
  /** An error was thrown while a request was answered or something was reported. */
  readonly failed: (error: unknown, traceId: string) => void;
  /** A request was refused. */
  readonly refused: (status: number) => void;
  /**
   * A connection was closed. At `maxConnections`: one that was idle or whose TLS handshake had not begun (`idle`), or the new
   * one, because there was no such connection (`full`). When too many replies were queued, or too many requests came after
   * last ones: the one with the most of them (`backlog`). Others are not reported.
   */
  readonly dropped: (reason: 'idle' | 'full' | 'backlog') => void;
  /** A request is over. Undefined: nobody keeps an access log. */
  readonly finished: ((request: FinishedRequest) => void) | undefined;
};

/** The record of a request that is not over. */
export type OpenRecord = {
  /** Undefined when the request could not be parsed. */
  readonly request: ParsedRequest | undefined;
  readonly startedAt: number;
  /** The status of the reply, when there is one. */
  status: number | undefined;
};

/**
 * The records of the requests of one connection that are not over. Replies leave in the order of the requests, so the
 * record that is closed is always the oldest one.
 */
export class OpenRecords {
  readonly #socket: Socket;
  readonly #reports: Reports;
  readonly #remoteAddress: string | undefined;
  readonly #records: OpenRecord[] = [];

  constructor(socket: Socket, reports: Reports) {
    this.#socket = socket;
    this.#reports = reports;
    this.#remoteAddress = socket.remoteAddress; // a socket that has closed does not know it any more
    socket.once('close', () => {
      while (this.#records.length > 0) this.close();
    });
  }

  /** Opens the record of a request; `request` is undefined when it could not be parsed. */
  open(request: ParsedRequest | undefined): OpenRecord {
    const record = { request, startedAt: performance.now(), status: undefined };
    this.#records.push(record);
    return record;
  }

  /** Reports the oldest record: its reply has left or, when the connection has ended or failed, never will. */
  readonly close = (): void => {
    const record = this.#records.shift();
    if (record === undefined) return;
    const { request, startedAt, status } = record;
    const { method, path, traceId } = request ?? {};
    const durationMs = Math.round((performance.now() - startedAt) * 1000) / 1000;
    const hasFailed = this.#socket.destroyed || this.#socket.errored !== null;
    try {
      this.#reports.finished?.({ method, path, status, durationMs, traceId, remoteAddress: this.#remoteAddress, aborted: hasFailed || undefined });
    } catch (thrown) {
      this.#reports.failed(thrown, traceId ?? '');
    }
  };
}
