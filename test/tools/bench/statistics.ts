// Medians and percentiles. A single measurement that was disturbed hardly changes a median.

/** The middle one of the sorted values, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}

/**
 * Compares `values` with `others`, which were measured in turn with them: the median of the ratios of values at the
 * same index. A disturbance of the machine slows both down, and hardly changes their ratio.
 */
export function medianRatio(values: readonly number[], others: readonly number[]): number {
  return median(values.map((value, i) => value / (others[i] ?? Number.NaN)));
}

/** The value that is above `percent` per cent of the sorted values. */
export function percentile(sorted: readonly number[], percent: number): number {
  return sorted[Math.floor((sorted.length * percent) / 100)] ?? Number.NaN;
}
