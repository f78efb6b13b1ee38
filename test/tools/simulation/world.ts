// Plays a sequence against the real service, whose connections are in memory. Checks what must hold of all clients together.
import assert from 'node:assert/strict';
import type { DropReason } from '../../../src/server/interface.ts';
import { Client } from './client.ts';
import { inLoop, isAfter, moment, now, pass, pending, reach, resetTime, iteration, type Moment } from './clock.ts';
import { makeService, type Code } from './service.ts';
import { LIMITS, LONGEST_MS, type Sequence, type Step } from './steps.ts';

/** What is known after a sequence, beside what each client knows. */
export type World = Awaited<ReturnType<typeof play>>;

const PIECE_COST = 512; // of a piece, with no byte

/** Plays a sequence to its end, against the service of `code`. `tell` is told all that can be seen from outside, in order. */
export async function play(code: Code, { surroundings, steps }: Sequence, tell: (event: string) => void) {
  resetTime();
  const { maxConnections, turnCost, isSecure } = surroundings;
  const clients: Client[] = [];
  const closedForRoom = new Map<Client, DropReason>(); // closed for a new connection, and why
  let drainedAt: Moment | undefined, stoppedAt: Moment | undefined, cutAt: Moment | undefined;
  let isStopped = false;

  const note = (text: string) => tell(`${now()} ${text}`);
  const { app, records, dropped, failures } = await makeService(code, surroundings, note);
  // It gets its connections from here, as long as it would listen.
  const server = await (isSecure ? app.createHttpsListener({}) : app.createHttpListener());
  let isListening = true;
  server.once('close', () => { isListening = false; });

  function connected(number: number): Client | undefined {
    const known = clients.find((client) => client.number === number);
    return known ?? (isListening ? connect(new Client(number, surroundings, note)) : undefined);
  }

  function connect(client: Client): Client {
    assert.equal(cutAt, undefined, 'a connection is accepted after the cut');
    clients.push(client);
    const isOpen = (one: Client) => !one.end.destroyed && !(one.notice !== undefined && closedForRoom.has(one));
    const [open, count, before] = [clients.filter(isOpen), dropped.length, moment()];
    server.emit('connection', client.end);
    const reason = dropped[count];
    const closed = open.find(({ end, notice }) => end.destroyed || isAfter(notice?.at, before)); // none: one that had closed already
    if (reason !== undefined && closed !== undefined) closedForRoom.set(closed, reason);
    assert.ok(clients.filter(isOpen).length <= maxConnections, 'too many are open at once');
    return client;
  }

  function drain(): void {
    drainedAt ??= moment();
    app.startDraining();
  }

  function stop(): void {
    drain();
    if (stoppedAt !== undefined) return;
    stoppedAt = moment();
    void app.close().then(() => { isStopped = true; });
  }

  function cut(): void {
    if (stoppedAt === undefined) return;
    cutAt ??= moment();
    app.closeAll();
  }

  function perform(step: Step): void {
    note(`${step.kind}${'client' in step ? ` ${step.client}` : ''}`);
    if ('client' in step) connected(step.client)?.perform(step);
    else if (step.kind === 'drain') drain();
    else if (step.kind === 'stop') stop();
    else if (step.kind === 'cut') cut();
  }

  for (const step of steps) {
    await inLoop(() => perform(step));
    if (step.kind === 'pass') await pass(step.ms);
    if (step.kind === 'reach') await reach(step.ms);
    for (let i = 0; i < step.iterations; i += 1) await iteration();
  }
  note('quiet');
  const allClosed = () => clients.every(({ end }) => end.destroyed);
  await pass(LONGEST_MS, allClosed);
  assert.ok(allClosed(), 'connections stay open');
  await inLoop(stop);
  await pass(LIMITS.closeIdleMs);
  assert.ok(isStopped, 'close() does not resolve');
  assert.equal(pending(), 0, 'timers or immediates are left');
  assert.deepEqual(failures, []);
  // In an iteration of the event loop, all clients together get as many replies as the budgets of it and of the previous one allow.
  const replies = new Map<number, number>();
  for (const { at } of clients.flatMap(({ writes }) => writes)) replies.set(at.iteration, (replies.get(at.iteration) ?? 0) + 1);
  assert.ok(Math.max(0, ...replies.values()) <= 2 * Math.ceil(turnCost / PIECE_COST), 'too many replies at once');
  return { clients, records, drainedAt, stoppedAt, cutAt, closedForRoom };
}
