// Sequences that are rare among random ones.
import { afterEmptyLines, greeting, greetings, lastGreeting, withContent, withTooMuchContent } from './requests.ts';
import { send, WHOLE, type ClientStep, type Sequence, type Step } from './steps.ts';

const surroundings = { maxConnections: 10, addresses: 1, room: 10, isSecure: false, turnCost: 1 };
const client = (step: ClientStep, iterations = 1): Step => ({ ...step, client: 1, iterations });
const after = (...steps: readonly Step[]): Sequence => ({ surroundings, steps });
const stopReading = client({ kind: 'stop reading' });
const stop: Step = { kind: 'stop', iterations: 1 };
const cut: Step = { kind: 'cut', iterations: 1 };

export const RARE: readonly Sequence[] = [
  // A reply that becomes possible after the connections have been cut has not left.
  after(client(send(greeting(0))), client(send(...greetings(0, 2)), 0), { ...stop, iterations: 0 }, cut),
  // A connection that becomes idle a while after the stop is closed.
  after(stopReading, client(send(greeting(0))), stop, { kind: 'pass', ms: 1_000, iterations: 1 }, client({ kind: 'read' })),
  // The first byte of a request is the first one that is not CR or LF.
  after(client({ kind: 'send', parts: [afterEmptyLines(1)], held: Infinity, pieces: WHOLE })),
  // A connection that is over does not count when connections are cut.
  after(client(send(lastGreeting(1))), stop, cut),
  // A refusal that the client does not read is the only reply, even if the request ends right after the bytes that it was refused for.
  after(stopReading, client(send(withTooMuchContent()))),
  // Two requests in pieces of each size, so that they are cut at every place.
  ...Array.from({ length: 140 }, (_, i) => ({
    surroundings: { ...surroundings, isSecure: true },
    steps: [client({ kind: 'send', parts: [withContent(1), greeting(2)], held: 0, pieces: 1 + i })],
  })),
];
