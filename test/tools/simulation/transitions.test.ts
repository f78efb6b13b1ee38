// The table of states and the diagram in src/README.md have the transitions that are seen, and no others.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { STATES } from '../../../src/server/states.ts';
import { folderOfProcess } from '../../support/certificates.ts';
import { randomSequences } from '../../support/sequences/random-sequence.ts';
import { RARE } from '../../support/sequences/rare-sequences.ts';
import { loadCopy } from './service.ts';
import { run } from './run.ts';

const OBSERVER = 'the observer of transitions';
const OBSERVED = { // makes the service tell each change of state
  file: 'server/connection',
  text: 'if (this.#state.enter(state))',
  replacement: `globalThis['${OBSERVER}'](this.#state.name, state); if (this.#state.enter(state))`,
};

/** The arrows of the state diagram, as `idle --> head`. */
function drawn(): readonly string[] {
  const book = readFileSync(new URL('src/README.md', new URL(import.meta.resolve('#package'))), 'utf8');
  const [, diagram = ''] = /```mermaid\nstateDiagram-v2\n([^]*?)```/.exec(book) ?? [];
  return Array.from(diagram.matchAll(/^ *(\w+ --> \w+)/gm), ([, arrow = '']) => arrow);
}

// Before the first `test`, as in simulation.test.ts.
const transitions = new Set<string>();
Object.assign(globalThis, { [OBSERVER]: (from: string, to: string) => { if (from !== 'closed') transitions.add(`${from} --> ${to}`); } });
const { failure } = await run(await loadCopy(folderOfProcess(), OBSERVED), [...RARE, ...randomSequences(1, 1_000)]);

test('the transitions that some sequence takes are those of the table, and of the diagram', () => {
  assert.equal(failure, undefined);
  const table = Object.entries(STATES).flatMap(([from, { next }]) => next.map((to) => `${from} --> ${to}`));
  const toClosed = Object.keys(STATES).filter((state) => state !== 'closed').map((state) => `${state} --> closed`); // from each
  assert.deepEqual(Array.from(transitions).sort(), [...table, ...toClosed].sort());
  assert.deepEqual(drawn().filter((arrow) => !arrow.endsWith('closed')).sort(), table.sort());
});
