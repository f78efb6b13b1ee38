// Sequences that are rare among random ones.
import { afterEmptyLines, greeting, greetings, lastGreeting, withContent, withTooMuchContent } from './requests.ts';
import { send, WHOLE, type ClientStep, type Sequence, type Step } from './steps.ts';

const surroundings = { maxConnections: 10, addresses: 1, room: 10, isSecure: false, turnCost: 1 };
const client = (step: ClientStep, iterations = 1): Step => ({ ...step, client: 1, iterations });
const after = (...steps: readonly Step[]): Sequence => ({ surroundings, steps });
const stopReading = client({ kind: 'stop reading' });
const stop: Step = { kind: 'stop', iterations: 1 };
const pass = (ms: number): Step => ({ kind: 'pass', ms, iterations: 1 });
const sendEmptyLine = client({ kind: 'send', parts: [afterEmptyLines(1)], held: afterEmptyLines(1).bytes.length - 2, pieces: WHOLE });
const cut: Step = { kind: 'cut', iterations: 1 };

export const RARE: readonly Sequence[] = [
  // A reply that becomes possible after the connections have been cut has not left.
  after(client(send(greeting(0))), client(send(...greetings(0, 2)), 0), { ...stop, iterations: 0 }, cut),
  // A connection that becomes idle a while after the stop is closed.
  after(stopReading, client(send(greeting(0))), stop, pass(1_000), client({ kind: 'read' })),
  // The first byte of a request is the first one that is not CR or LF.
  after(client({ kind: 'send', parts: [afterEmptyLines(1)], held: Infinity, pieces: WHOLE })),
  // A connection that is over does not count when connections are cut.
  after(client(send(lastGreeting(1))), stop, cut),
  // A refusal that the client does not read is the only reply, even if the request ends right after the bytes that it was refused for.
  after(stopReading, client(send(withTooMuchContent()))),
  // No connection is accepted after the cut.
  after(client(send(greeting(0))), { ...stop, iterations: 0 }, { ...cut, iterations: 0 }, { ...send(greeting(1)), client: 2, iterations: 1 }),
  // The time of a request begins with its head, also when its content comes later.
  after(client({ kind: 'send', parts: [withContent(1)], held: 20, pieces: WHOLE }), pass(2_500),
    client({ kind: 'more', bytes: 18, pieces: WHOLE }), pass(5_000)),
  // Empty lines do not make a connection less idle.
  after(client({ kind: 'wait' }), pass(2_500), sendEmptyLine),
  // A record of which a part has arrived at the stop is answered.
  ...Array.from({ length: 4 }, (_, i) => ({
    surroundings: { ...surroundings, isSecure: true },
    steps: [client({ kind: 'wait' }), client({ kind: 'send', parts: [greeting(10 ** i)], held: 0, pieces: WHOLE }), stop],
  })),
  // A part of a record has begun when time is counted, and then brings no request.
  {
    surroundings: { ...surroundings, isSecure: true },
    steps: [client({ kind: 'wait' }), pass(950), sendEmptyLine, pass(2_000)],
  },
  // In one run of the turns, TLS gets a record, the same connection is overdue, and the budget ends; and after it.
  ...[10_000, 20_000, 40_000].map((turnCost) => ({
    surroundings: { ...surroundings, isSecure: true, addresses: 3, turnCost },
    steps: [
      client({ kind: 'send', parts: [greeting(1)], held: 30, pieces: WHOLE }), pass(3_900),
      { kind: 'send', parts: [withTooMuchContent()], held: 0, pieces: WHOLE, client: 2, iterations: 0 },
      client({ kind: 'more', bytes: 2, pieces: 1 }, 0), { kind: 'next limit', iterations: 1 },
    ] satisfies Step[],
  })),
  // Two requests in pieces of each size, so that they are cut at every place.
  ...Array.from({ length: 140 }, (_, i) => ({
    surroundings: { ...surroundings, isSecure: true },
    steps: [client({ kind: 'send', parts: [withContent(1), greeting(2)], held: 0, pieces: 1 + i })],
  })),
];
