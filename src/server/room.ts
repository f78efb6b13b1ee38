// Which connection is closed when all places are taken and one more client comes. So no client can keep the others out.
import type { Connection } from './connection.ts';

type Candidate = Pick<Connection, 'client' | 'isOver' | 'change'>;

/**
 * The connection that is closed for a new one of `client`, and why; undefined: none is, so the new one must be. It is one of the client
 * that has the most connections (`sizeOf` says how many), the new one counted: the one that is idle longest, or, if another client asks,
 * that is longest in its state.
 */
export function chooseVictim<C extends Candidate>(all: Iterable<C>, sizeOf: (client: string) => number, client: string) {
  let most = sizeOf(client) + 1;
  let idle: C | undefined, busy: C | undefined;
  for (const connection of all) {
    const size = sizeOf(connection.client) + Number(connection.client === client);
    if (size < most) continue;
    if (size > most) { most = size; idle = busy = undefined; }
    if (connection.isOver) idle = longer(idle, connection);
    else busy = longer(busy, connection);
  }
  if (idle !== undefined) return { connection: idle, reason: 'idle' } as const;
  return busy === undefined || sizeOf(client) + 1 === most ? undefined : { connection: busy, reason: 'most' } as const;
}

// Of two connections, the one that is longer in its state.
function longer<C extends Candidate>(one: C | undefined, other: C): C {
  return one === undefined || other.change < one.change ? other : one;
}
