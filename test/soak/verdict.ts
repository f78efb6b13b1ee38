// Is memory flat? The first third of a soak is the warm-up; the last third is held against the second.

/** What was seen in a third: the highest memory under load, and the live heap at rest after it; in MiB. */
export type Third = { readonly resident: number; readonly liveHeap: number };

// Resident memory is what the garbage collector has not come to yet, for the most part. The live heap is
// exact: a single byte kept for each of a million requests is seen.
const RESIDENT_GROWTH = 1.25;
const RESIDENT_SLACK = 4; // garbage waits now longer, now shorter: this is against a leak outside the heap
const LIVE_HEAP_SLACK = 1;

/** Says what is not flat; nothing when all is. */
export function growth([, second, last]: readonly Third[]): string[] {
  if (second === undefined || last === undefined) return ['There were no thirds to compare.'];
  const residentLimit = second.resident * RESIDENT_GROWTH + RESIDENT_SLACK;
  const liveHeapLimit = second.liveHeap + LIVE_HEAP_SLACK;
  return [
    ...(last.resident > residentLimit ? [`Resident memory is not flat: ${last.resident.toFixed(1)} MiB, more than ${residentLimit.toFixed(1)}`] : []),
    ...(last.liveHeap > liveHeapLimit ? [`The live heap is not flat: ${last.liveHeap.toFixed(1)} MiB, more than ${liveHeapLimit.toFixed(1)}`] : []),
  ];
}
