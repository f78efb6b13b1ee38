// The diagram in src/README.md has the transitions that are seen, and no others.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { temporaryFolder } from '../../support/certificates.ts';
import { RARE } from '../../support/sequences/rare-sequences.ts';
import { explore } from './explore.ts';
import { loadCopy } from './load-copy.ts';
import { run } from './run.ts';
import { OBSERVED, observeTransitions, TRACE_LENGTH } from './transitions.ts';

const SEED = 3;
const SEQUENCES = 1_500;

/** The edges of the state diagram between two states: `idle --> waiting: goOn`. */
function drawn(): string[] {
  const book = readFileSync(new URL('src/README.md', new URL(import.meta.resolve('#package'))), 'utf8');
  const [, diagram = ''] = /```mermaid\nstateDiagram-v2\n([^]*?)```/.exec(book) ?? [];
  return diagram.split('\n').map((line) => line.trim()).filter((line) => /^\w+ --> \w+: /.test(line));
}

test('each transition in the diagram of a connection is taken by some sequence, and each that is taken is in the diagram', async (t) => {
  const { transitions, combinations } = observeTransitions();
  const code = await loadCopy(temporaryFolder(t), OBSERVED);
  function* sequences() {
    yield* RARE;
    yield* explore(SEED, SEQUENCES, () => transitions.size + combinations.size);
  }
  const { failure } = await run(code, sequences(), undefined, TRACE_LENGTH);
  assert.equal(failure, undefined);
  assert.deepEqual(drawn().sort(), Array.from(transitions).sort());
});
