// An accepted connection: whose it is, what it does, and what it begins with.
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Duplex } from 'node:stream';
import type { Client } from './client.ts';
import type { ProxyHeader } from './proxy-header.ts';
import type { Turns } from './turns.ts';

/** Between a client and Node: from `socket`, over TLS the decrypted one, to `stream`, which Node has in its place. */
export type Ends = Readonly<{ socket: Socket; stream: Duplex; connection: Connection; turns: Turns }>;

// Over TLS, a connection may bring 4 bytes per byte of content, 64 KiB more, and 1 more in each ms, because a WebSocket
// may bring small frames for ever, each in a record of its own.
const OVERHEAD = 4;
const OVERHEAD_BYTES = 64 * 1024;

export class Connection {
  readonly socket: Socket; // that of TCP, also if TLS is on it
  client: Client;
  changedAt = performance.now(); // when it was accepted, or its latest request has begun, ended or been taken over
  isActive = true; // something has happened since the last sweep
  header: ProxyHeader | undefined; // that a balancer has sent
  valve: (Duplex & { loss: number; bytesRead: number; sweep(ms: number): void }) | undefined; // if it is served
  readonly close: () => void; // at once
  #bytes = 0; // that it has brought, less what its content may bring
  #wasted = 0;

  constructor(socket: Socket, client: Client, close: (connection: Connection) => void) {
    this.socket = socket;
    this.client = client;
    this.close = () => close(this);
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
    held = held.length > 0 ? Buffer.concat([held, part]) : part;
    const parsed = parse(held);
    if (parsed === 'incomplete') return;
    socket.off('data', read).off('end', done).pause();
    if (parsed !== undefined) socket.unshift(held.subarray(parsed.length)); // it waits there
    done(parsed);
  }
  socket.on('data', read).on('end', done).resume();
}
