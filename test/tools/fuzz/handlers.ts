// The handlers of a round, which do what the plan says, and what is seen of them.
import { setTimeout as delay } from 'node:timers/promises';
import { contentReply, type Reply } from '../../../src/http/reply.ts';
import type { AccessRecord } from '../../../src/http/reports.ts';
import type { HttpRequest } from '../../../src/http/request.ts';
import { replyTo } from './bytes.ts';
import type { RequestPlan, RoundPlan } from './generate.ts';

/** What is seen of a request: how often its handler is called, what aborts that, and its records. */
export type Seen = {
  readonly plan: RequestPlan; calls: number; isRunning: boolean;
  readonly aborts: string[]; readonly records: AccessRecord[];
};

const fail = () => { throw new Error('As planned.'); };

// How those wait that do: for so many ms, until `signal` is aborted, or to the end of the round.
type Wait = (ms: number, signal: AbortSignal, end: Promise<void>) => Promise<unknown>;
const WAITS: Readonly<Record<Exclude<RequestPlan['handler'], 'now' | 'throw'>, Wait>> = {
  wait: async (ms) => delay(ms), // whatever `signal` says
  reject: async (ms) => delay(ms).then(fail),
  heed: async (ms, signal) => delay(ms, undefined, { signal }),
  untilAborted: async (_, signal) => delay(2 ** 30, undefined, { signal }).catch(() => {}),
  never: async (_ms, _signal, end) => end,
};

/** `touch` is called when something happens. */
export function createHandlers({ connections, seats }: RoundPlan, touch: () => void) {
  const seen = new Map(connections.flatMap(({ requests }) => requests)
    .map((plan): [string, Seen] => [`/${plan.id}`, { plan, calls: 0, isRunning: false, aborts: [], records: [] }]));
  const faults: string[] = [];
  const objects: WeakRef<object>[] = []; // that nobody must remember
  let seated = 0;
  let release = () => {};
  const end = new Promise<void>((resolve) => { release = resolve; });

  function handle(one: Seen, request: HttpRequest): Reply | Promise<Reply> {
    const { plan, plan: { handler, hasSeat, ms } } = one;
    const { content, remoteAddress, signal } = request;
    touch();
    one.calls += 1;
    one.isRunning = true;
    objects.push(new WeakRef(request));
    signal.addEventListener('abort', () => one.aborts.push(signal.reason.message));
    seated += Number(hasSeat);
    if (seated > seats) faults.push(`request ${plan.id} has a seat, and so have ${seats} others`);
    const over = () => {
      one.isRunning = false;
      seated -= Number(hasSeat);
    };
    const reply = () => contentReply(200, 'text/plain', replyTo(plan, content, remoteAddress));
    if (handler !== 'now' && handler !== 'throw') return WAITS[handler](ms, signal, end).then(reply).finally(over);
    over();
    return handler === 'now' ? reply() : fail();
  }

  return {
    seen, faults, objects, handle,
    /** Ends those that never end. */
    release: () => release(),
    // The error itself is not kept: it keeps in memory what its stack names.
    requestFailed(error: unknown): void {
      if (!/As planned|AbortError/.test(String(error))) faults.push(String(error));
    },
    finished(record: AccessRecord): void {
      const one = seen.get(record.path ?? '');
      if (one === undefined) return;
      touch();
      one.records.push(record);
      const isUnaware = one.isRunning && one.aborts.length === 0;
      if (isUnaware) faults.push(`request ${one.plan.id} is over, and its handler goes on unaware`);
    },
  };
}
