// A server: a listener, and its connections. How many there may be, how long each may last, and how they are closed.
import net, { type Socket } from 'node:net';
import type { ServerContext } from './answer.ts';
import { clientOf } from './client.ts';
import { Connection, type Transport } from './connection.ts';
import { LIMITS, type Limits } from './limits.ts';
import { reportSafely } from './reports.ts';
import { createResponder } from './responder.ts';
import { chooseVictim, type Group } from './room.ts';
import { Turns } from './turns.ts';

export type ServerOptions = Omit<ServerContext, 'limits' | 'responder' | 'discardTurns'> & {
  readonly maxConnections: number; // how many connections may be open at once
  readonly keepAliveTimeoutMs: number; // how long a connection may be idle, in milliseconds
  readonly limits?: Partial<Limits>; // limits that tests override
};

export type Server = ReturnType<typeof createServer>;

/** Puts TLS on an accepted socket, which comes from `client`. */
export type Secure = (carrier: Socket, client: string, turns: Turns) => Transport;

const NOTHING_BELOW = { isReady: true, isBroken: false, intake: { isHolding: () => false, hasStalled: () => false } };

/** A server that does not listen yet: `listener` listens when it is told to. `secure` puts TLS on its connections. */
export function createServer(options: ServerOptions, secure: Secure = (socket) => ({ socket, below: NOTHING_BELOW })) {
  const { turns, maxConnections, reports } = options;
  const limits = { ...LIMITS, idleMs: options.keepAliveTimeoutMs, ...options.limits };
  // With a budget of 1, one task is carried out each time.
  const discardTurns = new Turns(1, (run) => setTimeout(run, limits.discardMs).unref());
  const responder = createResponder();
  const context: ServerContext = { ...options, limits, responder, discardTurns };
  // Half open: a client may end its side and still read. A paused socket takes at most one more read, because `highWaterMark` is 0.
  const listener = net.createServer({ allowHalfOpen: true, noDelay: true, highWaterMark: 0 }, accept);
  const timer = setInterval(sweep, limits.sweepMs).unref();
  const all = new Map<Connection, Group>();
  const groups = new Map<string, Group>(); // by client
  let hasAccepted: boolean; // since the latest call of `stopWhenNoneWaits`
  let hasStoppedListening = false;
  let isClosing = false;
  let resolveEnded: () => void;
  const ended = new Promise<void>((resolve) => { resolveEnded = resolve; });

  function accept(carrier: Socket): void {
    hasAccepted = true;
    const client = clientOf(carrier.remoteAddress);
    if (all.size >= maxConnections && !makeRoom(client)) { carrier.destroy(); return; }
    const transport = secure(carrier, client, turns);
    const connection = new Connection(transport, carrier.remoteAddress, client, context);
    const group = groups.get(client) ?? { size: 0 };
    groups.set(client, group);
    group.size += 1;
    all.set(connection, group);
    transport.socket.once('close', () => { remove(connection); endIfEmpty(); });
  }

  // `maxConnections` are open: one connection is closed for the new one of this client, or the new one is refused.
  function makeRoom(client: string): boolean {
    const victim = chooseVictim(all, groups.get(client));
    reportSafely(reports, ({ dropped }) => dropped(victim?.reason ?? 'newRefused'));
    if (victim !== undefined) {
      remove(victim.connection);
      victim.connection.cut();
    }
    return victim !== undefined;
  }

  function remove(connection: Connection): void {
    const group = all.get(connection);
    all.delete(connection);
    if (group === undefined) return;
    group.size -= 1;
    if (group.size === 0) groups.delete(connection.client);
  }

  function sweep(): void {
    responder.forgetHeads();
    for (const connection of all.keys()) connection.addTime(limits.sweepMs);
    if (isClosing) closeIdle();
  }

  function closeIdle(): void { for (const connection of all.keys()) connection.closeIdle(); }

  function endIfEmpty(): void {
    if (!hasStoppedListening || all.size > 0) return;
    clearInterval(timer);
    resolveEnded();
  }

  function stopListening(): void {
    hasStoppedListening = true;
    listener.close();
    endIfEmpty();
  }

  // Closing now would reset the connections in the kernel's queue. Node 24 accepts one in each iteration: if it accepted none, none waits.
  function stopWhenNoneWaits(): void {
    hasAccepted = false;
    setImmediate(() => (hasAccepted ? stopWhenNoneWaits() : stopListening()));
  }

  return {
    listener,
    stopListening,
    /** Accepts what is waiting in the kernel's queue, and stops listening. Closes idle connections; resolves when all have ended. */
    close: (): Promise<void> => {
      stopWhenNoneWaits();
      for (const connection of all.keys()) if (!connection.isSilent) connection.closeIdle();
      // Silent ones later: a request may already be on its way from a client that has only just connected.
      setTimeout(() => { isClosing = true; stopListening(); closeIdle(); }, limits.silentMs).unref();
      return ended;
    },
    /** Closes all connections immediately, and returns how many of them still owed a reply. */
    closeAll: (): number => Array.from(all.keys()).filter((connection) => connection.cut()).length,
  };
}
