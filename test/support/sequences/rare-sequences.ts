// Sequences that are rare among random ones.
import { afterEmptyLines, greeting, withContent } from './requests.ts';
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
  // A connection that becomes idle a while after the stop is closed.
  after(stopReading, client(send(greeting(0))), stop, pass(1_000), client({ kind: 'read' })),
  // No connection is accepted after the cut.
  after(client(send(greeting(0))), { ...stop, iterations: 0 }, { ...cut, iterations: 0 }, { ...send(greeting(1)), client: 2, iterations: 1 }),
  // The time of a request begins with its head, also when its content comes later.
  after(client({ kind: 'send', parts: [withContent(1)], held: 20, pieces: WHOLE }), pass(2_500),
    client({ kind: 'more', bytes: 18, pieces: WHOLE }), pass(5_000)),
  // Empty lines do not make a connection less idle.
  after(client({ kind: 'wait' }), pass(2_500), sendEmptyLine),
  // A part of a record has begun when time is counted, and then brings no request.
  {
    surroundings: { ...surroundings, isSecure: true },
    steps: [client({ kind: 'wait' }), pass(950), sendEmptyLine, pass(2_000)],
  },
];
