// Plays a sequence on real sockets against a new service, and checks what must hold after it.
import { OF_CLIENT, OF_SERVICE } from './invariants.ts';
import { startListening, type Transport } from './listening-service.ts';
import { playOnSockets } from './play-on-sockets.ts';
import type { Sequence } from './steps.ts';

/** Throws what does not hold. */
export async function runOnSockets(sequence: Sequence, transport: Transport): Promise<void> {
  const service = await startListening(sequence.surroundings, transport);
  const outcomes = await playOnSockets(sequence, service).finally(service.end);
  const outside = await service.end();
  for (const holds of Object.values(OF_SERVICE)) holds(outside, outcomes);
  for (const holds of Object.values(OF_CLIENT)) outcomes.forEach(holds);
}
