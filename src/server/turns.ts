// Who reads in a turn of the event loop: one long read, and short reads up to a number, in the order in which they came. The others wait.
// So a turn is short, whatever clients send and however many they are: what arrives meanwhile, also a new connection, is handled soon.
import type { Socket } from 'node:net';

/** A read that is longer, in bytes, is a long one. One of this length costs about twice as much as the shortest request. */
export const PIECE_BYTES = 2 * 1024;
/** How many short reads there are in a turn of the event loop, at most. They take one or two milliseconds. */
export const SHORT_READS = 64;

const short = new Set<() => void>(), long = new Set<() => void>();
let shortReads = 0; // in this turn, as they came
let next: NodeJS.Immediate | undefined; // `runTurn`

/** Whether a read of this length may be handled as it comes: it is short, none waits, and there were few in this turn. */
export function isTurn(length: number): boolean {
  if (length > PIECE_BYTES || short.size > 0 || shortReads === SHORT_READS) return false;
  shortReads += 1;
  next ??= setImmediate(runTurn);
  return true;
}

/** Calls `callback`, which handles a read of this length, in a later turn of the event loop, unless it waits for one already. */
export function takeTurn(callback: () => void, length: number): void {
  if (!short.has(callback) && !long.has(callback)) (length > PIECE_BYTES ? long : short).add(callback);
  next ??= setImmediate(runTurn);
}

/** Puts back what is to be read in a later turn, and pauses `socket`, which takes at most one read more then. */
export function hold(socket: Socket, bytes: Buffer): void {
  socket.pause();
  socket.unshift(bytes);
}

function runTurn(): void {
  const due = [...Array.from(short).slice(0, SHORT_READS - shortReads), ...Array.from(long).slice(0, 1)];
  next = undefined;
  shortReads = 0;
  for (const callback of due) {
    if (!short.delete(callback)) long.delete(callback);
    callback(); // when it asks again, it waits for another turn
  }
  if (short.size + long.size > 0) next ??= setImmediate(runTurn);
}
