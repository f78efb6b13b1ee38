// Sequences that are rare among random ones.
import { afterEmptyLines, greeting, withContent, type Part } from './requests.ts';
import { WHOLE, type ClientStep, type Sequence, type ServiceStep, type Step, type Surroundings } from './steps.ts';

const SURROUNDINGS = { maxConnections: 10, addresses: 1, room: 10, isSecure: false, turnCost: 1 };
/** These steps, with one iteration after each that does not say otherwise. */
function sequence(steps: readonly (Step | ClientStep | ServiceStep)[], own: Partial<Surroundings> = {}): Sequence {
  return { surroundings: { ...SURROUNDINGS, ...own }, steps: steps.map((step) => ({ iterations: 1, ...step })) };
}
const send = (part: Part, held = 0, client = 1): ClientStep => ({ kind: 'send', parts: [part], held, pieces: WHOLE, client });
const pass = (ms: number): ServiceStep => ({ kind: 'pass', ms });
const connect: ClientStep = { kind: 'read', client: 1 };
const sendEmptyLine = send(afterEmptyLines(1), afterEmptyLines(1).bytes.length - 2);

export const RARE: readonly Sequence[] = [
  // A connection that becomes idle a while after the stop is closed.
  sequence([{ kind: 'stop reading', client: 1 }, send(greeting(0)), { kind: 'stop' }, pass(1_000), { kind: 'read', client: 1 }]),
  // No connection is accepted after the cut.
  sequence([send(greeting(0)), { kind: 'stop', iterations: 0 }, { kind: 'cut', iterations: 0 }, send(greeting(1), 0, 2)]),
  // What arrives from several clients in one iteration waits for its turn, however short it is.
  sequence([1, 2, 3].map((client) => ({ ...send(greeting(client), 0, client), iterations: 0 }))),
  // The time of a request begins with its head, also when its content comes later.
  sequence([send(withContent(1), 20), pass(2_500), { kind: 'more', bytes: 18, pieces: WHOLE, client: 1 }, pass(5_000)]),
  // Empty lines do not make a connection less idle.
  sequence([connect, pass(2_500), sendEmptyLine, { kind: 'stop' }]),
  // A request arrives after the idle time, and before the turn in which the connection would be closed for it.
  sequence([connect, { kind: 'reach', ms: 7_000, iterations: 0 }, send(greeting(0))]),
  // A part of a record has begun when time is counted, and then brings no request.
  sequence([connect, pass(950), sendEmptyLine, pass(2_000)], { isSecure: true }),
  // Two such parts, 5 s apart, do not make the connection idle for longer.
  sequence([connect, pass(950), sendEmptyLine, pass(5_000), { kind: 'more', bytes: 2, pieces: WHOLE, client: 1 }], { isSecure: true }),
  // When there are too many connections, those that have closed do not count for their address, which 1 and 5 share.
  sequence([...[1, 5].flatMap((client): ClientStep[] => [{ kind: 'read', client }, { kind: 'reset', client }]),
    { kind: 'read', client: 2 }, { kind: 'read', client: 3 }], { maxConnections: 1, addresses: 4 }),
];
