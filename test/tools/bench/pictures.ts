// The pictures that the benchmark prints: blocks of Mermaid, to be pasted into README.md.
import type { Outcome } from './attack.ts';

const CPU = 'CPU, ';

/** The CPU time for each request: a bar for the service, and a line for the floor. `ratios` are those of `ratiosToFloor`. */
export function ratiosPicture(ratios: ReadonlyMap<string, number>): string {
  const requests = Array.from(ratios).filter(([figure]) => figure.startsWith(CPU));
  const bars = requests.map(([, ratio]) => ratio.toFixed(2));
  return block([
    '%%{init: {"xyChart": {"width": 830, "height": 400}, "themeVariables": {"xyChart": {"plotColorPalette": "#7a9cc6,#c0504d"}}}}%%',
    'xychart-beta horizontal',
    `  x-axis [${requests.map(([figure], i) => `"${figure.slice(CPU.length)}: ${bars[i]}"`).join(', ')}]`,
    `  y-axis "CPU time of the service for a request; the line is the floor" 0 --> ${Math.max(1, ...bars.map(Number))}`,
    `  bar [${bars.join(', ')}]`,
    `  line [${bars.map(() => 1).join(', ')}]`,
  ]);
}

/** The waits beside each attack: a bar for each server, as long as the median. The outcomes of an attack follow each other. */
export function waitsPicture(outcomes: readonly Outcome[]): string {
  return block([
    '%%{init: {"gantt": {"leftPadding": 160}}}%%',
    'gantt',
    '  title Median wait of honest clients beside each attack',
    '  dateFormat x',
    '  axisFormat %-S s',
    '  tickInterval 1second',
    ...outcomes.flatMap(({ attack, server, requests, failed, median }, i) => [
      ...(attack === outcomes[i - 1]?.attack ? [] : [`  section ${attack}`]),
      `  ${server} ${median.toFixed(1)} ms, ${failed} of ${requests} failed :0, ${median.toFixed(1)}ms`,
    ]),
  ]);
}

function block(lines: readonly string[]): string {
  return ['```mermaid', ...lines, '```', ''].join('\n');
}
