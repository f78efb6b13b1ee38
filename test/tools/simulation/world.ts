// Plays a sequence against the real service, whose connections are in memory.
import type { Duplex } from 'node:stream';
import type { OpenTransport } from '../../../src/transport/transport.ts';
import { makeService, type Code, type Dropped } from './service.ts';
import { isOfClient, LIMITS, LONGEST_MS, type Sequence, type Step } from '../../support/sequences/steps.ts';
import { Client } from './client.ts';
import { inLoop, moment, now, pass, pending, resetTime, settle, iteration, uncaught, type Moment } from './clock.ts';
import { RecordSocket } from './record-socket.ts';
import { isAfter } from './served.ts';

/** All that can be known after a sequence. */
export type World = Awaited<ReturnType<typeof play>>;

/** A connection that was closed for a new one, and why. `isFair`: no other network had more. */
type ClosedForRoom = { readonly client: Client; readonly reason: Dropped; readonly isFair: boolean };

/** `closeAll`: how many connections it said to have cut, and how many that were at most. */
type Cut = { readonly at: Moment; readonly said: number; readonly most: number };

/** Plays `sequence` to its end, against the service of `code`. */
export async function play(code: Code, { surroundings, steps }: Sequence) {
  resetTime();
  const { maxConnections, turnCost, isSecure } = surroundings;
  const listenersBefore = processListeners();
  const events: string[] = [];
  const clients: Client[] = [];
  const held = new Set<Duplex>(); // the ends of the connections that the service counts
  const closedForRoom: ClosedForRoom[] = [];
  let drainedAt: Moment | undefined, stoppedAt: Moment | undefined;
  let cut: Cut | undefined;
  let isStopped = false;
  let mostOpen = 0;

  const note = (text: string) => events.push(`${now()} ${text}`);
  const openSecure: OpenTransport = (carrier, ...others) =>
    code.openTls((valve) => new RecordSocket(valve).once('close', () => held.delete(carrier)), carrier, ...others);
  const { app, records, dropped, failures } = await makeService(code, surroundings, openSecure, note);
  // It gets its connections from here, as long as it would listen.
  const server = await (isSecure ? app.createSecureServer({}) : app.createServer());
  let isListening = true;
  server.once('close', () => { isListening = false; });

  function connected(number: number): Client | undefined {
    const known = clients.find((client) => client.number === number);
    return known ?? (isListening ? connect(new Client(number, surroundings, note)) : undefined);
  }

  function connect(client: Client): Client {
    const { end } = client;
    clients.push(client);
    held.add(end);
    if (!isSecure) end.once('close', () => held.delete(end));
    const counted = clients.filter((one) => held.has(one.end));
    const had = (network: string) => counted.filter((one) => one.network === network).length;
    const most = Math.max(...counted.map(({ network }) => had(network)));
    const open = counted.filter((one) => !one.end.destroyed);
    const [{ length }, before] = [dropped, moment()];
    server.emit('connection', end);
    const [reason] = dropped.slice(length);
    if (reason !== undefined) {
      const closed = open.find((one) => one.end.destroyed || isAfter(one.notice?.at, before));
      if (closed !== undefined) closedForRoom.push({ client: closed, reason, isFair: had(closed.network) === most });
      const { end: gone } = closed ?? counted.findLast((one) => one.end.destroyed) ?? client; // the new one, or one that had closed already
      held.delete(gone);
    }
    const isClosing = (one: Client) => one.notice !== undefined && closedForRoom.some((closed) => closed.client === one);
    mostOpen = Math.max(mostOpen, clients.filter((one) => !one.end.destroyed && !isClosing(one)).length);
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

  function cutAll(): void {
    if (stoppedAt === undefined || cut !== undefined) return;
    const at = moment();
    // The event `close` of a socket comes an iteration later, and over TLS so does the news that the kernel has taken a reply.
    const isOld = (one: Moment | undefined) => one !== undefined && at.iteration - one.iteration > 1;
    const isOwed = ({ sending, writes, end }: Client) =>
      !isOld(end.closedAt) && sending.parts.length > writes.filter(({ takenAt }) => isOld(takenAt)).length;
    cut = { at, most: clients.filter(isOwed).length, said: app.closeAll() };
  }

  function perform(step: Step): void {
    note(`${step.kind}${'client' in step ? ` ${step.client}` : ''}`);
    if (isOfClient(step)) connected(step.client)?.perform(step);
    else if (step.kind === 'drain') drain();
    else if (step.kind === 'stop') stop();
    else if (step.kind === 'cut') cutAll();
  }

  const allClosed = () => clients.every(({ end }) => end.destroyed);

  for (const step of steps) {
    await inLoop(() => perform(step));
    if (step.kind === 'wait') await settle();
    if (step.kind === 'pass') await pass(step.ms);
    for (let i = 0; i < step.iterations; i += 1) await iteration();
  }
  note('quiet');
  await pass(LONGEST_MS, allClosed);
  const wereAllClosed = allClosed();
  await inLoop(stop);
  await pass(LIMITS.silentMs);
  return {
    clients, records, errors: [...failures, ...uncaught()], allClosed: wereAllClosed, isStopped, drainedAt, stoppedAt, cut, turnCost,
    mostOpen, maxConnections, // how many connections were open at once, at most, and how many may be
    closedForRoom,
    leftOver: pending() + processListeners() - listenersBefore, // timers, immediates and listeners
    events, // everything that could be seen from outside, in order
  };
}

const processListeners = () => process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
