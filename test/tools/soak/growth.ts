// Checks that memory does not grow: the first third of the test is the warm-up, and the last third is compared with
// the second.

/** The measurements of a third, in MiB: the highest memory under load, and the live heap at rest after it. */
export type Third = { readonly resident: number; readonly liveHeap: number };

// Resident memory is mostly garbage that has not been collected yet, so it varies. The live heap is exact: a leak of
// one byte in each of a million requests is detected.
const RESIDENT_GROWTH = 1.25;
const RESIDENT_SLACK = 4; // the time until garbage is collected varies; this limit is for a leak outside the heap
const LIVE_HEAP_SLACK = 1;

/** A sentence for each measurement that has grown; none when memory is flat. */
export function growth([, second, last]: readonly Third[]): string[] {
  if (second === undefined || last === undefined) return ['There are too few measurements to compare.'];
  const residentLimit = second.resident * RESIDENT_GROWTH + RESIDENT_SLACK;
  const liveHeapLimit = second.liveHeap + LIVE_HEAP_SLACK;
  return [
    ...(last.resident > residentLimit ? [`Resident memory is not flat: ${last.resident.toFixed(1)} MiB, more than ${residentLimit.toFixed(1)}`] : []),
    ...(last.liveHeap > liveHeapLimit ? [`The live heap is not flat: ${last.liveHeap.toFixed(1)} MiB, more than ${liveHeapLimit.toFixed(1)}`] : []),
  ];
}
