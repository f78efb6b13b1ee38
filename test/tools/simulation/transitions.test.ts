// The table of states and the diagram in src/README.md have the transitions that are seen, and no others.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { STATES } from '../../../src/server/states.ts';
import { folderOfProcess } from '../../support/certificates.ts';
import { RARE } from '../../support/sequences/rare-sequences.ts';
import { explore, OBSERVED, observeTransitions, TRACE_LENGTH } from './explore.ts';
import { loadCopy } from './service.ts';
import { run } from './run.ts';

const SEED = 3;
const SEQUENCES = 1_500;

/** The arrows of the state diagram, as `idle --> head`. From each state one more leads to `closed`, which need not be drawn. */
function drawn(): Set<string> {
  const book = readFileSync(new URL('src/README.md', new URL(import.meta.resolve('#package'))), 'utf8');
  const [, diagram = ''] = /```mermaid\nstateDiagram-v2\n([^]*?)```/.exec(book) ?? [];
  const arrows = Array.from(diagram.matchAll(/^ *(\w+) --> (\w+)/gm), ([, from, to]) => [`${from} --> ${to}`, `${from} --> closed`]);
  return new Set(arrows.flat());
}

// Before the first `test`, as in simulation.test.ts.
const { transitions, combinations } = observeTransitions();
function* sequences() {
  yield* RARE;
  yield* explore(SEED, SEQUENCES, () => transitions.size + combinations.size);
}
const { failure } = await run(await loadCopy(folderOfProcess(), OBSERVED), sequences(), TRACE_LENGTH);

test('the transitions that some sequence takes are those of the table, and of the diagram', () => {
  assert.equal(failure, undefined);
  const table = Object.entries(STATES).flatMap(([from, { next }]) => next.map((to) => `${from} --> ${to}`));
  assert.deepEqual(Array.from(transitions).sort(), table.sort());
  assert.deepEqual(Array.from(drawn()).sort(), table);
});
