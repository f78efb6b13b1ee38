// An accepted connection: whose it is, and what it does.
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Client } from './client.ts';
import type { Overhead } from './handshake.ts';

/** What `node:http` has in place of the socket. */
type Served = Duplex & { readonly isIdle: boolean; readonly bytesRead: number; sweep(ms: number): void };

/** What has happened if a connection is not served in time. */
export type TooSlow = 'handshakeTooSlow' | 'proxyHeaderTooSlow';

/** The client's end of a connection, as a load balancer names it. */
export type Named = { readonly address: string; readonly port: number };

let changes = 0; // of all connections

export class Connection {
  readonly socket: Socket; // that of TCP, also if TLS is on it
  readonly acceptedAt = performance.now();
  client: Client;
  isBusy = false; // a request is in progress
  since = 0; // when that has changed, by a count of all such changes
  awaited: TooSlow | undefined;
  headerBytes = 0; // of the PROXY protocol
  named: Named | undefined; // in that
  overhead: Overhead | undefined; // over TLS
  valve: Served | undefined; // if it is served: before that, there may be a TLS handshake
  readonly #close: (connection: Connection) => void;

  constructor(socket: Socket, client: Client, close: (connection: Connection) => void) {
    this.socket = socket;
    this.client = client;
    this.#close = close;
    this.setBusy(false);
  }

  setBusy(isBusy: boolean): void {
    changes += 1;
    this.since = changes;
    this.isBusy = isBusy;
  }

  /** 0: it is idle, or in its handshake. 1: what it has sent waits for a turn. 2: it is busy. */
  get load(): number {
    if (this.isBusy) return 2;
    return this.valve?.isIdle === false ? 1 : 0;
  }

  /** Closes it at once. */
  close(): void {
    this.#close(this);
  }
}
