// Tests a process whose log is read late, or never, or no more. What is kept and what is dropped is in host/output.test.ts; here are the
// pipe, and the end of the process.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { temporaryFolder } from './support/certificates.ts';
import { exchange, request, requestBytes } from './support/exchange.ts';
import { makePipe } from './support/named-pipe.ts';
import { endWithUs, importing, portIn, serviceCommand, spawnService, untimed, type ServiceProcess } from './support/process.ts';

const DROPPED = 'Log lines were dropped: stdout was read too slowly.';
const LONG_PATH = `/${'x'.repeat(15_000)}`; // makes a line of the access log of the greatest length
const LONG = 'x'.repeat(100_000); // three lines with it are more than a pipe or a socket holds

// The end of the process waits a second for the reader of the log: here, until the test is over.
const PATIENT = importing('const { setTimeout } = globalThis; globalThis.setTimeout = (run, ms, ...rest) => setTimeout(run, ms === 1000 ? 2 ** 30 : ms, ...rest);');
const THROWING = importing("process.on('SIGUSR2', () => { throw new TypeError('boom'); });");

/** Starts a service whose log has `count` long access lines, of which none is read. */
async function unreadService(t: TestContext, count: number, flags: readonly string[]) {
  const service = spawnService(t, { PORT: '0', ACCESS_LOG: 'true' }, flags);
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
describe('a process whose log nobody reads', { concurrency: 4 }, () => {
  test('the last lines arrive, even when they are read late; others are dropped, and one line says how many', async (t) => {
    const count = 300; // some 4.6 MB
    const { service, port } = await unreadService(t, count, PATIENT);
    await endBySignals(service, port, 'SIGTERM');
    const { lines, code } = await service.ended();
    const requests = lines.filter(({ message }) => message === 'Request').length;
    assert.ok(requests < count);
    const warnings = lines.filter(({ message }) => message === DROPPED).map(untimed);
    assert.deepEqual(warnings, [{ level: 'warn', message: DROPPED, count: count - requests }]);
    const others = lines.map(({ message }) => message).filter((message) => message !== 'Request' && message !== DROPPED);
    assert.deepEqual([others, code], [['Stopping', 'Closing: no new connections, waiting for requests in progress', 'Stopped'], 0]);
  });

  test('each mistake in the configuration arrives in a whole line, even when it is read late', async (t) => {
    const names = ['HOST', 'PORT', 'REUSE_PORT', 'HTTPS_PORT', 'HTTPS_REDIRECT_PORT', 'ALLOWED_HOSTS', 'ACCESS_LOG', 'KEEP_ALIVE_TIMEOUT_MS', 'MAX_CONNECTIONS'];
    const { lines, code } = await spawnService(t, Object.fromEntries(names.map((name) => [name, LONG])), PATIENT).ended();
    const started = lines.map(({ level, message, reason }) => [level, message, String(reason).replace(/ is "x{100000}", .*/, '')]);
    assert.deepEqual([started, code], [names.map((name) => ['error', 'The service cannot start.', name]), 78]);
  });

  test('after uncaught errors, too, the last line arrives, and in the meantime no connection is open', async (t) => {
    const { service, port } = await unreadService(t, 100, [...PATIENT, ...THROWING]);
    await endBySignals(service, port, 'SIGUSR2', 'SIGUSR2');
    const { lines, code } = await service.ended();
    const others = lines.map(({ message }) => message).filter((message) => message !== 'Request');
    assert.deepEqual([others, code], [['The process ends because of an error that nothing caught.'], 1]);
  });

  test('the process ends, even when its log is never read: after a start that failed', async (t) => {
    const { child } = spawnService(t, { HOST: `${LONG} `, PORT: LONG, REUSE_PORT: LONG });
    assert.deepEqual(await once(child, 'exit'), [78, null]);
  });

  test('the process ends, even when its log is never read: after a file of the service could not be loaded', async (t) => {
    const path = join(temporaryFolder(t), 'log');
    makePipe(path);
    const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    t.after(() => closeSync(pipe));
    const fill = () => { for (;;) writeSync(pipe, 'x'.repeat(4096)); };
    assert.throws(fill, { code: 'EAGAIN' });
    const throwing = importing("process.getBuiltinModule = () => { throw new TypeError('boom'); };"); // node-http.ts calls it
    const [node = '', ...words] = serviceCommand(throwing);
    const child = spawn(node, words, { stdio: ['ignore', pipe, 'inherit'] });
    endWithUs(child);
    assert.deepEqual(await once(child, 'exit'), [1, null]);
  });

  test('when the reader of the log closes it, the service goes on', async (t) => {
    const { child, nextLine } = spawnService(t, { PORT: '0', ACCESS_LOG: 'true' });
    const port = portIn(await nextLine());
    child.stdout?.destroy();
    for (let i = 0; i < 50; i++) assert.equal((await request(port, 'GET', '/health')).body, 'Healthy');
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    assert.deepEqual(await exit, [0, null]);
  });
});
