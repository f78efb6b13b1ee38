// Compares the service with the floor, for `npm run bench`.
import { measure } from './measure.ts';
import { setup, type Comparison, type Setup } from './setup.ts';
import { memoryTable, requestTable, startTable } from './tables.ts';
import { startTimes } from './start-time.ts';

const ROUNDS = 12;
const STARTS = 30;
const GREETINGS = '/api/greetings';
const PATHS = ['/health', GREETINGS, '/api/greetings?name=Ada%20Lovelace', '/api/greetings?name=', '/nope'];

/** Measures the scripts of the floor, of the service and, if given, of another build of the service. */
export async function printComparison(floor: string, service: string, otherBuild: string | undefined): Promise<void> {
  const scripts = new Map([['floor', floor], ['service', service]]);
  if (otherBuild !== undefined) scripts.set('other build', otherBuild);
  const setups = Array.from(scripts, ([name, script]) => setup(name, script, PATHS));
  const comparisons: Comparison[] = [
    { requestKind: 'Host only', paths: PATHS, setups },
    { requestKind: 'browser', paths: PATHS, setups },
    { requestKind: 'browser', paths: [GREETINGS], setups: setups.map(withAccessLog) },
  ];

  const results = await measure(comparisons, ROUNDS);
  console.log(`Rounds: ${results[0]?.[0]?.memory.length}, starts: ${STARTS}\n`);
  console.log(requestTable(results));
  console.log(memoryTable(results));
  console.log(startTable(await startTimes(scripts, STARTS)));
}

// The service writes a line of the access log up to 50 ms after the reply, so the measurement waits for longer. What a
// process does when it is idle is then measured, too. So the floor, which has no log, is measured again in the same way.
function withAccessLog(one: Setup): Setup {
  return { ...one, name: one.name === 'floor' ? 'floor, long wait' : `${one.name}, access log`, paths: [GREETINGS], env: { ACCESS_LOG: 'true' }, settleMs: 60 };
}
