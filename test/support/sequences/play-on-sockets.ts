// Plays a sequence against a service that listens on a real socket.
import { setImmediate as turn } from 'node:timers/promises';
import { answersTo } from './answers.ts';
import type { Outcome } from './invariants.ts';
import { dialLine, type Place } from './line.ts';
import { SocketClient } from './socket-client.ts';
import { isOfClient, type Sequence, type ServiceStep } from './steps.ts';

/** A service, and what can be done with it besides connecting. */
export type Target = {
  readonly place: Place;
  readonly isSecure: boolean;
  /** The address of all clients, as in the records. */
  readonly clientAddress: string | undefined;
  /** Carries out a step. */
  readonly perform: (step: ServiceStep) => void | Promise<void>;
  /** The time of the service, in milliseconds, and some of its limits. */
  readonly nowMs: () => number;
  readonly limits: {
    readonly headMs: number;
    /** After so long it may close a connection, and after so long one whose client has not read the last reply: that is lost then. */
    readonly closeMs: number;
    readonly lingerMs: number;
  };
  /** It may have closed the connection of this client by now, at its stop or for a new one: they are counted as they connect. */
  readonly hasClosed: (client: number) => boolean;
  /** It accepts no more connections. */
  readonly isClosing: () => boolean;
};

/** Plays `sequence`. At its end, all clients read what there is, and end their sides. */
export async function playOnSockets({ steps }: Pick<Sequence, 'steps'>, target: Target): Promise<Outcome[]> {
  const clients = new Map<number, SocketClient>();
  const sentBeforeDrain = new Map<SocketClient, number>();
  const beganAt = target.nowMs();
  let isDraining = false;

  async function connected(number: number): Promise<SocketClient | undefined> {
    const known = clients.get(number);
    if (known !== undefined || target.isClosing()) return known;
    const client = new SocketClient(dialLine(target.place, target.isSecure));
    clients.set(number, client);
    await client.connected();
    return client;
  }

  for (const step of steps) {
    if (isOfClient(step)) await (await connected(step.client))?.perform(step);
    else {
      if (step.kind === 'drain' || step.kind === 'stop') {
        isDraining = true;
        for (const client of clients.values()) if (!sentBeforeDrain.has(client)) sentBeforeDrain.set(client, client.sending.length);
      }
      await target.perform(step);
    }
    for (let turns = 0; turns < step.turns; turns += 1) await turn();
  }
  await Promise.all(Array.from(clients.values(), (client) => client.finish()));
  const lastedMs = target.nowMs() - beganAt;

  return Array.from(clients.values(), (client, i) => {
    const { sending: { parts, length }, replies, rest, error, isEnded } = client;
    const { closeMs, lingerMs } = target.limits;
    const hasStayed = !client.hasLeft && !target.hasClosed(i) && lastedMs <= (client.hasRead ? closeMs : lingerMs);
    if (hasStayed && error !== undefined) throw new Error(`After ${replies.length} replies: ${String(error)}`);
    if (hasStayed && rest.length > 0) throw new Error(`A reply is incomplete: ${rest.toString('latin1')}`);
    const answers = answersTo(parts, replies, (place) => {
      const sent = parts[place];
      const isWhole = sent !== undefined && sent.sent === sent.part.bytes.length;
      const isLate = lastedMs > target.limits.headMs;
      const isBehindDrain = sent !== undefined && sent.from >= (sentBeforeDrain.get(client) ?? 0);
      return {
        isWhole: isWhole && isLate ? undefined : isWhole,
        isDraining: isDraining ? isBehindDrain || undefined : false,
        hasEnded: true,
        isLate,
        hasLeft: true,
      };
    });
    const bytesRead = hasStayed ? length : 0;
    return { address: target.clientAddress, parts, answers, isComplete: hasStayed, bytesRead, hasStayed, hasEnded: true, isEnded };
  });
}
