// Tests a process whose log is read late, never, or no longer. What is kept and what is dropped is in host/output.test.ts; here are the
// pipe, and the end of the process.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { exchange, request, requestBytes } from './support/exchange.ts';
import { importing, portIn, spawnService, untimed, type ServiceProcess } from './support/process.ts';

const DROPPED = 'Log lines were dropped: stdout was read too slowly.';
const LONG_PATH = `/${'x'.repeat(15_000)}`; // makes a line of the access log of the greatest length

// The end of the process waits a second for the reader of the log: here, until the test is over.
const PATIENT = importing(`
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (run, ms, ...rest) => setTimeout(run, ms === 1000 ? 2 ** 30 : ms, ...rest);
  process.on('SIGUSR2', () => { throw new TypeError('boom'); });
`);

/** Starts a service whose log has `count` long access lines, of which none is read. */
async function unreadService(t: TestContext, count: number) {
  const service = spawnService(t, { PORT: '0', ACCESS_LOG: 'true' }, PATIENT);
  const port = portIn(await service.nextLine());
  const { replies } = await exchange(port, requestBytes('GET', LONG_PATH, []).repeat(count - 1) + requestBytes('GET', LONG_PATH));
  assert.equal(replies.length, count);
  return { service, port };
}

/** Sends the signals. Resolves when the service has no connection, and listens no more. */
async function endBySignals({ child }: ServiceProcess, port: number, ...signals: readonly NodeJS.Signals[]): Promise<void> {
  const kept = connect({ port, host: '127.0.0.1' }).on('error', () => {}); // being closed before it is accepted
  await once(kept, 'connect');
  const closed = new Promise((resolve) => kept.resume().once('close', resolve));
  for (const signal of signals) child.kill(signal);
  await closed;
  await assert.rejects(request(port, 'GET', '/health'), /ECONNREFUSED|ECONNRESET/); // reset: while the port was being closed
}

// The tests run at the same time, because they wait for processes.
describe('a process whose log is not read', { concurrency: 4 }, () => {
  test('the last lines arrive, even when they are read late; others are dropped, and one line says how many', async (t) => {
    const count = 300; // some 4.6 MB
    const { service, port } = await unreadService(t, count);
    await endBySignals(service, port, 'SIGTERM');
    const { lines, code } = await service.ended();
    const requests = lines.filter(({ message }) => message === 'Request').length;
    assert.ok(requests < count);
    const warnings = lines.filter(({ message }) => message === DROPPED).map(untimed);
    assert.deepEqual(warnings, [{ level: 'warn', message: DROPPED, count: count - requests }]);
    const others = lines.map(({ message }) => message).filter((message) => message !== 'Request' && message !== DROPPED);
    assert.deepEqual([others, code], [['Stopping', 'Closing: no new connections, waiting for requests in progress', 'Stopped'], 0]);
  });

  test('the last line also arrives after uncaught errors, and no connection is open in the meantime', async (t) => {
    const { service, port } = await unreadService(t, 100);
    await endBySignals(service, port, 'SIGUSR2', 'SIGUSR2');
    const { lines, code } = await service.ended();
    const others = lines.filter(({ message }) => message !== 'Request')
      .map(({ level, message, error }) => [level, message, Object(error).message]);
    assert.deepEqual([others, code], [[['fatal', 'The process is exiting because of an uncaught error.', 'boom']], 1]);
  });

  test('the process ends, even when its log is never read: after a file of the service could not be loaded', async (t) => {
    const throwing = importing("globalThis.RegExp = class { constructor() { throw new TypeError('x'.repeat(300_000)); } };"); // while a file is loaded
    const { child } = spawnService(t, {}, throwing);
    assert.deepEqual(await once(child, 'exit'), [1, null]);
  });
});
