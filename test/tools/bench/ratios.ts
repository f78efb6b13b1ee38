// The figures of the service that have a bound, each as a part of the floor's.
import type { Result } from './measure.ts';
import { medianRatio } from './statistics.ts';

/** The ratios of the service to the floor, under the names that they have in `bounds.ts`. `starts` has the milliseconds of each start. */
export function ratiosToFloor(
  comparisons: readonly (readonly Result[])[], starts: ReadonlyMap<string, readonly number[]>,
): ReadonlyMap<string, number> {
  const ratios = new Map([['start', medianRatio(starts.get('service') ?? [], starts.get('floor') ?? [])]]);
  for (const results of comparisons) {
    const [floor, service] = ['floor', 'service'].map((wanted) => results.find(({ name }) => name === wanted));
    if (floor === undefined || service === undefined) continue;
    for (const [path, { cpu }] of service.figures) {
      ratios.set(`CPU, ${service.label}, ${path}`, medianRatio(cpu, floor.figures.get(path)?.cpu ?? []));
    }
    ratios.set(`p99 latency, ${service.label}`, medianRatio(p99OfAllPaths(service), p99OfAllPaths(floor)));
    ratios.set(`memory, ${service.label}`, medianRatio(service.memory, floor.memory));
  }
  return ratios;
}

function p99OfAllPaths({ figures }: Result): number[] {
  return [...figures.values()].flatMap(({ p99 }) => p99);
}
