// How much work buffers make, in bytes: unlike time, they do not depend on the machine.
import type { TestContext } from 'node:test';

/** How many bytes of buffers `run` allocates and copies. */
export function movedBytes(t: TestContext, run: () => void): number {
  const alloc = t.mock.method(Buffer, 'alloc');
  const buffers: Buffer = Buffer.prototype;
  const copy = t.mock.method(buffers, 'copy');
  run();
  const allocated = alloc.mock.calls.map(({ result }) => result?.length ?? 0);
  const copied = copy.mock.calls.map(({ result }) => result ?? 0);
  alloc.mock.restore();
  copy.mock.restore();
  return [...allocated, ...copied].reduce((sum, bytes) => sum + bytes, 0);
}
