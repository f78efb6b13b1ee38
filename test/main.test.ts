// Tests the service as a process: how it starts and ends, what it logs, and that its configuration reaches the servers. What follows from a
// value of the configuration is in host and server; Development is in permission.test.ts, Production in readme.test.ts.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { describe, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { tlsVariables } from './support/certificates.ts';
import { exchange, exchangeOn, request, requestBytes } from './support/exchange.ts';
import { ENTRY, importing, portIn, spawnService, untimed } from './support/process.ts';
import { listenOnPort } from './support/sockets.ts';

// The tests run at the same time, because they wait for processes.
describe('a process', { concurrency: true }, () => {
  for (const SERVER of ['strict', 'node']) {
    test(`${SERVER}: each variable reaches the service, flags for the parser of Node do not, and the log says what happens`, async (t) => {
      const environment = 'development';
      const service = spawnService(t, {
        SERVER, PORT: '0', NODE_ENV: environment, ACCESS_LOG: 'true', ALLOWED_HOSTS: 'localhost',
        KEEP_ALIVE_TIMEOUT_MS: '1', SHUTDOWN_DELAY_MS: '1', SHUTDOWN_TIMEOUT_MS: '7000',
        NODE_OPTIONS: '--insecure-http-parser --max-http-header-size=65536',
      });
      const almost = 'NODE_ENV is almost Development, but not exactly: the API description is off.';
      assert.deepEqual(untimed(await service.nextLine()), { level: 'warn', message: almost, environment });
      const listening = await service.nextLine();
      assert.equal(listening['environment'], environment);

      const port = portIn(listening);
      for (const [bytes, status] of [
        ['GET /health HTTP/1.1\nHost: localhost\n\n', 400],
        [`GET /health HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(16_384)}\r\n\r\n`, 431],
        ['GET /health HTTP/1.1\r\nHost: other\r\n\r\n', 421],
        [requestBytes('GET', '/openapi/v1.json'), 404],
      ] as const) assert.deepEqual((await exchange(port, bytes)).replies.map((reply) => reply.status), [status]);
      const { replies: [kept], ended } = await exchange(port, requestBytes('GET', '/health', []));
      assert.match(kept?.headers.at(-1) ?? '', /^Connection: keep-alive/);
      assert.ok(ended, 'an idle connection is closed');
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
      service.child.kill('SIGHUP');
      assert.deepEqual(untimed(await service.nextLine()), { level: 'info', message: 'There are no TLS files to read again.' });
      service.child.kill('SIGTERM');
      const { lines, code } = await service.ended();
      const refused = 'Requests were refused, or connections ended early, in the last minute.';
      const byReason = { [SERVER === 'node' ? 'nodeParser' : 'lineEnd']: 1, headTooLong: 1, hostNotAllowed: 1 };
      assert.deepEqual([lines.map(untimed), code], [[
        { level: 'info', message: 'Stopping', signal: 'SIGTERM', delayMs: 1 },
        { level: 'info', message: 'Closing: no new connections, waiting for requests in progress', timeoutMs: 7000 },
        { level: 'warn', message: refused, byReason },
        { level: 'info', message: 'Stopped', connectionsCut: 0 },
      ], 0]);
    });
  }

  test('the log has errors in a handler, connections closed at MAX_CONNECTIONS, and accepts that failed', async (t) => {
    // When the service tries to open a file, there is no descriptor for it, and a line says so.
    const failing = importing(`import fs from 'node:fs';
      import net from 'node:net';
      const { now } = Date;
      Date.now = () => { if (new Error().stack.includes('/api/')) throw new TypeError('boom'); return now(); };
      const error = (code) => Object.assign(new Error('failed'), { code });
      const { listen } = net.Server.prototype;
      net.Server.prototype.listen = function (...args) {
        this.once('listening', () => setImmediate(() => this.emit('error', error('ENOBUFS'))));
        return listen.apply(this, args);
      };
      fs.open = (file, done) => {
        fs.open = () => {};
        done(error('EMFILE'));
        process.stdout.write(JSON.stringify({ time: new Date(), level: 'info', message: 'Tried' }) + '\\n');
      };`);
    const service = spawnService(t, { PORT: '0', MAX_CONNECTIONS: '2' }, failing);
    const port = portIn(await service.nextLine());
    for (let idle = 0; idle < 2; idle += 1) await once(connect({ port, host: '127.0.0.1' }).on('error', () => {}).resume(), 'connect');
    assert.equal((await request(port, 'GET', '/api/greetings')).status, 500);
    const lines = [await service.nextLine(), await service.nextLine()];
    const { level, message, traceId, error } = Object(lines.find((line) => line.message !== 'Tried'));
    const unhandled = 'Unhandled exception occurred while processing the request.';
    assert.deepEqual([level, message, error.message], ['error', unhandled, 'boom']);
    assert.match(String(traceId), /^00-[\da-f]{32}-[\da-f]{16}-00$/);
    service.child.kill('SIGTERM');
    const { lines: last } = await service.ended();
    const closed = 'Connections were closed in the last minute, because there were too many of them.';
    const noDescriptor = 'In some seconds of the last minute, no file descriptor was left for new connections.';
    assert.deepEqual(last.map(untimed).slice(2, -1), [
      { level: 'warn', message: 'Connections could not be accepted in the last minute.', byCode: { ENOBUFS: 1 } },
      { level: 'warn', message: closed, byReason: { idleClosed: 1 } },
      { level: 'warn', message: noDescriptor, secondsByCode: { EMFILE: 1 } },
    ]);
  });

  test('a port in use prevents the start, with exit code 1, unless each that listens there says REUSE_PORT', async (t) => {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
    const isPossible = process.platform === 'linux' && (major > 22 || (major === 22 && minor >= 12)); // as the README says
    const other = createServer();
    t.after(() => other.close());
    const port = await listenOnPort(other, { reusePort: isPossible });
    if (isPossible) assert.equal(portIn(await spawnService(t, { PORT: String(port), REUSE_PORT: 'true' }).nextLine()), port);
    const { lines, code } = await spawnService(t, { PORT: String(port) }).ended();
    const reason = `Cannot listen on 127.0.0.1 port ${port}: another process is listening there; stop it, or set PORT to another port.`;
    assert.deepEqual([lines.map(untimed), code], [[{ level: 'error', message: 'The service cannot start.', reason }], 1]);
  });

  test('arguments prevent the start, with one line that says where the variables are, and exit code 78; SIGHUP does not', async (t) => {
    const hangingUp = importing(`const { argv } = process;
      Object.defineProperty(process, 'argv', { get() { process.kill(process.pid, 'SIGHUP'); return argv; } });`);
    const { lines, code } = await spawnService(t, { PORT: '0' }, [...hangingUp, ENTRY]).ended(); // ENTRY once more is an argument
    const reason = 'The process takes no arguments: it is configured by the environment variables in README.md.';
    assert.deepEqual([lines.map((line) => line['reason']), code], [[reason], 78]);
  });

  test('after a signal during the start, no other port is listened on, and /health is 503 until a second signal', async (t) => {
    const signalled = importing(`import net from 'node:net';
      const { listen } = net.Server.prototype;
      net.Server.prototype.listen = function (...args) {
        process.emit('SIGTERM', 'SIGTERM');
        return listen.apply(this, args);
      };`);
    const service = spawnService(t, { PORT: '0', SHUTDOWN_DELAY_MS: '60000', ...tlsVariables() }, signalled);
    assert.deepEqual(untimed(await service.nextLine()), { level: 'info', message: 'Stopping', signal: 'SIGTERM', delayMs: 60_000 });
    const listening = await service.nextLine();
    assert.match(String(listening['address']), /^https:/);
    const socket = connectTls({ port: portIn(listening), host: '127.0.0.1', rejectUnauthorized: false });
    const fields = ['Content-Type: text/plain', 'Cache-Control: no-store', 'X-Content-Type-Options: nosniff', 'Content-Length: 9'];
    const headers = [...fields, 'Date: now', 'Connection: close'];
    assert.deepEqual(await exchangeOn(socket, requestBytes('GET', '/health', [])), {
      replies: [{ statusLine: 'HTTP/1.1 503 Service Unavailable', status: 503, headers, body: 'Unhealthy' }],
      ended: true,
    });
    service.child.kill('SIGINT');
    const { lines, code } = await service.ended();
    const atOnce = { level: 'warn', message: 'Stopping at once on a second signal', signal: 'SIGINT' };
    assert.deepEqual([lines.map(untimed), code], [[atOnce], 1]);
  });

  test('after uncaught errors it closes its connections; what it kept arrives, however late, and how many lines it dropped', async (t) => {
    // The end of the process waits a second for the reader of the log: here, until the test is over.
    const patient = importing(`const { setTimeout } = globalThis;
      globalThis.setTimeout = (run, ms, ...rest) => setTimeout(run, ms === 1000 ? 2 ** 30 : ms, ...rest);
      process.on('SIGUSR2', () => { throw new TypeError('boom'); });`);
    const service = spawnService(t, { PORT: '0', ACCESS_LOG: 'true' }, patient);
    const port = portIn(await service.nextLine());
    const path = `/${'x'.repeat(15_000)}`; // makes a line of the access log of the greatest length
    const count = 300; // such lines have some 4.6 MB
    const { replies } = await exchange(port, requestBytes('GET', path, []).repeat(count - 1) + requestBytes('GET', path));
    assert.equal(replies.length, count);
    const kept = connect({ port, host: '127.0.0.1' });
    await once(kept, 'connect');
    const closed = once(kept.on('error', () => {}).resume(), 'close');
    for (let errors = 0; errors < 2; errors += 1) service.child.kill('SIGUSR2');
    await closed;
    await assert.rejects(request(port, 'GET', '/health'), /ECONNREFUSED|ECONNRESET/); // reset: while the port was being closed

    const { lines, code } = await service.ended();
    const requests = lines.filter(({ message }) => message === 'Request').length;
    const others = lines.filter(({ message }) => message !== 'Request')
      .map((line) => [line.level, line.message, line['count'] ?? Object(line['error']).message]);
    assert.ok(requests < count);
    assert.deepEqual([others, code], [[
      ['fatal', 'The process is exiting because of an uncaught error.', 'boom'],
      ['warn', 'Log lines were dropped: stdout was read too slowly.', count - requests],
    ], 1]);
  });
});
