// Plays a sequence against the real service, whose connections are in memory.
import { Client } from './client.ts';
import { inLoop, moment, now, pass, pending, resetTime, settle, turn, uncaught, type Moment } from './clock.ts';
import type { Outside } from '../../support/sequences/invariants.ts';
import type { Secure } from '../../../src/server/server.ts';
import { makeService, type Code, type Dropped } from '../../support/sequences/service.ts';
import { isOfClient, LIMITS, LONGEST_MS, type Sequence, type Step } from '../../support/sequences/steps.ts';
import { RecordSocket } from './record-socket.ts';
import { setStopped } from './transitions.ts';

/** All that can be known after a sequence. */
export type World = Outside & {
  readonly clients: readonly Client[];
  readonly drainedAt: Moment | undefined;
  readonly stoppedAt: Moment | undefined;
  /** `closeAll`: how many connections it said to have cut, and how many that were at least and at most. */
  readonly cut: { readonly at: Moment; readonly said: number; readonly least: number; readonly most: number } | undefined;
  /** How many connections were open at once, at most, and how many may be. */
  readonly mostOpen: number;
  readonly maxConnections: number;
  readonly turnCost: number;
  /** Connections that were closed for a new one: why, how many the network of each had then, and how many any network had at most. */
  readonly closedForRoom: readonly { readonly client: Client; readonly reason: Dropped; readonly had: number; readonly most: number }[];
  /** New connections that were closed while one of the same network had sent nothing. */
  readonly wronglyFull: readonly Client[];
  /** Timers and immediates that are left, and listeners that are more than before. */
  readonly leftOver: number;
  readonly moreListeners: number;
  /** Everything that could be seen from outside, in order. */
  readonly events: readonly string[];
};

/** Plays `sequence` to its end, against the service that `create` makes. */
export async function play(code: Code, { surroundings, steps }: Sequence): Promise<World> {
  resetTime();
  setStopped(false);
  const listenersBefore = processListeners();
  const events: string[] = [];
  const clients: Client[] = [];
  const byNumber = new Map<number, Client>();
  const held = new Set<Client>(); // whose connections the service counts
  const closedForRoom: World['closedForRoom'][number][] = [];
  const wronglyFull: Client[] = [];
  let drainedAt: Moment | undefined, stoppedAt: Moment | undefined;
  let cut: World['cut'];
  let isStopped = false;
  let mostOpen = 0;

  const note = (text: string) => events.push(`${now()} ${text}`);
  const { app, records, dropped, failures } = await makeService(code, surroundings, note);
  const secure: Secure = (carrier, client, turns) => {
    const valve = new code.Valve(carrier, client, turns);
    const socket = new RecordSocket(valve, () => { valve.isReady = true; });
    const own = clients.find(({ end }) => Object.is(end, carrier));
    socket.once('close', () => { if (own !== undefined) held.delete(own); });
    return { socket, below: valve };
  };
  // It does not listen: it gets its connections from here.
  const server = surroundings.isSecure ? app.createSecureServer(secure) : app.createServer();

  function connected(number: number): Client | undefined {
    const known = byNumber.get(number);
    if (known !== undefined || stoppedAt !== undefined) return known;
    const client = new Client(number, surroundings, note);
    byNumber.set(number, client);
    clients.push(client);
    held.add(client);
    if (!surroundings.isSecure) client.end.once('close', () => held.delete(client));
    const { length } = dropped;
    const open = Array.from(held).filter(({ end }) => !end.destroyed);
    const had = ({ network }: Client) => Array.from(held).filter((other) => other.network === network).length;
    const most = Math.max(...Array.from(held, had));
    const before = moment().order;
    server.emit('connection', client.end);
    if (dropped.length > length) {
      const closed = open.find(({ end, notifiedAt }) => end.destroyed || (notifiedAt?.order ?? 0) > before);
      const isUnused = (other: Client) => !other.isSecure && other !== client && other.network === client.network && other.sending.length === 0 && other.leftAt === undefined && other.endedAt === undefined;
      if (dropped.at(-1) === 'newRefused' && open.some(isUnused)) wronglyFull.push(client);
      if (closed !== undefined) closedForRoom.push({ client: closed, reason: dropped.at(-1) ?? 'newRefused', had: had(closed), most });
      held.delete(closed ?? Array.from(held).findLast(({ end }) => end.destroyed) ?? client); // the new one, or one that had closed already
    }
    const isGone = (one: Client) => one.end.destroyed || (one.notifiedAt !== undefined && closedForRoom.some((closed) => closed.client === one));
    mostOpen = Math.max(mostOpen, clients.filter((one) => !isGone(one)).length);
    return client;
  }

  function stop(): void {
    drainedAt ??= moment();
    app.startDraining();
    if (stoppedAt !== undefined) return;
    stoppedAt = moment();
    setStopped(true);
    void app.close().then(() => {
      isStopped = true;
    });
  }

  function cutAll(): void {
    if (stoppedAt === undefined || cut !== undefined) return;
    const at = moment();
    const waiting = clients.filter((client) => (client.writes.at(-1)?.to ?? 0) > client.taken);
    const least = waiting.filter(({ end }) => !end.destroyed).length;
    // Whose request has not been answered, or not to its end. The event `close` of a socket comes a turn after it has closed.
    // Over TLS the service hears a turn later that the kernel has taken a reply.
    const isUnheard = ({ isSecure, writes }: Client) => isSecure && at.turn - (writes.at(-1)?.takenAt?.turn ?? -Infinity) <= 1;
    const owed = clients.filter((client) => client.sending.parts.length > client.writes.length || waiting.includes(client) || isUnheard(client));
    const most = owed.filter(({ serviceClosedAt }) => serviceClosedAt === undefined || at.turn - serviceClosedAt.turn <= 1).length;
    cut = { at, least, most, said: app.closeAll() };
  }

  function perform(step: Step): void {
    note(`${step.kind}${'client' in step ? ` ${step.client}` : ''}`);
    if (isOfClient(step)) return act(step, connected(step.client));
    if (step.kind === 'drain') {
      drainedAt ??= moment();
      app.startDraining();
    } else if (step.kind === 'stop') stop();
    else if (step.kind === 'cut') cutAll();
  }

  const allClosed = () => clients.every(({ end }) => end.destroyed);

  for (const step of steps) {
    await inLoop(() => perform(step));
    const before = events.length;
    if (step.kind === 'wait') await settle();
    if (step.kind === 'pass') await pass(step.ms);
    if (step.kind === 'next limit') await pass(LIMITS.idleMs + 2 * LIMITS.sweepMs, () => events.length > before);
    for (let turns = 0; turns < step.turns; turns += 1) await turn();
  }
  note('quiet');
  await pass(LONGEST_MS, allClosed);
  const wereAllClosed = allClosed();
  await inLoop(stop);
  await pass(LIMITS.silentMs);
  return {
    clients, records, errors: [...failures, ...uncaught()], drainedAt, stoppedAt, cut,
    mostOpen, maxConnections: surroundings.maxConnections, turnCost: surroundings.turnCost, closedForRoom, wronglyFull, allClosed: wereAllClosed,
    isStopped, leftOver: pending(), moreListeners: processListeners() - listenersBefore, events,
  };
}

function act(step: Extract<Step, { client: number }>, client: Client | undefined): void {
  switch (step.kind) {
    case 'send': return client?.send(step.parts, step.held, step.pieces);
    case 'more': return client?.more(step.bytes, step.pieces);
    case 'read': return client?.read(true);
    case 'stop reading': return client?.read(false);
    case 'read some': return client?.end.readSome(step.bytes);
    case 'wait': return;
    case 'end': return client?.endSide();
    case 'close':
    case 'reset': return client?.leave(step.kind);
  }
}

const processListeners = () => process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
