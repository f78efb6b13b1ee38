// What there is to say of a request when it is over, for those who keep an access log.
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { IncomingRequest } from './node-http.ts';

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

/** What is told of requests, for the records of them. */
export type Observer = {
  /** A legal request: its record is made when the response to it has been sent, or no longer can be. */
  readonly accepted: (request: IncomingRequest, response: ServerResponse) => void;
  /** A request that is refused as soon as it is seen. */
  readonly refused: (request: IncomingRequest, status: number) => void;
  /** What the parser refused. */
  readonly unparsed: (socket: Duplex, status: number) => void;
};

/** An observer that hands each record to `record`. */
export function createObserver(record: (access: AccessRecord) => void): Observer {
  return {
    accepted: (request, response) => {
      const startedAt = performance.now();
      const { method = '', path, traceId } = request;
      const { remoteAddress } = request.socket; // once closed, a socket no longer knows
      response.on('close', () => {
        // One that is refused while its content is read has a status, but is not sent as a response of node's.
        const isRefused = !response.headersSent && response.statusCode !== 200;
        const status = response.headersSent || isRefused ? response.statusCode : undefined;
        const aborted = response.writableFinished || isRefused ? undefined : true;
        const durationMs = Math.round((performance.now() - startedAt) * 1000) / 1000;
        record({ method, path, status, durationMs, traceId, remoteAddress, aborted });
      });
    },
    refused: ({ method = '', path, traceId, socket }, status) => {
      record({ method, path, status, durationMs: 0, traceId, remoteAddress: socket.remoteAddress });
    },
    unparsed: (socket, status) => {
      const remoteAddress = 'remoteAddress' in socket ? socket.remoteAddress : undefined;
      record({ status, remoteAddress: typeof remoteAddress === 'string' ? remoteAddress : undefined });
    },
  };
}
