// One round: a service, its clients, its end, and what was not as it must be.
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { SecureContextOptions } from 'node:tls';
import { exchangeOn, requestBytes } from '../../support/exchange.ts';
import { converse, Received } from './client.ts';
import { planRound } from './generate.ts';
import { faultsIn } from './model.ts';
import { startService } from './server.ts';

const TICK_MS = 100;
const STUCK_TICKS = 50; // in which nothing happens, though this process runs: so it is not the machine that is slow

/** Runs the round for this seed, with Unix sockets in `folder`. Returns what was not as it must be. */
export async function runRound(seed: number, folder: string, tls: SecureContextOptions) {
  const plan = planRound(seed);
  const pairs = plan.connections.map((connection) => [connection, new Received()] as const);
  const shared = { session: undefined, sockets: new Array<Socket>() };
  const faults: string[] = [];
  let [events, honest, areClientsDone] = [0, 0, false];
  let cutting: NodeJS.Timeout | undefined;
  const service = await startService(plan, folder, tls, touch);
  const { state, objects } = service;
  const addressFrom = (from: string) => service.addressOf({ over: 'TCP', takesOver: undefined, from });

  function touch(): void {
    events += 1;
    if (events !== plan.stopAfter || areClientsDone) return;
    state.isStopping = true;
    void service.stop();
    if (plan.cutMs < Infinity) cutting = setTimeout(service.cut, plan.cutMs);
  }

  // Resolves when this has ended. Rejects if it never will, because nothing happens any more.
  async function endOf(what: string, promise: Promise<unknown>): Promise<void> {
    let isOver = false;
    const over = promise.then(() => { isOver = true; });
    for (let [ticks, before] = [0, events]; !isOver; ticks = events === before ? ticks + 1 : 0) {
      if (ticks === STUCK_TICKS) throw new Error(`${what}: nothing happens any more`);
      before = events;
      await Promise.race([over, delay(TICK_MS)]);
    }
  }

  async function until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await delay(TICK_MS / 10);
  }

  // One request after the other, each on a connection of its own.
  async function beHonest(): Promise<void> {
    const isServing = () => !areClientsDone && !state.isStopping;
    for (; isServing(); honest += 1) {
      const socket = connect(addressFrom('127.0.0.1'));
      const [reply] = await exchangeOn(socket, requestBytes('GET', '/honest')).catch(() => []);
      if (reply?.status !== 204 && isServing()) return void faults.push('the honest client got no reply');
      await delay(1);
    }
  }

  // A room in which nothing is left holds as many connections of a client as at first. What they send lets go of the
  // last reader that has stopped (reader.ts): it keeps its connection, and perhaps a request.
  async function fillRoom(): Promise<void> {
    const to = addressFrom('127.0.1.1');
    const sockets = Array.from({ length: plan.maxConnections }, () => connect(to).on('error', () => {}));
    await endOf('a full room', until(() => service.busy() === plan.maxConnections));
    for (const socket of sockets) socket.end('\r\n');
  }

  async function forget(most: number): Promise<void> {
    for (let left = objects.length; left > most; left = objects.filter((one) => one.deref() !== undefined).length) {
      await delay(TICK_MS); // because what was looked at stays until then
      globalThis.gc?.();
    }
  }

  async function run(): Promise<void> {
    const ofHonest = beHonest();
    await endOf('the clients', Promise.all(pairs.map(async ([connection, received]) =>
      converse(connection, service.addressOf(connection), shared, received, touch))));
    areClientsDone = true;
    await endOf('the honest client', ofHonest);
    service.release();
    await endOf('what is open or runs', until(() => service.busy() === 0));
    clearTimeout(cutting);
    for (const socket of shared.sockets) socket.destroy();
    if (!service.hasAllSeats()) faults.push('not all seats are free, or too many');
    if (!state.isStopping) await fillRoom();
    await endOf('the stop', service.stop());
    await endOf('what is remembered', forget(state.isStopping ? 2 : 0));
  }

  await run().catch((error: unknown) => faults.push(String(error)));
  const replies = pairs.flatMap(([, { replies }]) => replies).length;
  return { faults: [...faults, ...service.faults, ...faultsIn(pairs, { ...service, ...state })], replies, honest };
}
