// Tests a process whose log is read late, or never, or no more. What is kept and what is dropped is in host/output.test.ts; here are the
// pipe, and the end of the process.
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { describe, test, type TestContext } from 'node:test';
import { ENTRY, importing, parseLine, portIn, spawnService, type LogLine } from './support/process.ts';
import { exchange, request, requestBytes } from './support/exchange.ts';

const DROPPED = 'Log lines were dropped: stdout was read too slowly.';
const LONG_PATH = `/${'x'.repeat(15_000)}`; // makes a line of the access log of the greatest length

/** Starts a service whose log has `count` long access lines, of which none is read. */
async function unreadService(t: TestContext, count: number, env: Readonly<Record<string, string>> = {}) {
  const throwing = importing("process.on('SIGUSR2', () => { throw new TypeError('boom'); });");
  const child = spawn(process.execPath, [...throwing, ENTRY], { env: { PORT: '0', ACCESS_LOG: 'true', ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  t.after(() => child.kill('SIGKILL'));
  const [start] = await once(child.stdout, 'data');
  child.stdout.pause();
  const port = portIn(parseLine(String(start)));
  const { replies } = await exchange(port, requestBytes('GET', LONG_PATH, []).repeat(count - 1) + requestBytes('GET', LONG_PATH));
  assert.equal(replies.length, count);
  return { child, exit, port };
}

/** Reads the rest of the log, and calls `seen` with each message. */
async function readLog(stdout: Readable, seen: (message: string) => void = () => {}): Promise<LogLine[]> {
  const lines: LogLine[] = [];
  for await (const text of createInterface({ input: stdout.resume() })) {
    const line = parseLine(text);
    lines.push(line);
    seen(line.message);
  }
  return lines;
}

const ends = [
  ['a stop', ['SIGTERM'], ['Stopping', 'Closing: no new connections, waiting for requests in progress', 'Stopped'], 0],
  ['a second signal', ['SIGTERM', 'SIGINT'], ['Stopping', 'Stopping at once on a second signal'], 1],
  ['an uncaught error', ['SIGUSR2'], ['The process ends because of an error that nothing caught.'], 1],
  ['two uncaught errors', ['SIGUSR2', 'SIGUSR2'], ['The process ends because of an error that nothing caught.'], 1],
] as const;

/** Sends the signals. Resolves when the service listens no more and has no connection, so that it only waits for the reader of its log. */
async function endBySignals(child: ChildProcess, port: number, [first, second]: readonly NodeJS.Signals[]): Promise<void> {
  const kept = connect({ port, host: '127.0.0.1' }).on('error', () => {}); // being closed before it is accepted
  await once(kept, 'connect');
  const closed = once(kept.resume(), 'close');
  child.kill(first);
  if (first === 'SIGTERM' && second !== undefined) while ((await request(port, 'GET', '/health')).status !== 503);
  else await closed;
  if (second !== undefined) child.kill(second);
  await closed;
  await assert.rejects(request(port, 'GET', '/health'), /ECONNREFUSED|ECONNRESET/); // reset: while the port was being closed
}

// The tests run at the same time, because they wait for processes.
describe('a process whose log nobody reads', { concurrency: 4 }, () => {
  for (const [what, signals, messages, code] of ends) {
    // A second signal must come before the stop is over.
    const env = { SHUTDOWN_DELAY_MS: signals[1] === 'SIGINT' ? '60000' : '0' };

    test(`the last lines of the log arrive, even when they are read late, and others are dropped: ${what}`, { timeout: 30_000 }, async (t) => {
      const { child, exit, port } = await unreadService(t, 300, env); // some 4.6 MB
      await endBySignals(child, port, signals);
      const received = (await readLog(child.stdout)).map(({ message }) => message).filter((message) => message !== 'Request');
      assert.deepEqual(received.filter((message) => message !== DROPPED), messages);
      assert.deepEqual([received.length, await exit], [messages.length + 1, [code, null]]);
    });

    test(`the process ends, even when its log is never read: ${what}`, { timeout: 30_000 }, async (t) => {
      const { child, exit, port } = await unreadService(t, 100, env);
      await endBySignals(child, port, signals);
      assert.deepEqual(await exit, [code, null]);
    });
  }

  test('the process ends, even when its log is never read: a start that fails', { timeout: 30_000 }, async (t) => {
    const env = { HOST: 'x x'.repeat(40_000), PORT: 'x'.repeat(120_000), REUSE_PORT: 'x'.repeat(120_000) }; // more than a pipe or a socket holds
    const child = spawn(process.execPath, [ENTRY], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(() => child.kill('SIGKILL'));
    assert.deepEqual(await once(child, 'exit'), [78, null]);
  });

  test('when nobody reads the log and lines are dropped, one line says how many', async (t) => {
    const { child } = await unreadService(t, 300); // some 4.6 MB
    const lines = await readLog(child.stdout, (message) => {
      if (message === DROPPED) child.kill('SIGTERM');
    });
    const warnings = lines.filter(({ message }) => message === DROPPED);
    const requests = lines.filter(({ message }) => message === 'Request').length;
    assert.ok(requests < 300);
    assert.deepEqual(warnings.map(({ time, ...line }) => line), [{ level: 'warn', message: DROPPED, count: 300 - requests }]);
  });

  test('when the reader of the log closes it, the service goes on', async (t) => {
    const service = spawnService(t, { PORT: '0', ACCESS_LOG: 'true' });
    const port = portIn(await service.nextLine());
    service.child.stdout?.destroy();
    for (let i = 0; i < 50; i++) assert.equal((await request(port, 'GET', '/health')).body, 'Healthy');
    service.child.kill('SIGTERM');
    const [code] = await once(service.child, 'exit');
    assert.equal(code, 0);
  });
});
