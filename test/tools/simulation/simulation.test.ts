// Rare sequences, and some random ones (main.ts plays more of them), and the states through which connections go.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { CurrentState, STATES } from '../../../src/server/states.ts';
import { randomSequences } from './random-sequence.ts';
import { RARE } from './rare-sequences.ts';
import { defaultSequences, describeFailure, run } from './run.ts';
import { CODE } from './service.ts';

const seen = new Set<string>(); // the transitions, as `idle --> head`
const { enter } = CurrentState.prototype;
CurrentState.prototype.enter = function (next) {
  if (this.name !== 'closed') seen.add(`${this.name} --> ${next}`);
  return enter.call(this, next);
};

async function eventsOfRandomSequences(): Promise<readonly string[]> {
  const events: string[] = [];
  await run(CODE, randomSequences(7, 50), (event) => events.push(event));
  return events;
}

// Before the first `test`: from there on, node's runner follows every promise, which takes longer than the sequences.
const failure = await run(CODE, defaultSequences());
const [first, second] = [await eventsOfRandomSequences(), await eventsOfRandomSequences()];

test('all sequences end as they must', async () => {
  if (failure === undefined) return;
  const seed = 1 + failure.index - RARE.length;
  assert.fail(await describeFailure(CODE, failure.sequence, seed < 1 ? 'npm test' : `npm run simulate -- --seed ${seed} --sequences 1`));
});

test('the same seed gives the same events', () => assert.deepEqual(first, second));

test('the transitions that some sequence takes are those of the table, and of the diagram in src/README.md', () => {
  const table = Object.entries(STATES).flatMap(([from, { next }]) => next.map((to) => `${from} --> ${to}`));
  const toClosed = Object.keys(STATES).filter((state) => state !== 'closed').map((state) => `${state} --> closed`); // from each
  assert.deepEqual(Array.from(seen).sort(), [...table, ...toClosed].sort());
  const book = readFileSync(new URL('src/README.md', new URL(import.meta.resolve('#package'))), 'utf8');
  const [, diagram = ''] = /```mermaid\nstateDiagram-v2\n([^]*?)```/.exec(book) ?? [];
  const drawn = Array.from(diagram.matchAll(/^ *(\w+ --> \w+)/gm), ([, arrow = '']) => arrow);
  assert.deepEqual(drawn.filter((arrow) => !arrow.endsWith('closed')).sort(), table.sort());
});
