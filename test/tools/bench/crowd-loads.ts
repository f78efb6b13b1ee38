// The crowds of `--crowd`: clients at work, with nothing but legal requests, and fewer of them than MAX_CONNECTIONS.
import type { Group } from './beside.ts';
import type { CROWD_BOUNDS } from './bounds.ts';
import { longHead } from './honest-kinds.ts';
import type { LossCase } from './loss.ts';
import { requestBytes } from './request-kinds.ts';

export type CrowdLoad = {
  readonly groups: readonly Group[];
  /** Which bounds of the waits hold, in `CROWD_BOUNDS`, or that the memory has one instead. */
  readonly judged: keyof typeof CROWD_BOUNDS | 'memory';
  /** The option of node that bounds the heap of the server. */
  readonly heap: string;
};

const HEAP = '--max-heap-size=256';
const SMALL_HEAP = '--max-heap-size=128';

/** The loads beside which honest clients are measured, by name. */
export const CROWD_LOADS: ReadonlyMap<string, CrowdLoad> = new Map([
  ['short requests', oneAddress({ attack: 'short', clients: 900 })],
  ['chunks', oneAddress({ attack: 'chunks', clients: 900 })],
  ['TLS', oneAddress({ attack: 'TLS', clients: 900 })],
  ['mix of 450 and 450', oneAddress({ attack: 'short', clients: 450 }, { attack: 'chunks', clients: 450 })],
  ['mix of 450 and 500', oneAddress({ attack: 'short', clients: 450 }, { attack: 'chunks', clients: 500 })],
  ['few chunks', oneAddress({ attack: 'chunks', clients: 100 })],
  ['addresses, short', anAddressEach('short')],
  ['addresses, chunks', anAddressEach('chunks')],
  ['addresses, TLS', anAddressEach('TLS')],
  ['handshakes', { groups: [{ attack: 'handshakes', clients: 900 }], judged: 'handshakes', heap: HEAP }],
  ['memory', { groups: [{ attack: 'pipelined TLS', clients: 950 }], judged: 'memory', heap: SMALL_HEAP }],
]);

const SMALL = requestBytes('Host only', 80, '/health');
const AT_ONCE = { request: SMALL, groups: [], delayMs: 0, then: 'stop', times: 20 } as const;
const AT_WORK = {
  isTls: true,
  request: longHead(3),
  groups: [
    { attack: 'short', clients: 400 },
    { attack: 'chunks', clients: 400 },
    { attack: 'TLS', clients: 800 }, // and 200 with a long head: as many as there are places for HTTPS
  ],
  delayMs: 300,
  times: 3,
} as const;

/** The cases in which requests could be lost, by name. */
export const LOSS_CASES: ReadonlyMap<string, LossCase> = new Map<string, LossCase>([
  ['stop at once, TCP', { ...AT_ONCE, isTls: false }],
  ['stop at once, TLS', { ...AT_ONCE, isTls: true }],
  ['stop at work', { ...AT_WORK, then: 'stop' }],
  ['room at work', { ...AT_WORK, then: 'new connections' }],
]);

function oneAddress(...groups: readonly Group[]): CrowdLoad {
  return { groups, judged: 'one address', heap: HEAP };
}

function anAddressEach(attack: string): CrowdLoad {
  return { groups: [{ attack, clients: 900, addresses: 900 }], judged: 'an address each', heap: HEAP };
}
