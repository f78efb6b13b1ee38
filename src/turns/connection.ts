// An accepted connection: whose it is, what it does, and what it begins with.
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Duplex } from 'node:stream';
import type { Client } from './client.ts';
import type { ProxyHeader } from './proxy-header.ts';
import type { Turns } from './turns.ts';

/** What `node:http` has in place of the socket. */
type Served = Duplex & { readonly isIdle: boolean; readonly bytesRead: number; sweep(ms: number): void };

/** Between a client and Node: from `socket`, over TLS the decrypted one, to `stream`, which Node has in its place. */
export type Ends = Readonly<{ socket: Socket; stream: Duplex; connection: Connection; turns: Turns }>;

// Over TLS, a connection may bring 4 bytes per byte of content, 64 KiB more, and 1 more in each ms, because a WebSocket
// may bring small frames for ever, each in a record of its own.
const OVERHEAD = 4;
const OVERHEAD_BYTES = 64 * 1024;

let changes = 0; // of `isBusy`, of all connections

export class Connection {
  readonly socket: Socket; // that of TCP, also if TLS is on it
  readonly acceptedAt = performance.now();
  client: Client;
  isActive = true; // something has happened since the last sweep
  isBusy = false; // a request is in progress
  lastChange = 0; // of that: its number among all such changes
  waitedMs = 0; // for turns, since then, as far as sweeps have seen it
  isShakingHands = false; // over TLS, before it is served
  keyUpdates = 0; // of TLS
  header: ProxyHeader | undefined; // that a balancer has sent
  valve: Served | undefined; // if it is served
  readonly close: () => void; // at once
  #bytes = 0; // that it has brought, less what its content may bring
  #wasted = 0;

  constructor(socket: Socket, client: Client, close: (connection: Connection) => void) {
    this.socket = socket;
    this.client = client;
    this.close = () => close(this);
    this.setBusy(false);
  }

  setBusy(isBusy: boolean): void {
    changes += 1;
    this.lastChange = changes;
    this.isBusy = isBusy;
    this.waitedMs = 0;
  }

  /** What is lost if it closes. 0: nothing; 1: what waits for a turn or to be sent; 2: a request in progress. */
  get loss(): number {
    if (this.isBusy) return 2;
    return this.valve?.isIdle === false ? 1 : 0;
  }

  /** To be called every `ms` milliseconds: whether it brings too much beyond its content. Records of a byte do. */
  isWasteful(ms: number): boolean {
    const bytes = this.socket.bytesRead - OVERHEAD * (this.valve?.bytesRead ?? 0);
    this.#wasted = Math.max(0, this.#wasted + bytes - this.#bytes - ms);
    this.#bytes = bytes;
    return this.#wasted > OVERHEAD_BYTES;
  }
}

/** Reads a socket until `parse` knows what has come. `done` gets that; undefined: it is illegal, or has ended early. */
export function readBeginning<T extends { readonly length: number }>(
  socket: Socket, parse: (bytes: Buffer) => T | 'incomplete' | undefined, done: (parsed?: T) => void,
): void {
  let held: Buffer = Buffer.of();
  function read(part: Buffer): void {
    held = Buffer.concat([held, part]);
    const parsed = parse(held);
    if (parsed === 'incomplete') return;
    socket.off('data', read).off('end', done).pause();
    if (parsed !== undefined) socket.unshift(held.subarray(parsed.length)); // it waits there
    done(parsed);
  }
  socket.on('data', read).on('end', done).resume();
}
