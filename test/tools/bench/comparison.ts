// Compares the service with the floor, for `npm run bench`.
import { BOUNDS, judge, TOLERANCE } from './bounds.ts';
import { measure } from './measure.ts';
import { ratiosPicture } from './pictures.ts';
import { ratiosToFloor } from './ratios.ts';
import { setup, type Comparison, type Setup } from './setup.ts';
import { startTimes } from './start-time.ts';
import { boundsTable, memoryTable, requestTable, startTable } from './tables.ts';

const TIME_MS = 110_000; // no other round begins after it
const QUICK_TIME_MS = 25_000;
const STARTS = 30;
const GREETINGS = '/api/greetings';
const QUICK_PATHS = ['/health', GREETINGS, '/api/greetings?name=Ada%20Lovelace'];
const PATHS = [...QUICK_PATHS, '/api/greetings?name=', '/nope'];
const JUDGED_LINE = /^v24\./; // of Node

/**
 * Measures the servers, given by name, and prints how the others compare with the first, the floor. On Node 24 the
 * process will exit with 1 when a figure of the service is too high.
 */
export async function printComparison(servers: ReadonlyMap<string, string>): Promise<void> {
  const setups = setupsOf(servers);
  const withLog: Comparison = { label: 'access log', requestKind: 'browser', paths: [GREETINGS], setups: setups.map(withAccessLog) };
  const results = await measure([...bothKinds(setups, PATHS), withLog], TIME_MS);
  const starts = await startTimes(servers, STARTS);
  const ratios = ratiosToFloor(results, starts);
  const verdicts = judge(ratios, BOUNDS, TOLERANCE);

  console.log(`Rounds: ${results[0]?.[0]?.memory.length}, starts: ${STARTS}\n`);
  console.log(requestTable(results));
  console.log(memoryTable(results));
  console.log(startTable(starts));
  console.log(boundsTable(verdicts, 'service ÷ floor'));
  console.log(ratiosPicture(ratios));
  if (JUDGED_LINE.test(process.version) && verdicts.some(({ isTooHigh }) => isTooHigh)) {
    console.error('Each figure that is too high is more than 0.10 above its bound.');
    process.exitCode = 1;
  }
}

/** The cost of the most usual requests in less than 40 s, without a verdict. */
export async function printQuickComparison(servers: ReadonlyMap<string, string>): Promise<void> {
  console.log(requestTable(await measure(bothKinds(setupsOf(servers), QUICK_PATHS), QUICK_TIME_MS)));
}

function setupsOf(servers: ReadonlyMap<string, string>): Setup[] {
  return Array.from(servers, ([name, script]) => setup(name, script));
}

function bothKinds(setups: readonly Setup[], paths: readonly string[]): Comparison[] {
  return [
    { label: 'Host only', requestKind: 'Host only', paths, setups },
    { label: 'browser', requestKind: 'browser', paths, setups },
  ];
}

// The service writes a line of the access log up to 50 ms after the reply, so the measurement waits for longer. What a
// process does when it is idle is then measured, too, for the floor as well, which has no log.
function withAccessLog(one: Setup): Setup {
  return { ...one, env: { ACCESS_LOG: 'true' }, settleMs: 60 };
}
