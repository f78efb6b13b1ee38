// Plays a sequence of clients against a service on a real socket, in real time.
import { setImmediate as iteration, setTimeout as delay } from 'node:timers/promises';
import { TIME_LIMITS } from '../../../src/http/limits.ts';
import { OF_CLIENT, type Known } from './invariants.ts';
import { isWhole, type SentPart } from './part.ts';
import { SocketClient, type Place } from './socket-client.ts';
import { isOfClient, type Step } from './steps.ts';

const IDLE_MS = 60_000; // after this long the service may close a connection that is idle

/**
 * Plays `steps`: those of clients, and those in which time passes. At their end, all clients read what there is, and end their sides.
 * Throws what does not hold then. Returns how many replies there were.
 */
export async function playOnSockets(steps: readonly Step[], place: Place, isSecure: boolean): Promise<number> {
  const clients = new Map<number, SocketClient>();
  const beganAt = performance.now();

  function clientOf(number: number): SocketClient {
    const client = clients.get(number) ?? new SocketClient(place, isSecure);
    clients.set(number, client);
    return client;
  }

  for (const step of steps) {
    if (isOfClient(step)) await clientOf(step.client).perform(step);
    else if (step.kind === 'pass') await delay(step.ms);
    for (let i = 0; i < step.iterations; i += 1) await iteration();
  }
  await Promise.all(Array.from(clients.values(), (client) => client.finish()));
  const lastedMs = performance.now() - beganAt;
  const isLate = lastedMs > TIME_LIMITS.headMs;
  const known = (sent: SentPart): Known =>
    ({ isWhole: isWhole(sent) && isLate ? undefined : isWhole(sent), isDraining: false, hasEnded: true, isLate });

  let count = 0;
  for (const { sending: { parts, length }, replies, rest, error, isEnded, hasLeft, hasRead } of clients.values()) {
    const hasStayed = !hasLeft && lastedMs <= (hasRead ? IDLE_MS : TIME_LIMITS.lingerMs); // what is not read by then may be lost
    if (hasStayed && error !== undefined) throw new Error(`After ${replies.length} replies: ${String(error)}`);
    if (hasStayed && rest.length > 0) throw new Error(`A reply is incomplete: ${rest.toString('latin1')}`);
    const outcome = { parts, replies, known, bytesRead: hasStayed ? length : 0, hasStayed, hasEnded: true, isEnded };
    for (const holds of OF_CLIENT) holds(outcome);
    count += replies.length;
  }
  return count;
}
