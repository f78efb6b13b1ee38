// Who reads in a turn of the event loop: up to 128 with a short read, and one with a long read, each in order. The others wait. So a
// turn is short, whatever clients send: what arrives meanwhile is handled soon, also connections, of which node 24 accepts one in a turn.
import type { Socket } from 'node:net';

/** A read that is longer, in bytes, is a long one. One of this length costs up to four times as much as the shortest request. */
export const PIECE_BYTES = 2 * 1024;
const TURN_BYTES = 64 * 1024, READ_BYTES = 512; // of short reads in a turn, about 2 ms. A read counts as 512 bytes more than it has.

const short = new Set<() => void>(), long = new Set<() => void>();
let left = TURN_BYTES; // in this turn
let next: NodeJS.Immediate | undefined; // `runTurn`

/** Whether a read of this length may be handled as it comes: it is short, no other short one waits, and the turn has not had enough. */
export function mayReadNow(length: number): boolean { return length <= PIECE_BYTES && short.size === 0 && left > 0; }

/** Counts a read of this length, which is handled now. */
export function countRead(length: number): void {
  left -= READ_BYTES + length;
  next ??= setImmediate(runTurn);
}

/** Calls `callback`, which handles a read of this length, in a later turn of the event loop, unless it waits for one already. */
export function waitForTurn(callback: () => void, length: number): void {
  if (!short.has(callback) && !long.has(callback)) (length > PIECE_BYTES ? long : short).add(callback);
  next ??= setImmediate(runTurn);
}

/** Takes back what `waitForTurn` was told: there is nothing to read any more. */
export function leave(callback: () => void): void { if (!short.delete(callback)) long.delete(callback); }

/** Puts back what is to be read in a later turn, and pauses `socket`, which takes at most one read more then. */
export function hold(socket: Socket, bytes: Buffer): void {
  socket.pause();
  socket.unshift(bytes);
}

function runTurn(): void {
  next = undefined;
  let waiting = short.size; // who asks again meanwhile waits for another turn
  for (const callback of short) {
    if (waiting === 0 || left <= 0) break;
    waiting -= 1;
    short.delete(callback);
    callback();
  }
  const [first] = long;
  if (first !== undefined) { long.delete(first); first(); }
  left = TURN_BYTES;
  if (short.size + long.size > 0) next ??= setImmediate(runTurn);
}
