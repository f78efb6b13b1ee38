// Medians: a disturbed measurement counts no more than any other, however far off it is.

/** The value with as many above it as below it. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}

/**
 * How `values` compare to `others`, measured in turn with them: the median of the ratios of neighbours.
 * Whatever slows the machine down for a while slows both neighbours, and drops out of their ratio.
 */
export function medianRatio(values: readonly number[], others: readonly number[]): number {
  return median(values.map((value, i) => value / (others[i] ?? Number.NaN)));
}
