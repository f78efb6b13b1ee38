// A server: a listener, and its connections. How many there may be, how long each may last, and how they are closed.
import net, { type Socket } from 'node:net';
import { TIME_LIMITS } from '../http/limits.ts';
import { clientOf } from '../transport/client.ts';
import { openTcp, type OpenTransport } from '../transport/transport.ts';
import { createTurns } from '../transport/turns.ts';
import { Connection } from './connection.ts';
import type { Context, CreateServer, ServerOptions } from './interface.ts';
import { chooseVictim } from './room.ts';

const processTurns = createTurns(); // shared by all servers, because they share the event loop

/** Makes the service's own server. */
export const createServer: CreateServer = async (options, tls) => {
  if (tls === undefined) return { ...createServerOn(openTcp, options), setSecureContext: () => {} };
  const { createTls } = await import('../transport/tls.ts'); // only if it is needed, because loading it takes time
  const { open, setSecureContext } = createTls(tls);
  return { ...createServerOn(open, options), setSecureContext };
};

/** A server whose connections use the transports that `open` makes. */
export function createServerOn(open: OpenTransport, options: ServerOptions) {
  const { maxConnections, reports, turns = processTurns } = options;
  const limits = { ...TIME_LIMITS, idleMs: options.keepAliveTimeoutMs, ...options.limits };
  // With a budget of 1, one task is done each time.
  const discardTurns = createTurns(1, (run) => setTimeout(run, limits.discardMs).unref());
  const context: Context = { ...options, turns, limits, discardTurns };
  // Half open: a client may end its side and still read. `highWaterMark`: see intake.ts.
  const listener = net.createServer({ allowHalfOpen: true, noDelay: true, highWaterMark: 0 }, accept);
  const timer = setInterval(sweep, limits.sweepMs).unref();
  const all = new Set<Connection>();
  const groups = new Map<string, Set<Connection>>(); // the same by client
  let hasAccepted: boolean; // since the latest call of `stopWhenNoneWaits`
  let hasStoppedListening = false;
  let isClosing = false;
  let end: () => void;
  const ended = new Promise<void>((resolve) => { end = resolve; }).finally(() => clearInterval(timer));

  function accept(socket: Socket): void {
    hasAccepted = true;
    const client = clientOf(socket.remoteAddress);
    if (all.size >= maxConnections && !makeRoom(client)) return void socket.destroy();
    const connection: Connection = new Connection(socket, client, open, context, () => remove(connection));
    all.add(connection);
    groups.set(client, (groups.get(client) ?? new Set()).add(connection));
  }

  // `maxConnections` are open: one connection is closed for the new one of this client, or the new one is refused.
  function makeRoom(client: string): boolean {
    const victim = chooseVictim(groups, client);
    reports.dropped(victim?.reason ?? 'newRefused');
    if (victim === undefined) return false;
    remove(victim.connection);
    victim.connection.cut();
    return true;
  }

  function remove(connection: Connection): void {
    all.delete(connection);
    const group = groups.get(connection.client);
    if (group?.delete(connection) === true && group.size === 0) groups.delete(connection.client);
    endIfEmpty();
  }

  function sweep(): void {
    for (const connection of all) connection.addTime(limits.sweepMs);
    if (isClosing) closeIdle();
  }

  function closeIdle(): void { for (const connection of all) connection.closeIfIdle(); }

  function endIfEmpty(): void { if (hasStoppedListening && all.size === 0) end(); }

  function stopListening(): void {
    hasStoppedListening = true;
    listener.close();
    endIfEmpty();
  }

  // Closing now would reset the connections in the kernel's queue. While some wait, Node accepts one in each iteration.
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
      // Idle ones later: a request may already be on its way.
      setTimeout(() => { isClosing = true; stopListening(); closeIdle(); }, limits.closeIdleMs).unref();
      return ended;
    },
    /** Stops listening, closes all connections immediately, and returns how many of them still owed a reply. */
    closeAll: (): number => {
      stopListening();
      return Array.from(all).filter((connection) => connection.cut()).length;
    },
  };
}
