// A sequence: a new service, and one to four clients, each of which performs a script.
import assert from 'node:assert/strict';
import type { Server, Socket } from 'node:net';
import type { App } from '../../src/app.ts';
import { createRandom } from '../support/random.ts';
import { openService, type Service } from '../support/service.ts';
import { checkOutcome, type CheckedReplies } from './check-outcome.ts';
import { dialLine, HANG_MS } from './line.ts';
import { play, type Outcome } from './play.ts';
import { makeScript, type Script, type Surroundings } from './script.ts';

export type KeyPair = { readonly cert: string; readonly key: string };

export type Sequence = {
  readonly listener: 'plain' | 'TLS' | 'redirect';
  readonly surroundings: Surroundings;
  readonly scripts: readonly Script[];
};

const HTTPS_PORT = 8443;
// Node does not notice that a client has reset a TLS connection very early: it is closed only after unreadMs.
const TIMES = { sweepMs: 10, silentMs: 10, unreadMs: 1_000 };
const HASTY_IDLE_MS = 60;
const HASTY = { headMs: 40, requestMs: 60, unreadMs: 60, lingerMs: 20 };
// How many replies may wait in the service before it closes a connection at once.
const MAX_BACKLOG = 5_000;
const NARROW = { maxBacklog: 400, maxKeptRequests: 50 };
// Node parses everything that it has read: 64 KiB of requests of 26 bytes.
const MAX_PARSED_BEHIND = 2_600;

/** Makes a sequence. The same seed makes the same sequence. */
export function makeSequence(seed: number): Sequence {
  const random = createRandom(seed);
  const listener = random.pick<Sequence['listener']>(['plain', 'plain', 'TLS', 'TLS', 'redirect']);
  const mayEnd = random.below(5) === 0;
  const isNarrow = !mayEnd && seed % 4 === 2;
  const surroundings = { redirects: listener === 'redirect', drains: random.below(5) === 0, mayEnd, isHasty: random.below(10) === 0, isNarrow, isLarge: seed % 8 === 5 };
  const clients = mayEnd ? 1 : random.pick(isNarrow ? [2, 4, 8] : [1, 1, 1, 2, 4]);
  return { listener, surroundings, scripts: Array.from({ length: clients }, () => makeScript(random, surroundings)) };
}

/** Runs a sequence. Throws when a client has not received the replies that it must get, or when a connection stays open. */
export async function runSequence({ listener, surroundings, scripts }: Sequence, keyPair: KeyPair): Promise<void> {
  const isSecure = listener === 'TLS';
  const service = await openService({
    limits: { ...TIMES, ...(surroundings.isHasty && HASTY), ...(surroundings.isNarrow && NARROW) },
    ...(surroundings.isHasty && { keepAliveTimeoutMs: HASTY_IDLE_MS }),
    observed: true,
    server: (app) => (isSecure ? app.createSecureServer(keyPair) : listener === 'redirect' ? app.createRedirectServer(HTTPS_PORT) : app.createServer()),
  });
  const { app, port, server } = service;
  const parsedRequests = countRequests(server);
  const bytesRead = watchReading(server);
  if (surroundings.drains) app.startDraining();

  function tell(what: 'drain' | 'stop', clientPort: number | undefined, sent: number): boolean | undefined {
    const isAllRead = isSecure ? undefined : bytesRead(clientPort) === sent;
    app.startDraining();
    if (what === 'stop') void app.close();
    return isAllRead;
  }
  try {
    const outcomes = await Promise.all(scripts.map((script) => play(script, dialLine(port, isSecure), tell)));
    await closeInTime(app);
    check(service, surroundings, scripts, outcomes, parsedRequests());
  } finally {
    app.closeAll();
  }
}

/** Closes the service after its clients have disconnected. Throws when a connection stays open. */
async function closeInTime(app: App): Promise<void> {
  const isInTime = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(resolve, HANG_MS, false);
    void app.close().then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
  if (!isInTime) throw new Error(`A connection is still open ${HANG_MS / 1000} s after its client has disconnected.`);
}

function check(service: Service, { isHasty, mayEnd, isNarrow }: Surroundings, scripts: readonly Script[], outcomes: readonly Outcome[], parsedRequests: number): void {
  const { reported, dropped, records } = service;
  const requests = scripts.reduce((sum, { parts, behind }) => sum + parts.length + behind.requests, 0);
  if (requests <= (isNarrow ? NARROW.maxBacklog : MAX_BACKLOG)) assert.deepEqual(dropped, [], 'no connection was dropped');
  const mayBeCut = isHasty || dropped.length > 0;
  const checked = scripts.map((script, i) => {
    const outcome = outcomes[i];
    if (outcome === undefined) throw new Error('A client has no outcome.');
    return checkOutcome(script, outcome, { mayBeCut });
  });
  checkRecords(records, checked);
  const answered = scripts.reduce((sum, { parts, behind }) => sum + parts.length + (behind.isOpaque ? behind.requests : 0), 0);
  if (!mayEnd) assert.ok(parsedRequests <= answered + MAX_PARSED_BEHIND * scripts.length, `${parsedRequests} requests were parsed, of which at most ${answered} are answered`);
  assert.deepEqual(reported, [], 'nothing unexpected happened inside the service');
}

/** Checks that there is one record for each reply, and no other. */
function checkRecords(records: Service['records'], checked: readonly CheckedReplies[]): void {
  if (!checked.every(({ isWhole }) => isWhole)) return;
  const statuses = checked.flatMap(({ replies }) => replies.map(({ status }) => status));
  // A request without a status is one whose connection closed before its reply was made.
  const recorded = records.filter(({ status }) => status !== undefined).map(({ status, aborted }) => (aborted === undefined ? status : `aborted ${status}`));
  assert.deepEqual(recorded.sort(), statuses.sort(), 'each reply has one record');
}

/** Counts the requests that node's parser hands to `server`. */
function countRequests(server: Server): () => number {
  let requests = 0;
  server.on('request', () => {
    requests += 1;
  });
  return () => requests;
}

/** Returns a function for the number of bytes that `server` has read from a client, by its port; undefined: unknown client. */
function watchReading(server: Server): (port: number | undefined) => number | undefined {
  const sockets = new Map<number | undefined, Socket>();
  server.on('connection', (socket: Socket) => sockets.set(socket.remotePort, socket));
  return (port) => sockets.get(port)?.bytesRead;
}

/** The sequence as text, for the report of a failure. */
export function describeSequence({ listener, surroundings, scripts }: Sequence): string {
  const shown = (_name: string, value: unknown) => (typeof value === 'string' && value.length > 400 ? `${value.slice(0, 400)}… (${value.length} bytes)` : value);
  return JSON.stringify({ listener, ...surroundings, steps: scripts.map(({ steps }) => steps) }, shown);
}
