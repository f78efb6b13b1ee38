// The turns of connections that have more to be read: one of them in each turn of the event loop, and then the others, in order. So what
// arrives meanwhile is handled first, and a crowd that sends ahead delays nobody else.

const waiting = new Set<() => void>();

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
