import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { ATTACKS } from './attacks.ts';
import { ratiosPicture, waitsPicture } from './pictures.ts';

// Compiled tests are one folder deeper, and the README is not copied there.
const FOLDER = import.meta.url.endsWith('.ts') ? '.' : '../../../../test/tools/bench';
const README = readFileSync(new URL(`${FOLDER}/README.md`, import.meta.url), 'utf8');

const outcome = (attack: string, server: string, requests: number, failed: number, median: number) =>
  ({ attack, server, clients: 100, requests, failed, median, p95: Number.NaN, worst: Number.NaN, peak: Number.NaN, stop: undefined });

test('The picture of the ratios has a bar for each request, and a line for the floor, also above bars that are all shorter', () => {
  const ratios = new Map([
    ['start', 0.8], ['CPU, Host only, /health', 1.1849], ['memory, Host only', 1.9], ['CPU, access log, /api/greetings?name=', 0.9],
  ]);
  assert.equal(ratiosPicture(ratios).split('\n').slice(3).join('\n'), `\
  x-axis ["Host only, /health: 1.18", "access log, /api/greetings?name=: 0.90"]
  y-axis "CPU time of the service for a request; the line is the floor" 0 --> 1.18
  bar [1.18, 0.90]
  line [1, 1]
\`\`\`
`);
  assert.match(ratiosPicture(new Map([['CPU, Host only, /health', 0.95]])), / 0 --> 1$/m);
});

test('The picture of the waits has a section for each attack, and in it a bar for each server', () => {
  const outcomes = [
    outcome('empty lines', 'floor', 116, 96, 3525.4), outcome('empty lines', 'service', 115, 0, 1.6),
    outcome('long queries', 'floor', 115, 109, 3000), outcome('long queries', 'service', 113, 0, 2),
  ];
  assert.equal(waitsPicture(outcomes).split('\n').slice(7).join('\n'), `\
  section empty lines
  floor 3525.4 ms, 96 of 116 failed :0, 3525.4ms
  service 1.6 ms, 0 of 115 failed :0, 1.6ms
  section long queries
  floor 3000.0 ms, 109 of 115 failed :0, 3000.0ms
  service 2.0 ms, 0 of 113 failed :0, 2.0ms
\`\`\`
`);
});

test('The pictures in the README have the figures of its tables, and at most 30 lines', () => {
  const rows = README.split('\n').map((line) => line.split(/ {2,}/));
  const ratios = rows.flatMap(([request, path, server, , , ratio, ...rest]) =>
    (server === 'service' && rest.length === 3 ? [[`CPU, ${request}, ${path}`, Number(ratio)] as const] : []));
  const outcomes = rows.flatMap(([attack = '', server = '', , requests, failed, median, ...rest]) =>
    (rest.length === 5 && server !== 'server' ? [outcome(attack, server, Number(requests), Number(failed), Number(median))] : []));
  assert.deepEqual([ratios.length, outcomes.length], [11, 2 * ATTACKS.size]);
  const pictures = Array.from(README.matchAll(/^```mermaid\n[^]*?^```\n/gm), String);
  assert.deepEqual(pictures, [ratiosPicture(new Map(ratios)), waitsPicture(outcomes)]);
  for (const picture of pictures) assert.ok(picture.trimEnd().split('\n').length - 2 <= 30);
});
