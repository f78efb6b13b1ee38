// The servers that are measured, and the load on each.
import type { Environment } from './processes.ts';
import type { RequestKind } from './request-kinds.ts';

/** A server to be measured, and the load on it. */
export type Setup = {
  readonly name: string;
  readonly script: string;
  readonly env: Environment;
  readonly connections: number;
  /** How many of the connections are used for requests, in turn. The others stay idle. */
  readonly active: number;
  /** Requests before anything is measured. */
  readonly warmUp: number;
  /** How long nothing is sent before and after a measurement, so that the server is idle when its CPU time is read. */
  readonly settleMs: number;
};

/** Servers that get the same requests. The others are compared with the first. */
export type Comparison = {
  /** What the tables call it. */
  readonly label: string;
  readonly requestKind: RequestKind;
  readonly paths: readonly string[];
  readonly setups: readonly Setup[];
};

/** The usual setup: the warm-up is long enough for V8 to compile the code, and every connection is in use. */
export function setup(name: string, script: string): Setup {
  return { name, script, env: {}, connections: 50, active: 50, warmUp: 100_000, settleMs: 5 };
}
