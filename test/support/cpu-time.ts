// How much work something is. CPU time depends on the machine, so it is only ever compared with that of other work on the same one.

/** The CPU time of `run` in microseconds: the least of `tries`, because anything else that happens can only add to it. */
export function cpuTime(run: () => void, tries: number): number {
  return Math.min(...Array.from({ length: tries }, () => {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  }));
}
