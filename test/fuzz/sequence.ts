// A service of its own, and one to four clients that follow a script each.
import assert from 'node:assert/strict';
import type { Server, Socket } from 'node:net';
import type { App } from '../../src/app.ts';
import { createRandom } from '../support/random.ts';
import { openService, type Service } from '../support/service.ts';
import { judge, type Verdict } from './judge.ts';
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
// Node keeps a TLS connection whose client resets it in its first moment until a reply waits for too long.
const TIMES = { sweepMs: 10, silentMs: 10, unreadMs: 1_000 };
const HASTY_IDLE_MS = 60;
const HASTY = { headMs: 40, requestMs: 60, unreadMs: 60, lingerMs: 20 };
const MAX_BACKLOG = 5_000; // replies that wait, in the whole service, before a connection is cut
// What node has read already it parses to its end: 64 KiB, in requests of 26 bytes.
const MAX_PARSED_BEHIND = 2_600;

/** The sequence that follows from `seed`. */
export function makeSequence(seed: number): Sequence {
  const random = createRandom(seed);
  const listener = random.pick<Sequence['listener']>(['plain', 'plain', 'TLS', 'TLS', 'redirect']);
  const mayEnd = random.below(5) === 0;
  const surroundings = { redirects: listener === 'redirect', drains: random.below(5) === 0, mayEnd, isHasty: random.below(10) === 0 };
  const clients = mayEnd ? 1 : random.pick([1, 1, 1, 2, 4]);
  return { listener, surroundings, scripts: Array.from({ length: clients }, () => makeScript(random, surroundings)) };
}

/** Runs it to its end; throws when a client was not given what it is owed, or something is left. */
export async function runSequence({ listener, surroundings, scripts }: Sequence, keyPair: KeyPair): Promise<void> {
  const isSecure = listener === 'TLS';
  const service = await openService({
    limits: { ...TIMES, ...(surroundings.isHasty && HASTY) },
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
    app.cut();
  }
}

/** Closes the service, whose clients have left; throws when a connection stays. */
async function closeInTime(app: App): Promise<void> {
  const isInTime = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(resolve, HANG_MS, false);
    void app.close().then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
  if (!isInTime) throw new Error(`A connection stays ${HANG_MS / 1000} s after its client has left.`);
}

function check(service: Service, { isHasty, mayEnd }: Surroundings, scripts: readonly Script[], outcomes: readonly Outcome[], parsedRequests: number): void {
  const { reported, dropped, records } = service;
  const requests = scripts.reduce((sum, { parts, behind }) => sum + parts.length + behind.requests, 0);
  if (requests <= MAX_BACKLOG) assert.deepEqual(dropped, [], 'no connection was dropped');
  const mayBeCut = isHasty || dropped.length > 0;
  const verdicts = scripts.map((script, i) => {
    const outcome = outcomes[i];
    if (outcome === undefined) throw new Error('A client has no outcome.');
    return judge(script, outcome, { mayBeCut });
  });
  checkRecords(records, verdicts);
  const answered = scripts.reduce((sum, { parts, behind }) => sum + parts.length + (behind.isOpaque ? behind.requests : 0), 0);
  if (!mayEnd) assert.ok(parsedRequests <= answered + MAX_PARSED_BEHIND * scripts.length, `${parsedRequests} requests were parsed, of which at most ${answered} are answered`);
  assert.deepEqual(reported, [], 'nothing unexpected happened inside the service');
}

/** One record for each reply, and none for anything else. */
function checkRecords(records: Service['records'], verdicts: readonly Verdict[]): void {
  if (!verdicts.every(({ isWhole }) => isWhole)) return;
  const statuses = verdicts.flatMap(({ replies }) => replies.map(({ status }) => status));
  const recorded = records.map(({ status, aborted }) => (aborted === undefined ? status : `aborted ${status}`));
  assert.deepEqual(recorded.sort(), statuses.sort(), 'each reply has its record');
}

/** Counts the requests that node's parser hands to `server`. */
function countRequests(server: Server): () => number {
  let requests = 0;
  server.on('request', () => {
    requests += 1;
  });
  return () => requests;
}

/** Tells how many bytes `server` has read from the client at a port; undefined: it has not seen that client. */
function watchReading(server: Server): (port: number | undefined) => number | undefined {
  const sockets = new Map<number | undefined, Socket>();
  server.on('connection', (socket: Socket) => sockets.set(socket.remotePort, socket));
  return (port) => sockets.get(port)?.bytesRead;
}

/** The sequence in words, for a person who looks for the mistake. */
export function describeSequence({ listener, surroundings, scripts }: Sequence): string {
  const shown = (_name: string, value: unknown) => (typeof value === 'string' && value.length > 400 ? `${value.slice(0, 400)}… (${value.length} bytes)` : value);
  return JSON.stringify({ listener, ...surroundings, steps: scripts.map(({ steps }) => steps) }, shown);
}
