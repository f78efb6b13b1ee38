// Tests the service as a process: how it starts, what it logs, and that its configuration reaches the servers. What follows from a value
// of the configuration is in host and server; Development is in permission.test.ts, Production in readme.test.ts.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { makeCertificate, temporaryFolder } from './support/certificates.ts';
import { exchange, exchangeOn, request, requestBytes } from './support/exchange.ts';
import { addressIn, importing, portIn, serviceCommand, spawnProcess, spawnService, untimed } from './support/process.ts';

const CLOSING = 'Closing: no new connections, waiting for requests in progress';

test('each variable reaches the service, flags for the parser of node do not, and the log has the address that was really bound', async (t) => {
  const service = spawnService(t, {
    PORT: '0', NODE_ENV: 'development', ACCESS_LOG: 'true', ALLOWED_HOSTS: 'localhost', KEEP_ALIVE_TIMEOUT_MS: '300', SHUTDOWN_DELAY_MS: '1', SHUTDOWN_TIMEOUT_MS: '7000',
    NODE_OPTIONS: '--insecure-http-parser --max-http-header-size=65536',
  });
  const environment = 'development';
  assert.deepEqual(untimed(await service.nextLine()), { level: 'warn', message: 'NODE_ENV is almost Development, but not exactly: the API description is off.', environment });
  const listening = await service.nextLine();
  const address = addressIn(listening);
  assert.match(address, /^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
  assert.deepEqual(untimed(listening), { level: 'info', message: 'Listening', address, environment });

  const port = portIn(listening);
  for (const [bytes, status] of [
    ['GET /health HTTP/1.1\nHost: localhost\n\n', 400],
    ['GET /health HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n', 400],
    [`GET /health HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(16_384)}\r\n\r\n`, 431],
    ['GET /health HTTP/1.1\r\nHost: other\r\n\r\n', 421],
    [requestBytes('GET', '/openapi/v1.json'), 404],
  ] as const) assert.deepEqual((await exchange(port, bytes)).replies.map((reply) => reply.status), [status]);
  const { replies: [kept], ended } = await exchange(port, requestBytes('GET', '/health', []));
  assert.deepEqual([kept?.headers.at(-1)?.startsWith('Connection: keep-alive'), ended], [true, true], 'the connection is kept alive, and closed when it is idle');
  const before = Date.now();
  const { body } = await request(port, 'GET', '/api/greetings?name=Ada', ['traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01']);
  const generatedAt = Date.parse(JSON.parse(body).generatedAt);
  assert.ok(before <= generatedAt && generatedAt <= Date.now());

  service.child.kill('SIGHUP');
  for (let line = await service.nextLine(); line.message !== 'There are no TLS files to read again.'; line = await service.nextLine()) {
    if (line['path'] !== '/api/greetings') continue;
    const { durationMs, traceId, ...fields } = untimed(line);
    assert.deepEqual(fields, { level: 'info', message: 'Request', method: 'GET', path: '/api/greetings', status: 200, remoteAddress: '127.0.0.1' });
    assert.ok(typeof durationMs === 'number' && durationMs >= 0);
    assert.match(String(traceId), /^00-4bf92f3577b34da6a3ce929d0e0e4736-[\da-f]{16}-01$/);
  }
  service.child.kill('SIGTERM');
  const { lines, code } = await service.ended();
  assert.deepEqual(lines.map(untimed), [
    { level: 'info', message: 'Stopping', signal: 'SIGTERM', delayMs: 1 },
    { level: 'info', message: CLOSING, timeoutMs: 7000 },
    { level: 'warn', message: 'Requests were refused, or connections ended early, in the last minute.', byReason: { 400: 2, 421: 1, 431: 1 } },
    { level: 'info', message: 'Stopped', connectionsCut: 0 },
  ]);
  assert.equal(code, 0);
});

test('the log has errors thrown while a request is answered, the connections closed at MAX_CONNECTIONS, and errors of the listener', async (t) => {
  const failing = `import net from 'node:net';
    const { now } = Date;
    Date.now = () => { if (new Error().stack.includes('/api/')) throw new TypeError('boom'); return now(); };
    const { listen } = net.Server.prototype;
    net.Server.prototype.listen = function (...args) {
      this.once('listening', () => setImmediate(() => {
        for (const code of ['ENOBUFS', 'ENOBUFS']) this.emit('error', Object.assign(new Error('accept'), { code }));
      }));
      return listen.apply(this, args);
    };`;
  const service = spawnService(t, { PORT: '0', MAX_CONNECTIONS: '1' }, importing(failing));
  const port = portIn(await service.nextLine());
  const idle = connect({ port, host: '127.0.0.1' }).on('error', () => {}).resume();
  await once(idle, 'connect');
  const busy = connect({ port, host: '127.0.0.1' });
  // When the first of them has been answered, the content of the second has begun.
  busy.write(`${requestBytes('GET', '/api/greetings', [])}${requestBytes('POST', '/health', ['Connection: close', 'Content-Length: 2'])}a`);
  const [first] = await once(busy, 'data');
  assert.match(String(first), /^HTTP\/1\.1 500 /);
  const refused = connect({ port, host: '127.0.0.1' }).on('error', () => {}).resume(); // being closed
  refused.write(requestBytes('GET', '/health'));
  await new Promise((resolve) => refused.once('close', resolve));
  assert.deepEqual((await exchangeOn(busy, 'b')).replies.map(({ status }) => status), [405]);
  const { level, message, traceId, error } = await service.nextLine();
  assert.deepEqual([level, message, Object(error).message], ['error', 'Unhandled exception occurred while processing the request.', 'boom']);
  assert.match(String(traceId), /^00-[\da-f]{32}-[\da-f]{16}-00$/);
  service.child.kill('SIGTERM');
  const { lines, code } = await service.ended();
  assert.deepEqual(lines.map(untimed).slice(2, -1), [
    { level: 'warn', message: 'Connections were closed in the last minute, because there were too many of them.', byReason: { idleClosed: 1, newRefused: 1 } },
    { level: 'warn', message: 'Connections could not be accepted in the last minute.', byCode: { ENOBUFS: 2 } },
  ]);
  assert.equal(code, 0);
});

test('a port in use prevents the start, with exit code 1; with REUSE_PORT two processes listen on one port, where that is possible', async (t) => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isPossible = process.platform === 'linux' && (major > 22 || (major === 22 && minor >= 12)); // as the README says
  const first = spawnService(t, { PORT: '0', REUSE_PORT: String(isPossible) });
  const port = portIn(await first.nextLine());
  const second = spawnService(t, { PORT: String(port), REUSE_PORT: 'true' });
  if (isPossible) assert.equal(portIn(await second.nextLine()), port);
  else {
    const { lines, code } = await second.ended();
    assert.match(String(lines[0]?.['reason']), /^REUSE_PORT is "true", but needs Linux and Node 22\.12 or later; this is Node v\S+ on \w+\.$/);
    assert.deepEqual([lines.length, code], [1, 78]);
  }
  const { lines, code } = await spawnService(t, { PORT: String(port) }).ended();
  const reason = `Cannot listen on 127.0.0.1 port ${port}: another process listens there: stop it, or set PORT to another port.`;
  assert.deepEqual([lines.map(untimed), code], [[{ level: 'error', message: 'The service cannot start.', reason }], 1]);
});

test('arguments prevent the start, with one line that says where the variables are, and exit code 78', async (t) => {
  const { lines, code } = await spawnProcess(t, [...serviceCommand(), '--port', '9000'], { PORT: '0' }).ended();
  const reason = 'The process takes no arguments: environment variables configure it, and README.md lists them.';
  assert.deepEqual([lines.map(({ reason: said }) => said), code], [[reason], 78]);
});

test('after a signal during the start, no other port is listened on', async (t) => {
  const { certFile, keyFile } = makeCertificate(temporaryFolder(t), 'localhost');
  const signalled = `import net from 'node:net';
    const { listen } = net.Server.prototype;
    net.Server.prototype.listen = function (...args) {
      process.emit('SIGTERM', 'SIGTERM');
      return listen.apply(this, args);
    };`;
  const service = spawnService(t, { PORT: '0', HTTPS_PORT: '0', TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile, SHUTDOWN_DELAY_MS: '60000' }, importing(signalled));
  assert.equal((await service.nextLine()).message, 'Stopping');
  assert.match(addressIn(await service.nextLine()), /^https:/);
  service.child.kill('SIGINT');
  const { lines, code } = await service.ended();
  assert.deepEqual([lines.map(({ message }) => message), code], [['Stopping at once on a second signal'], 1]);
});

test('the log shows that all file descriptors are in use', { skip: process.platform === 'win32' && 'there is no such limit' }, async (t) => {
  // From SIGUSR2 on all descriptors are taken. A line says that the service has tried to open a file since.
  const taking = `import fs from 'node:fs';
    const { open } = fs;
    fs.open = (file, done) => open(file, (error, fd) => {
      done(error, fd);
      if (error) process.stdout.write(JSON.stringify({ time: new Date(), level: 'info', message: 'Tried' }) + '\\n');
    });
    process.on('SIGUSR2', () => { try { for (;;) fs.openSync('/dev/null'); } catch {} });`;
  const limited = ['/bin/sh', '-c', 'ulimit -n 64 && exec "$0" "$@"', ...serviceCommand(importing(taking))];
  const service = spawnProcess(t, limited, { PORT: '0' });
  await service.nextLine();
  service.child.kill('SIGUSR2');
  assert.equal((await service.nextLine()).message, 'Tried');
  service.child.kill('SIGTERM');
  const { lines } = await service.ended();
  const summary = lines.find(({ message }) => message === 'Connections could not be accepted in the last minute.');
  assert.ok(Object(summary?.['byCode']).EMFILE >= 1);
});
