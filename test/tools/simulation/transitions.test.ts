// The diagram in src/README.md has the transitions that are seen, and no others.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { folderOfProcess } from '../../support/certificates.ts';
import { RARE } from '../../support/sequences/rare-sequences.ts';
import { explore, OBSERVED, observeTransitions, TRACE_LENGTH } from './explore.ts';
import { loadCopy } from './service.ts';
import { run } from './run.ts';

const SEED = 3;
const SEQUENCES = 1_500;

/** The edges of the state diagram, as `idle --> receiving: consume`. Two to `closed` are in every state, and not drawn. */
function drawn(): string[] {
  const book = readFileSync(new URL('src/README.md', new URL(import.meta.resolve('#package'))), 'utf8');
  const [, diagram = ''] = /```mermaid\nstateDiagram-v2\n([^]*?)```/.exec(book) ?? [];
  const edges = Array.from(diagram.matchAll(/(\w+) --> (\w+): .*\((\w+)\)$/gm));
  const states = new Set([...edges.map(([, from]) => from), 'lingering']);
  const ends = Array.from(states, (state) => ['cut', 'closed'].map((by) => `${state} --> closed: ${by}`)).flat();
  return [...edges.map(([, from, to, by]) => `${from} --> ${to}: ${by}`), ...ends];
}

// Before the first `test`, as in simulation.test.ts.
const { transitions, combinations } = observeTransitions();
function* sequences() {
  yield* RARE;
  yield* explore(SEED, SEQUENCES, () => transitions.size + combinations.size);
}
const { failure } = await run(await loadCopy(folderOfProcess(), OBSERVED), sequences(), TRACE_LENGTH);

test('each transition in the diagram of a connection is taken by some sequence, and each that is taken is in the diagram', () => {
  assert.equal(failure, undefined);
  assert.deepEqual(drawn().sort(), Array.from(transitions).sort());
});
