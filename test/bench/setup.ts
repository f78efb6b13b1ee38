// What is measured: servers, and the load on each.
import type { Environment } from './processes.ts';
import type { RequestKind } from './request-kinds.ts';

/** A server to be measured, and the load on it. */
export type Setup = {
  readonly name: string;
  readonly script: string;
  readonly env: Environment;
  /** The paths it is measured with, out of those of the comparison. */
  readonly paths: readonly string[];
  readonly connections: number;
  /** How many of the connections take turns with the requests. The others stay idle. */
  readonly active: number;
  /** Requests before anything is measured. */
  readonly warmUp: number;
  /** How long before and after a measurement nothing is sent, for the server to be idle when its CPU time is read. */
  readonly settleMs: number;
};

/** Servers that get the same requests. The first is what the others are compared with. */
export type Comparison = { readonly requestKind: RequestKind; readonly paths: readonly string[]; readonly setups: readonly Setup[] };

/** A setup as most are: compiled by V8 when it is measured, and with a request in progress on every connection. */
export function setup(name: string, script: string, paths: readonly string[]): Setup {
  return { name, script, env: {}, paths, connections: 50, active: 50, warmUp: 100_000, settleMs: 5 };
}
