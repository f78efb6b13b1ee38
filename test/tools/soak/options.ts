// The command line of the soak test.
import { parseArgs } from 'node:util';

export type Options = {
  readonly requests: number;
  readonly seed: number;
  readonly accessLog: boolean;
  /** Over TLS instead of plain. */
  readonly tls: boolean;
  /** Options of node for the service. */
  readonly nodeOptions: string;
};

// This is about the heap that V8 uses in a container with 256 MiB. With the memory of a whole machine, V8 collects
// garbage so late that hundreds of MiB of it look like a leak from outside.
const SMALL_HEAP = '--max-old-space-size=128 --max-semi-space-size=1';

/** Reads `[MILLIONS] [--access-log] [--tls] [--seed=N] [--node-options=OPTIONS]`. */
export function readOptions(): Options {
  const { values, positionals } = parseArgs({
    options: {
      'access-log': { type: 'boolean', default: false },
      tls: { type: 'boolean', default: false },
      seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
      'node-options': { type: 'string', default: SMALL_HEAP },
    },
    allowPositionals: true,
  });
  const requests = Number(positionals[0] ?? 2) * 1_000_000;
  const seed = Number(values.seed);
  if (!(requests > 0) || !Number.isInteger(seed)) throw new Error('MILLIONS must be a number above 0, N a whole number.');
  return { requests, seed, accessLog: values['access-log'], tls: values.tls, nodeOptions: values['node-options'] };
}
