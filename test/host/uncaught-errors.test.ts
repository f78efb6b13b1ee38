import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { parseLine } from '../support/process.ts';

const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const host = new URL('../../src/host/', import.meta.url);

function run(script: string) {
  const imports = `
    import { installUncaughtErrorHandler } from '${host}uncaught-errors.${extension}';
    import { StartError } from '${host}start-error.${extension}';
    import { createLog } from '${host}log.${extension}';
    const log = createLog((line) => process.stdout.write(line));
    installUncaughtErrorHandler(log, (exitCode) => { log('info', 'exit', { exitCode }); process.exit(exitCode); });`;
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', imports + script], { encoding: 'utf8', timeout: 10_000 });
  return { status, lines: stdout.split('\n').filter((line) => line !== '').map(parseLine) };
}

for (const [what, script, error] of [
  ['an uncaught exception', "setTimeout(() => { throw new TypeError('boom'); });", /^\{"name":"TypeError","message":"boom","stack":"TypeError: boom\\n .*"\}$/],
  ['an unhandled rejection', "Promise.reject(new TypeError('boom')); setInterval(() => {}, 1000);", /^\{"name":"TypeError","message":"boom","stack":".*"\}$/],
  ['an error while the entry point is evaluated', "throw new TypeError('boom');", /^\{"name":"TypeError","message":"boom","stack":".*"\}$/],
  ['a rejection with a value that is not an Error', 'Promise.reject(7);', /./],
] as const) {
  test(`${what} is logged in one line at level fatal, and the exit code is 1`, () => {
    const { status, lines } = run(script);
    assert.equal(status, 1);
    assert.deepEqual(lines.map(({ level, message, exitCode }) => [level, message, exitCode]), [['fatal', 'The process ends because of an error that nothing caught.', undefined], ['info', 'exit', 1]]);
    assert.match(JSON.stringify(lines[0]?.['error']), error);
  });
}

for (const exitCode of [1, 78]) {
  test(`a StartError is logged in one line for each reason, without a stack; then the process exits with the code of the error, ${exitCode}`, () => {
    const { status, lines } = run(`await 1; throw new StartError(['One.', 'Two.'], ${exitCode});`);
    assert.equal(status, exitCode);
    const line = { level: 'error', message: 'The service cannot start.' };
    assert.deepEqual(lines.map(({ time, ...fields }) => fields), [{ ...line, reason: 'One.' }, { ...line, reason: 'Two.' }, { level: 'info', message: 'exit', exitCode }]);
  });
}
