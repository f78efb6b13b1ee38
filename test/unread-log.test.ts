// Tests a process whose log is read late, never, or no longer. What is kept and what is dropped is in host/output.test.ts; here are the
// pipe, and the end of the process.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { exchange, request, requestBytes } from './support/exchange.ts';
import { importing, portIn, spawnService } from './support/process.ts';

const DROPPED = 'Log lines were dropped: stdout was read too slowly.';
const LONG_PATH = `/${'x'.repeat(15_000)}`; // makes a line of the access log of the greatest length
const COUNT = 300; // such lines have some 4.6 MB

// The end of the process waits a second for the reader of the log: here, until the test is over.
const PATIENT = importing(`
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (run, ms, ...rest) => setTimeout(run, ms === 1000 ? 2 ** 30 : ms, ...rest);
  process.on('SIGUSR2', () => { throw new TypeError('boom'); });
`);

// The tests run at the same time, because they wait for processes.
describe('a process whose log is not read', { concurrency: true }, () => {
  test('after uncaught errors it closes its connections; what it kept arrives, however late, and how many lines it dropped', async (t) => {
    const service = spawnService(t, { PORT: '0', ACCESS_LOG: 'true' }, PATIENT);
    const port = portIn(await service.nextLine());
    const { replies } = await exchange(port, requestBytes('GET', LONG_PATH, []).repeat(COUNT - 1) + requestBytes('GET', LONG_PATH));
    assert.equal(replies.length, COUNT);
    const kept = connect({ port, host: '127.0.0.1' });
    await once(kept, 'connect');
    const closed = once(kept.on('error', () => {}).resume(), 'close');
    for (let errors = 0; errors < 2; errors += 1) service.child.kill('SIGUSR2');
    await closed;
    await assert.rejects(request(port, 'GET', '/health'), /ECONNREFUSED|ECONNRESET/); // reset: while the port was being closed

    const { lines, code } = await service.ended();
    const requests = lines.filter(({ message }) => message === 'Request').length;
    const others = lines.filter(({ message }) => message !== 'Request')
      .map(({ level, message, count, error }) => [level, message, count ?? Object(error).message]);
    assert.ok(requests < COUNT);
    assert.deepEqual([others, code], [[
      ['fatal', 'The process is exiting because of an uncaught error.', 'boom'], ['warn', DROPPED, COUNT - requests],
    ], 1]);
  });

  test('the process ends, even when its log is never read: after a file of the service could not be loaded', async (t) => {
    const whileLoading = "globalThis.RegExp = class { constructor() { throw new TypeError('x'.repeat(300_000)); } };";
    const { child } = spawnService(t, {}, importing(whileLoading));
    assert.deepEqual(await once(child, 'exit'), [1, null]);
  });
});
