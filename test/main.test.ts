// Tests the service as a process: how it starts and ends, what it logs, and that its configuration reaches the servers.
// What follows from a value is in host and server. TLS and Development are in https.test.ts.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { temporaryFolder, tlsVariables } from './support/certificates.ts';
import { listeningSocket, NO_DESCRIPTORS } from './support/descriptors.ts';
import { exchange, request, requestBytes } from './support/exchange.ts';
import { ENTRY, importing, portIn, spawnService, untimed } from './support/process.ts';
import { closed, listenOnPort } from './support/sockets.ts';

/** A file whose reader waits until it has been written: to open it for writing waits for that reader. */
function makeFifo(t: TestContext): string {
  const path = join(temporaryFolder(t), 'fifo');
  assert.equal(spawnSync('mkfifo', [path]).status, 0);
  return path;
}

/** Connects, and does nothing more. */
async function idle(t: TestContext, port: number) {
  const socket = connect({ port, host: '127.0.0.1' }).on('error', () => {}).resume();
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** The log of a stop, without counts. */
const stopOf = (signal: string, delayMs: number, timeoutMs: number) => [
  { level: 'info', message: 'Stopping', signal, delayMs },
  { level: 'info', message: 'Closing: no new connections, waiting for requests in progress', timeoutMs },
  { level: 'info', message: 'Stopped', connectionsCut: 0 },
];

const socket = await listeningSocket();

// The tests run at the same time, because they wait for processes.
describe('a process', { concurrency: true }, () => {
  test('each variable reaches the service, flags for Node do not, and the log says what happens', async (t) => {
    const environment = '"Development"';
    const service = spawnService(t, {
      PORT: '0', NODE_ENV: environment, ACCESS_LOG: 'true', ALLOWED_HOSTS: 'localhost', FAIR: 'false',
      KEEP_ALIVE_TIMEOUT_MS: '1', MAX_CONNECTIONS: '2', SHUTDOWN_DELAY_MS: '1', SHUTDOWN_TIMEOUT_MS: '7000',
      NODE_OPTIONS: '--insecure-http-parser --max-http-header-size=65536',
    });
    const almost = 'NODE_ENV is almost Development, but not exactly: the API description is off.';
    assert.deepEqual(untimed(await service.nextLine()), { level: 'warn', message: almost, environment });
    const listening = await service.nextLine();
    const port = portIn(listening);
    const address = `http://127.0.0.1:${port}`;
    assert.deepEqual(untimed(listening), { level: 'info', message: 'Listening', address, environment });

    const upgrade = requestBytes('GET', '/health', ['Connection: upgrade', 'Upgrade: h2c']);
    for (const [bytes, status] of [
      ['BREW /health HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
      [requestBytes('GET', '/health', ['Content-Length: 0', 'Transfer-Encoding: chunked']), 400],
      [requestBytes('GET', '/health', [`X: ${'x'.repeat(16_384)}`]), 431],
      ['GET /health HTTP/1.1\r\nHost: other\r\n\r\n', 421],
      [requestBytes('GET', '/openapi/v1.json'), 404],
      // Node throws away what comes in a packet after Upgrade; the idle connection is closed.
      [upgrade + requestBytes('GET', '/health', []), 200],
    ] as const) assert.deepEqual((await exchange(port, bytes)).replies.map((reply) => reply.status), [status]);
    const before = Date.now();
    const parent = 'traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const { body } = await request(port, 'GET', '/api/greetings?name=Ada', [parent]);
    const generatedAt = Date.parse(JSON.parse(body).generatedAt);
    assert.ok(before <= generatedAt && generatedAt <= Date.now());
    let line = await service.nextLine();
    while (line['path'] !== '/api/greetings') line = await service.nextLine();
    const { durationMs, traceId, ...fields } = untimed(line);
    const asked = { method: 'GET', path: '/api/greetings', status: 200, remoteAddress: '127.0.0.1' };
    assert.deepEqual(fields, { level: 'info', message: 'Request', ...asked });
    assert.ok(typeof durationMs === 'number' && durationMs >= 0);
    assert.match(String(traceId), /^00-4bf92f3577b34da6a3ce929d0e0e4736-[\da-f]{16}-01$/);
    const all = [await idle(t, port), await idle(t, port), await idle(t, port)];
    await Promise.race(all.map(closed));

    service.child.kill('SIGHUP');
    const nothing = { level: 'info', message: 'There are no TLS files to read again.' };
    assert.deepEqual(untimed(await service.nextLine()), nothing);
    service.child.kill('SIGQUIT');
    const { lines, code } = await service.ended();
    const refused = 'Requests were refused, or connections ended early, in the last minute.';
    const tooMany = 'Connections were closed in the last minute, because there were too many of them.';
    const ofNode = { HPE_INVALID_METHOD: 1, HPE_INVALID_TRANSFER_ENCODING: 1, HPE_HEADER_OVERFLOW: 1 };
    // How many were closed depends on how soon the service hears of clients that leave.
    const told = lines.map(untimed)
      .map((one) => (one.message === tooMany ? Object.keys(Object(one['byReason'])) : one));
    assert.deepEqual([told, code], [[
      ...stopOf('SIGQUIT', 1, 7_000),
      { level: 'warn', message: refused, byReason: { ...ofNode, hostNotAllowed: 1 } },
      ['newRefused'],
    ], 0]);
  });

  test('each reason why it cannot start is a line of the log, and decides the exit code', async (t) => {
    const other = createServer();
    t.after(() => other.close());
    const PORT = String(await listenOnPort(other));
    const inUse = `Error: listen EADDRINUSE: address already in use 127.0.0.1:${PORT}`;
    const rows = [
      [{ PORT }, [], 1, `Cannot listen on 127.0.0.1 port ${PORT}: ${inUse}.`],
      [{ FAIR: 'x', TLS_KEY_FILE: 'k', HTTPS_PORT: '1' }, [], 78, 'FAIR is "x", but must be true or false.',
        'TLS_KEY_FILE is set, so TLS_CERT_FILE must be set.'],
      [{ PORT: '0' }, [ENTRY], 78, // it is an argument when it is there once more
        'The process takes no arguments: it is configured by the environment variables in README.md.'],
    ] as const;
    await Promise.all(rows.map(async ([env, flags, exitCode, ...reasons]) => {
      const { lines, code } = await spawnService(t, env, flags).ended();
      const expected = reasons.map((reason) => ({ level: 'error', message: 'The service cannot start.', reason }));
      assert.deepEqual([lines.map(untimed), code], [expected, exitCode]);
    }));
  });

  test('while the service is loaded, SIGHUP changes nothing, and a signal to stop ends the process', async (t) => {
    const [, hooks] = importing(`let port;
      export function initialize(data) { port = data; }
      export async function load(url, context, next) {
        if (!/\\/start\\.[jt]s$/.test(url)) return next(url, context);
        process.kill(process.pid, 'SIGHUP');
        port.postMessage('SIGUSR2');
        return new Promise(() => {});
      }`);
    const loading = importing(`import { register } from 'node:module';
      const { port1, port2 } = new MessageChannel();
      port1.on('message', (signal) => process.kill(process.pid, signal)); // so SIGHUP comes first
      register(${JSON.stringify(hooks)}, { data: port2, transferList: [port2] });
      setTimeout(() => {}, 60_000);`);
    const service = spawnService(t, { PORT: '0' }, ['--no-deprecation', ...loading]);
    assert.deepEqual(await service.ended(), { lines: [], code: 0, signal: null });
  });

  const late = process.versions.node < '22.18' && 'older Nodes tell of the signal when the service listens';
  test('after a signal during the start nothing is listened on', { skip: late }, async (t) => {
    const tls = tlsVariables();
    const TLS_KEY_FILE = makeFifo(t);
    const service = spawnService(t, { PORT: '0', SHUTDOWN_DELAY_MS: '0', ...tls, TLS_KEY_FILE });
    const fifo = await open(TLS_KEY_FILE, 'w'); // the service is reading it
    service.child.kill('SIGTERM');
    await fifo.writeFile(readFileSync(tls.TLS_KEY_FILE));
    await fifo.close();
    const { lines, code } = await service.ended();
    assert.deepEqual([lines.map(untimed), code], [stopOf('SIGTERM', 0, 10_000), 0]);
  });

  test('an uncaught error closes all connections and the port, and ends the process with exit code 1', async (t) => {
    const path = makeFifo(t); // the process waits for it before it exits
    const failing = importing(`import { readFileSync } from 'node:fs';
      process.on('exit', () => readFileSync(${JSON.stringify(path)}));
      process.on('SIGWINCH', () => { throw new TypeError('boom'); });`);
    const service = spawnService(t, { PORT: '0' }, failing);
    const port = portIn(await service.nextLine());
    const kept = await idle(t, port);
    service.child.kill('SIGWINCH');
    await closed(kept);
    await assert.rejects(request(port, 'GET', '/health'), { code: 'ECONNREFUSED' });
    await (await open(path, 'w')).close();
    const { lines, code } = await service.ended();
    const { level, message, error } = Object(lines[0]);
    const fatal = ['fatal', 'The process is exiting because of an uncaught error.', 'boom', 1, 1];
    assert.deepEqual([level, message, error.message, lines.length, code], fatal);
  });

  const CROWD = 600; // more than the queue that Node asks for by default, 511
  const longest = NO_DESCRIPTORS ? 0 : Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'));
  const queued = { skip: longest < CROWD && 'the kernel has short queues' };
  test('a crowd waits in the queue of the kernel while the process cannot accept', queued, async (t) => {
    const services = [spawnService(t, { PORT: '0' }), spawnService(t, {}, [], [socket.fd])];
    const ports = await Promise.all(services.map(async ({ nextLine }) => portIn(await nextLine())));
    socket.giveUp();
    for (const { child } of services) child.kill('SIGSTOP');
    for (const port of ports) await Promise.all(Array.from({ length: CROWD }, () => idle(t, port)));
  });
});
