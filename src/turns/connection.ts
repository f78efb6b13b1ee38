// An accepted connection: whose it is, and what it does.
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Client } from './client.ts';
import type { Turns } from './turns.ts';

/** What `node:http` has in place of the socket. */
type Served = Duplex & { readonly isIdle: boolean; readonly bytesRead: number; sweep(ms: number): void };

/** What has happened if a connection is not served in time. */
export type TooSlow = 'handshakeTooSlow' | 'proxyHeaderTooSlow';

/** The client's end of a connection, as a load balancer names it. */
export type Named = { readonly address: string; readonly port: number; readonly family: string };

/** Between a client and Node: from `socket`, over TLS the decrypted one, to `stream`, which Node has in its place. */
export type Ends = {
  readonly socket: Socket;
  readonly stream: Duplex;
  readonly connection: Connection;
  readonly turns: Turns;
};

// A connection may bring 4 bytes for each of its content, 64 KiB more, and 1 more in each ms: for ever, a WebSocket may
// bring frames of a few bytes, each in a record of its own.
const OVERHEAD = 4;
const OVERHEAD_BYTES = 64 * 1024;
const OVERHEAD_BYTES_PER_MS = 1;

let changes = 0; // of all connections

export class Connection {
  readonly socket: Socket; // that of TCP, also if TLS is on it
  readonly acceptedAt = performance.now();
  client: Client;
  isActive = true; // something has happened since the last sweep
  isBusy = false; // a request is in progress
  since = 0; // when that has changed, by a count of all such changes
  awaited: TooSlow | undefined;
  headerBytes = 0; // of the PROXY protocol
  named: Named | undefined; // in that
  readonly overhead = new Overhead();
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

/** What a connection brings beyond its content: records of a byte bring 23 times that. */
export class Overhead {
  #bytes = 0; // less what its content may bring
  #wasted = 0;

  /** To be called every `ms` milliseconds: whether a connection that has brought so many bytes wastes too many. */
  isTooMuch(ms: number, bytes: number, content = 0): boolean {
    const latest = bytes - OVERHEAD * content;
    this.#wasted = Math.max(0, this.#wasted + latest - this.#bytes - OVERHEAD_BYTES_PER_MS * ms);
    this.#bytes = latest;
    return this.#wasted > OVERHEAD_BYTES;
  }
}
