// What handlers of a real service wait for: a pool of 10 connections, of which each is used for 50 ms. Who comes first
// is first.
const FREE = 10;
const USE_MS = 50;

let free = FREE;
const waiting: (() => void)[] = [];

/** Waits for one of the pool, and uses it. */
export async function usePool(): Promise<void> {
  if (free > 0) free -= 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  await new Promise((resolve) => setTimeout(resolve, USE_MS));
  const next = waiting.shift();
  if (next === undefined) free += 1;
  else next();
}
