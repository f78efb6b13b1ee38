// The turns of connections that have more to be read: one of them in each turn of the event loop, and then the others, in order. So what
// arrives meanwhile is handled first, and those who send much delay others by one read in a turn, however many they are.
import type { Socket } from 'node:net';

/** A longer read waits for its turn. One of this length costs about twice as much as the shortest request, and many may come at once. */
export const PIECE_BYTES = 2 * 1024;

const waiting = new Set<() => void>();

/** Puts back what is to be read in a later turn, and pauses `socket`, which takes at most one read more then. */
export function hold(socket: Socket, bytes: Buffer): void {
  socket.pause();
  socket.unshift(bytes);
}

/** Calls `callback` in a later turn of the event loop, after those that wait already. */
export function takeTurn(callback: () => void): void {
  if (waiting.size === 0) setImmediate(runTurn);
  waiting.add(callback);
}

function runTurn(): void {
  for (const callback of waiting) {
    waiting.delete(callback);
    if (waiting.size > 0) setImmediate(runTurn);
    callback();
    break;
  }
}
