// What there is to say of a request when it is over, for those who keep an access log.
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { IncomingRequest } from './incoming-request.ts';

export type AccessRecord = {
  /** Of what the parser refused, only status and address are known. */
  readonly method?: string;
  /** As sent, without the query. */
  readonly path?: string;
  /** Undefined: the client left before there was one. */
  readonly status: number | undefined;
  readonly durationMs?: number;
  readonly traceId?: string;
  readonly remoteAddress: string | undefined;
  /** True: the client left before it had the whole reply. */
  readonly aborted?: true | undefined;
};

export type Observer = (record: AccessRecord) => void;

/** The record of a request that is refused with `status` as soon as it is seen. */
export function refusedRecord({ method = '', path, traceId, socket }: IncomingRequest, status: number): AccessRecord {
  return { method, path, status, durationMs: 0, traceId, remoteAddress: socket.remoteAddress };
}

/** The record of what the parser refused with `status`. */
export function unparsedRecord(socket: Duplex, status: number): AccessRecord {
  const remoteAddress = 'remoteAddress' in socket ? socket.remoteAddress : undefined;
  return { status, remoteAddress: typeof remoteAddress === 'string' ? remoteAddress : undefined };
}

/** Hands `observer` the record of a request when the response to it has been sent, or no longer can be. */
export function observe(request: IncomingRequest, response: ServerResponse, observer: Observer): void {
  const startedAt = performance.now();
  const { method = '', path, traceId } = request;
  const { remoteAddress } = request.socket; // once closed, a socket no longer knows
  response.on('close', () => {
    // One that is refused while its content is read has a status, but is not sent as a response of node's.
    const isRefused = !response.headersSent && response.statusCode !== 200;
    const status = response.headersSent || isRefused ? response.statusCode : undefined;
    const aborted = response.writableFinished || isRefused ? undefined : true;
    const durationMs = Math.round((performance.now() - startedAt) * 1000) / 1000;
    observer({ method, path, status, durationMs, traceId, remoteAddress, aborted });
  });
}
