// Who reads in a turn of the event loop: those with a short read for 2 ms, and one with a long read, each in order. The others wait. So a
// turn is short, whatever clients send: what arrives meanwhile is handled soon, also connections, of which node accepts one in a turn.
import type { Socket } from 'node:net';

/** A read that is longer, in bytes, is a long one. One of this length costs about twice as much as the shortest request. */
export const PIECE_BYTES = 2 * 1024;
const SHORT_MS = 2; // in a turn, but at least one short read

const short = new Set<() => void>(), long = new Set<() => void>();
let shortEnd = 0; // when the time for short reads is over in this turn, by performance.now(). 0: there was none yet.
let next: NodeJS.Immediate | undefined; // `runTurn`

/** Whether a read of this length may be handled as it comes: it is short, no other waits, and there is still time. */
export function mayReadNow(length: number): boolean {
  if (length > PIECE_BYTES || short.size > 0) return false;
  const now = performance.now();
  if (shortEnd === 0) shortEnd = now + SHORT_MS;
  next ??= setImmediate(runTurn);
  return now < shortEnd;
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
  const end = shortEnd || performance.now() + SHORT_MS;
  let left = short.size; // who asks again meanwhile waits for another turn
  for (const callback of short) {
    short.delete(callback);
    callback();
    left -= 1;
    if (left === 0 || performance.now() >= end) break;
  }
  const [first] = long;
  if (first !== undefined) { long.delete(first); first(); }
  shortEnd = 0;
  if (short.size + long.size > 0) next ??= setImmediate(runTurn);
}
