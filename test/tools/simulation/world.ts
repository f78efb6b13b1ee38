// Plays a sequence against the real service, whose connections are in memory. Checks what must hold of all clients together.
import assert from 'node:assert/strict';
import type { Duplex } from 'node:stream';
import type { OpenTransport } from '../../../src/transport/transport.ts';
import { makeService, type Code, type Dropped } from './service.ts';
import { isOfClient, LIMITS, LONGEST_MS, type Sequence, type Step } from '../../support/sequences/steps.ts';
import { Client } from './client.ts';
import { inLoop, isAfter, moment, now, pass, pending, resetTime, settle, iteration, type Moment } from './clock.ts';
import { RecordSocket } from './record-socket.ts';

/** What is known after a sequence, beside what each client knows. */
export type World = Awaited<ReturnType<typeof play>>;

const PIECE_COST = 512; // of a piece, with no byte

/** Plays a sequence to its end, against the service of `code`. `tell` is told all that can be seen from outside, in order. */
export async function play(code: Code, { surroundings, steps }: Sequence, tell: (event: string) => void) {
  resetTime();
  const { maxConnections, turnCost, isSecure } = surroundings;
  const listenersBefore = processListeners();
  const clients: Client[] = [];
  const held = new Set<Duplex>(); // the ends of the connections that the service counts
  const closedForRoom = new Map<Client, Dropped>(); // closed for a new connection, and why
  let drainedAt: Moment | undefined, stoppedAt: Moment | undefined, cutAt: Moment | undefined;
  let isStopped = false;

  const note = (text: string) => tell(`${now()} ${text}`);
  const openSecure: OpenTransport = (carrier, ...others) =>
    code.openTls((valve) => new RecordSocket(valve).once('close', () => held.delete(carrier)), carrier, ...others);
  const { app, records, dropped, failures } = await makeService(code, surroundings, openSecure, note);
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
    const { end } = client;
    clients.push(client);
    held.add(end);
    if (!isSecure) end.once('close', () => held.delete(end));
    const counted = clients.filter((one) => held.has(one.end));
    const had = (network: string) => counted.filter((one) => one.network === network).length;
    const open = counted.filter((one) => !one.end.destroyed);
    const [{ length }, before] = [dropped, moment()];
    server.emit('connection', end);
    const [reason] = dropped.slice(length);
    if (reason !== undefined) {
      const closed = open.find((one) => one.end.destroyed || isAfter(one.notice?.at, before));
      const { end: gone } = closed ?? counted.findLast((one) => one.end.destroyed) ?? client; // the new one, or one that had closed already
      held.delete(gone);
      if (closed !== undefined) {
        closedForRoom.set(closed, reason);
        assert.ok(counted.every(({ network }) => had(network) <= had(closed.network)), 'one is closed though another network has more');
      }
    }
    const isOpen = (one: Client) => !one.end.destroyed && !(one.notice !== undefined && closedForRoom.has(one));
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
    if (stoppedAt === undefined || cutAt !== undefined) return;
    const at = cutAt = moment();
    // The event `close` of a socket comes an iteration later, and over TLS so does the news that the kernel has taken a reply.
    const isOld = (one: Moment | undefined) => one !== undefined && at.iteration - one.iteration > 1;
    const isOwed = ({ sending, writes, end }: Client) =>
      !isOld(end.closedAt) && sending.parts.length > writes.filter(({ takenAt }) => isOld(takenAt)).length;
    const most = clients.filter(isOwed).length;
    assert.ok(app.closeAll() <= most, 'it counts more connections as cut than owe a reply');
  }

  function perform(step: Step): void {
    note(`${step.kind}${'client' in step ? ` ${step.client}` : ''}`);
    if (isOfClient(step)) connected(step.client)?.perform(step);
    else if (step.kind === 'drain') drain();
    else if (step.kind === 'stop') stop();
    else if (step.kind === 'cut') cut();
  }

  for (const step of steps) {
    await inLoop(() => perform(step));
    if (step.kind === 'wait') await settle();
    if (step.kind === 'pass') await pass(step.ms);
    for (let i = 0; i < step.iterations; i += 1) await iteration();
  }
  note('quiet');
  const allClosed = () => clients.every(({ end }) => end.destroyed);
  await pass(LONGEST_MS, allClosed);
  assert.ok(allClosed(), 'connections stay open');
  await inLoop(stop);
  await pass(LIMITS.silentMs);
  assert.ok(isStopped, 'close() does not resolve');
  assert.equal(pending() + processListeners(), listenersBefore, 'timers, immediates or listeners are left');
  assert.deepEqual(failures, []);
  // In an iteration of the event loop, all clients together get as many replies as the budgets of it and of the previous one allow.
  const replies = new Map<number, number>();
  for (const { at } of clients.flatMap(({ writes }) => writes)) replies.set(at.iteration, (replies.get(at.iteration) ?? 0) + 1);
  assert.ok(Math.max(0, ...replies.values()) <= 2 * Math.ceil(turnCost / PIECE_COST), 'too many replies at once');
  return { clients, records, drainedAt, stoppedAt, cutAt, closedForRoom };
}

const processListeners = () => process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
