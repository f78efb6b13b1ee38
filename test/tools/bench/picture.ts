// Draws waits: a line for each attack and server, from the median to the worst, on a scale of powers of ten.
import { writeFileSync } from 'node:fs';
import { median } from './report.ts';
import type { Waits } from './waits.ts';

const [LEFT, RIGHT, LINE] = [110, 640, 15];
const STYLE = `text { font: 11px sans-serif; fill: #59636e } .name { font-weight: bold } line { stroke: #8c959f }
.service { stroke: #0969da; fill: #0969da } .others { stroke: #8c959f; fill: #8c959f } .grid { stroke-opacity: 0.3 }
@media (prefers-color-scheme: dark) { text { fill: #9198a1 } .service { stroke: #4493f8; fill: #4493f8 } }`;

/** Writes an SVG file, which is legible on a light and a dark background. */
export function drawWaits(all: readonly Waits[], file: string): void {
  const at = (ms: number) => (LEFT + (RIGHT - LEFT) * (Math.log10(Math.max(ms, 0.1)) + 1) / 5).toFixed(1); // to 10 s
  const lines: string[] = [];
  const text = (x: number | string, y: number, content: string, more = '') =>
    lines.push(`<text x="${x}" y="${y + 4}" ${more}>${content}</text>`);
  let y = 20;
  for (const { attack, server, waits, failed } of all) {
    if (server === 'service') {
      y += LINE * 1.5;
      text(0, y, attack.name, 'class="name"');
      y += LINE;
    }
    text(LEFT - 8, y, server, 'text-anchor="end"');
    const [middle, worst] = [at(median(waits)), at(Math.max(...waits))];
    const kind = server === 'service' ? 'service' : 'others';
    if (failed === waits.length) text(LEFT, y, 'all fail');
    else {
      lines.push(`<line class="${kind}" stroke-width="3" x1="${middle}" x2="${worst}" y1="${y}" y2="${y}"/>`);
      lines.push(`<circle class="${kind}" stroke="none" r="4.5" cx="${middle}" cy="${y}"/>`);
    }
    y += LINE;
  }
  for (const [i, name] of ['0.1 ms', '1 ms', '10 ms', '100 ms', '1 s', '10 s'].entries()) {
    const x = at(10 ** (i - 1));
    text(x, 4, name, 'text-anchor="middle"');
    lines.unshift(`<line class="grid" x1="${x}" x2="${x}" y1="16" y2="${y}"/>`);
  }
  const size = `viewBox="0 -10 ${RIGHT + 30} ${y + 10}" width="${RIGHT + 30}" height="${y + 10}"`;
  const content = `<style>${STYLE}</style>\n${lines.join('\n')}`;
  writeFileSync(file, `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${content}</svg>\n`);
}
