// Plays a sequence against the real service, whose connections are in memory.
import type { OpenTransport } from '../../../src/transport/transport.ts';
import { makeService, type Code, type Dropped } from './service.ts';
import { isOfClient, LIMITS, LONGEST_MS, type Sequence, type Step } from '../../support/sequences/steps.ts';
import { Client } from './client.ts';
import { inLoop, moment, now, pass, pending, resetTime, settle, iteration, uncaught, type Moment } from './clock.ts';
import { RecordSocket } from './record-socket.ts';

/** All that can be known after a sequence. */
export type World = Awaited<ReturnType<typeof play>>;

/** A connection that was closed for a new one: why, how many its network had then, and how many any network had at most. */
type ClosedForRoom = { readonly client: Client; readonly reason: Dropped; readonly had: number; readonly most: number };

/** `closeAll`: how many connections it said to have cut, and how many that were at most. */
type Cut = { readonly at: Moment; readonly said: number; readonly most: number };

/** Plays `sequence` to its end, against the service of `code`. */
export async function play(code: Code, { surroundings, steps }: Sequence) {
  resetTime();
  const { maxConnections, turnCost, isSecure } = surroundings;
  const listenersBefore = processListeners();
  const events: string[] = [];
  const clients: Client[] = [];
  const held = new Set<Client>(); // whose connections the service counts
  const closedForRoom: ClosedForRoom[] = [];
  let drainedAt: Moment | undefined, stoppedAt: Moment | undefined;
  let cut: Cut | undefined;
  let isStopped = false;
  let mostOpen = 0;

  const note = (text: string) => events.push(`${now()} ${text}`);
  const openSecure: OpenTransport = (carrier, ...others) => code.openTls((valve) => {
    const socket = new RecordSocket(valve);
    const own = clients.find(({ end }) => Object.is(end, carrier));
    return socket.once('close', () => { if (own !== undefined) held.delete(own); });
  }, carrier, ...others);
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
    clients.push(client);
    held.add(client);
    if (!isSecure) client.end.once('close', () => held.delete(client));
    const open = Array.from(held).filter(({ end }) => !end.destroyed);
    const had = ({ network }: Client) => Array.from(held).filter((other) => other.network === network).length;
    const most = Math.max(...Array.from(held, had));
    const { length } = dropped;
    const before = moment().order;
    server.emit('connection', client.end);
    const [reason] = dropped.slice(length);
    if (reason !== undefined) {
      const closed = open.find(({ end, notice }) => end.destroyed || (notice?.at.order ?? 0) > before);
      if (closed !== undefined) closedForRoom.push({ client: closed, reason, had: had(closed), most });
      held.delete(closed ?? Array.from(held).findLast(({ end }) => end.destroyed) ?? client); // the new one, or one that had closed already
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
    // Whose request has not been answered, or not to its end. The event `close` of a socket comes an iteration after it has closed.
    // Over TLS the service hears an iteration later that the kernel has taken a reply.
    const isUnheard = ({ writes }: Client) => isSecure && at.iteration - (writes.at(-1)?.takenAt?.iteration ?? -Infinity) <= 1;
    const isOwed = (client: Client) => client.sending.parts.length > client.writes.length
      || (client.writes.at(-1)?.to ?? 0) > client.end.taken || isUnheard(client);
    const isThere = ({ end: { closedAt } }: Client) => closedAt === undefined || at.iteration - closedAt.iteration <= 1;
    cut = { at, most: clients.filter((client) => isOwed(client) && isThere(client)).length, said: app.closeAll() };
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
