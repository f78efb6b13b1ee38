// Tests the service as a process: how it starts, what it logs, and that its configuration reaches the servers. What follows from a value
// of the configuration is in host and server.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test, type TestContext } from 'node:test';
import { makeCertificate, temporaryFolder } from './support/certificates.ts';
import { addressIn, ENTRY, importing, parseLine, portIn, spawnProcess, spawnService, type LogLine } from './support/process.ts';
import { exchange, exchangeOn, request, requestBytes } from './support/exchange.ts';

const CLOSING = 'Closing: no new connections, waiting for requests in progress';

const lineWithoutTime = ({ time, ...line }: LogLine) => line;

test('the log has the address that was really bound and the environment, and no line for a request', async (t) => {
  const service = spawnService(t, { PORT: '0', NODE_ENV: 'Production', SHUTDOWN_DELAY_MS: '1', SHUTDOWN_TIMEOUT_MS: '7000' });
  const line = await service.nextLine();
  assert.match(addressIn(line), /^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
  assert.deepEqual(line, { time: line.time, level: 'info', message: 'Listening', address: addressIn(line), environment: 'Production' });
  const port = portIn(line);
  for (const target of ['/health', '/api/greetings?name=Ada', '/api/greetings?name=', '/nope']) await request(port, 'GET', target);
  service.child.kill('SIGTERM');
  const { lines, code } = await service.ended();
  assert.deepEqual(lines.map(lineWithoutTime), [
    { level: 'info', message: 'Stopping', signal: 'SIGTERM', delayMs: 1 },
    { level: 'info', message: CLOSING, timeoutMs: 7000 },
    { level: 'info', message: 'Stopped', connectionsCut: 0 },
  ]);
  assert.equal(code, 0);
});

test('without NODE_ENV the description is off, and the environment is null', async (t) => {
  const service = spawnService(t, { PORT: '0' });
  const line = await service.nextLine();
  assert.equal(line['environment'], null);
  assert.equal((await request(portIn(line), 'GET', '/openapi/v1.json')).status, 404);
});

test('with NODE_ENV=Development the description is on', async (t) => {
  const service = spawnService(t, { PORT: '0', NODE_ENV: 'Development' });
  assert.equal((await request(portIn(await service.nextLine()), 'GET', '/openapi/v1.json')).status, 200);
});

test('for a NODE_ENV that is almost Development the log has one warning, and the description is off', async (t) => {
  const service = spawnService(t, { PORT: '0', NODE_ENV: 'development' });
  const { time, ...warning } = await service.nextLine();
  assert.deepEqual(warning, { level: 'warn', message: 'NODE_ENV is almost Development, but not exactly: the API description is off.', environment: 'development' });
  assert.equal((await request(portIn(await service.nextLine()), 'GET', '/openapi/v1.json')).status, 404);
});

const cannotStart = { level: 'error', message: 'The service cannot start.' };

test('mistakes in the configuration prevent the start, with one line for each and exit code 78', async (t) => {
  const { lines, code } = await spawnService(t, { PORT: '80a', HOST: 'no host', SHUTDOWN_TIMEOUT_MS: '-1' }).ended();
  assert.deepEqual(lines.map(lineWithoutTime), [
    { ...cannotStart, reason: 'HOST is "no host", but must be an IP address, a host name, or * for every interface.' },
    { ...cannotStart, reason: 'PORT is "80a", but must be a whole number from 0 to 65535.' },
    { ...cannotStart, reason: 'SHUTDOWN_TIMEOUT_MS is "-1", but must be a whole number from 0 to 86400000.' },
  ]);
  assert.equal(code, 78);
});

test('arguments prevent the start, with one line that says where the variables are, and exit code 78', async (t) => {
  const reason = 'The process takes no arguments: environment variables configure it, and README.md lists them.';
  for (const words of [['--port', '9000'], ['--help'], ['']]) {
    const { lines, code } = await spawnProcess(t, [process.execPath, ENTRY, ...words], { PORT: '0' }).ended();
    assert.deepEqual([lines.map(lineWithoutTime), code], [[{ ...cannotStart, reason }], 78]);
  }
});

test('each mistake in the configuration is logged in a whole line, also when the reader of the log is slower than the process', async (t) => {
  const value = 'x'.repeat(100_000); // three lines are more than a pipe or a socket holds
  const names = ['HOST', 'PORT', 'REUSE_PORT', 'HTTPS_PORT', 'ALLOWED_HOSTS', 'HTTPS_REDIRECT_PORT', 'ACCESS_LOG', 'KEEP_ALIVE_TIMEOUT_MS', 'MAX_CONNECTIONS'];
  const { lines, code } = await spawnService(t, Object.fromEntries(names.map((name) => [name, value]))).ended();
  const reasons = lines.map(({ reason }) => String(reason));
  assert.deepEqual(reasons.map((reason) => reason.replace(/ is "x{100000}", .*/, '')), names);
  assert.equal(code, 78);
});

test('a port in use prevents the start, with one line and exit code 1, because the port may be free later', async (t) => {
  const port = portIn(await spawnService(t, { PORT: '0' }).nextLine());
  const { lines, code } = await spawnService(t, { PORT: String(port) }).ended();
  assert.deepEqual(lines.map(lineWithoutTime), [{ ...cannotStart, reason: `Cannot listen on 127.0.0.1 port ${port}: another process listens there: stop it, or set PORT to another port.` }]);
  assert.equal(code, 1);
});

test('with REUSE_PORT two processes listen on one port, or the start fails where that is impossible', async (t) => {
  const first = spawnService(t, { PORT: '0', REUSE_PORT: 'true' });
  const line = await first.nextLine();
  if (line.level === 'error') {
    assert.match(String(line['reason']), /^REUSE_PORT is "true", but needs Linux and Node 22\.12 or later; this is Node v\S+ on \w+\.$/);
    assert.equal((await first.ended()).code, 78);
    return;
  }
  const second = spawnService(t, { PORT: String(portIn(line)), REUSE_PORT: 'true' });
  assert.equal(portIn(await second.nextLine()), portIn(line));
});

test('at MAX_CONNECTIONS an idle connection makes room for a new one, which is closed itself when none is idle, and the log counts both', async (t) => {
  const service = spawnService(t, { PORT: '0', MAX_CONNECTIONS: '1' });
  const port = portIn(await service.nextLine());
  const idle = connect({ port, host: '127.0.0.1' }).resume();
  await once(idle, 'connect');
  const busy = connect({ port, host: '127.0.0.1' });
  // When the first of them has been answered, the content of the second has begun.
  busy.write(`${requestBytes('GET', '/health', [])}${requestBytes('POST', '/health', ['Connection: close', 'Content-Length: 2'])}a`);
  await once(busy, 'data');
  const refused = connect({ port, host: '127.0.0.1' }).on('error', () => {}).resume(); // being closed
  refused.write(requestBytes('GET', '/health'));
  await new Promise((resolve) => refused.once('close', resolve));
  const { replies } = await exchangeOn(busy, 'b');
  assert.deepEqual(replies.map(({ status }) => status), [405]);
  service.child.kill('SIGTERM');
  const { lines } = await service.ended();
  const message = 'Connections were closed in the last minute, because there were too many of them.';
  assert.deepEqual(lineWithoutTime(lines.at(-2) ?? assert.fail('there are too few lines')), { level: 'warn', message, byReason: { idle: 1, full: 1 } });
  idle.destroy();
});

test('the refusals of the minute before the stop are in the log', async (t) => {
  for (const signals of [['SIGTERM'], ['SIGTERM', 'SIGINT']] as const) {
    const service = spawnService(t, { PORT: '0', SHUTDOWN_DELAY_MS: signals.length === 1 ? '0' : '60000' });
    const port = portIn(await service.nextLine());
    for (let i = 0; i < 2; i++) assert.equal((await exchange(port, 'GET / HTTP/1.1\r\n\r\n')).replies[0]?.status, 400);
    for (const signal of signals) {
      service.child.kill(signal);
      if (signals.length > 1 && signal === 'SIGTERM') assert.equal((await service.nextLine()).message, 'Stopping');
    }
    const { lines } = await service.ended();
    const summary = { level: 'warn', message: 'Requests were refused, or connections ended early, in the last minute.', byReason: { 400: 2 } };
    assert.deepEqual(lineWithoutTime(lines.at(-2) ?? assert.fail('there are too few lines')), summary);
  }
});

test('flags of node for its own parser change nothing: no byte of a client gets to it', async (t) => {
  const service = spawnService(t, { PORT: '0', NODE_OPTIONS: '--insecure-http-parser --max-http-header-size=65536' });
  const port = portIn(await service.nextLine());
  for (const [bytes, status] of [
    ['GET /health HTTP/1.1\nHost: a\n\n', 400],
    ['GET /health HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n', 400],
    [`GET /health HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(16_384)}\r\n\r\n`, 431],
    [requestBytes('GET', '/health'), 200],
  ] as const) assert.deepEqual((await exchange(port, bytes)).replies.map((reply) => reply.status), [status]);
});

test('with ACCESS_LOG=true each request is one line', async (t) => {
  const service = spawnService(t, { PORT: '0', ACCESS_LOG: 'true' });
  const port = portIn(await service.nextLine());
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  await request(port, 'GET', '/api/greetings?name=Ada', [`traceparent: ${traceparent}`]);
  const { time, durationMs, traceId, ...line } = await service.nextLine();
  assert.deepEqual(line, { level: 'info', message: 'Request', method: 'GET', path: '/api/greetings', status: 200, remoteAddress: '127.0.0.1' });
  assert.ok(typeof durationMs === 'number' && durationMs >= 0);
  assert.match(String(traceId), /^00-4bf92f3577b34da6a3ce929d0e0e4736-[\da-f]{16}-01$/);
});

test('ALLOWED_HOSTS, KEEP_ALIVE_TIMEOUT_MS and the clock reach the service', { timeout: 30_000 }, async (t) => {
  const service = spawnService(t, { PORT: '0', ALLOWED_HOSTS: 'localhost', KEEP_ALIVE_TIMEOUT_MS: '1' });
  const port = portIn(await service.nextLine());
  assert.equal((await exchange(port, 'GET /health HTTP/1.1\r\nHost: other\r\n\r\n')).replies[0]?.status, 421);
  const { replies, ended } = await exchangeOn(connect({ port, host: '127.0.0.1' }), requestBytes('GET', '/health', []));
  assert.deepEqual([replies[0]?.headers.at(-1)?.startsWith('Connection: keep-alive'), ended], [true, true], 'the connection is kept alive, and closed when it is idle');
  const before = Date.now();
  const { generatedAt } = JSON.parse((await request(port, 'GET', '/api/greetings')).body);
  assert.ok(before <= Date.parse(generatedAt) && Date.parse(generatedAt) <= Date.now());
});

test('an error thrown while a request is answered is in the log, with the trace id', async (t) => {
  const brokenClock = "const { now } = Date; Date.now = () => { if (new Error().stack.includes('/api/')) throw new TypeError('boom'); return now(); };";
  const service = spawnService(t, { PORT: '0' }, importing(brokenClock));
  const port = portIn(await service.nextLine());
  assert.equal((await request(port, 'GET', '/api/greetings')).status, 500);
  const { level, message, traceId, error } = await service.nextLine();
  assert.deepEqual([level, message], ['error', 'Unhandled exception occurred while processing the request.']);
  assert.match(String(traceId), /^00-[\da-f]{32}-[\da-f]{16}-00$/);
  assert.equal(Object(error).message, 'boom');
});

test('errors of a listener that listens are in the log, and the service goes on', async (t) => {
  const failing = `import net from 'node:net';
    const { listen } = net.Server.prototype;
    net.Server.prototype.listen = function (...args) {
      this.once('listening', () => setImmediate(() => {
        for (const code of ['ENOBUFS', 'ENOBUFS']) this.emit('error', Object.assign(new Error('accept'), { code }));
      }));
      return listen.apply(this, args);
    };`;
  const service = spawnService(t, { PORT: '0' }, importing(failing));
  assert.equal((await request(portIn(await service.nextLine()), 'GET', '/health')).status, 200);
  service.child.kill('SIGTERM');
  const { lines, code } = await service.ended();
  const summary = { level: 'warn', message: 'Connections could not be accepted in the last minute.', byCode: { ENOBUFS: 2 } };
  assert.deepEqual([lines.map(lineWithoutTime).at(-2), code], [summary, 0]);
});

test('after a signal during the start, no other port is listened on', async (t) => {
  const { certFile, keyFile } = makeCertificate(temporaryFolder(t), 'localhost');
  const signalled = `import net from 'node:net';
    const { listen } = net.Server.prototype;
    net.Server.prototype.listen = function (...args) {
      process.emit('SIGTERM', 'SIGTERM');
      return listen.apply(this, args);
    };`;
  const service = spawnService(t, { PORT: '0', HTTPS_PORT: '0', TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile, SHUTDOWN_DELAY_MS: '500' }, importing(signalled));
  const { lines, code } = await service.ended();
  assert.deepEqual(lines.map(({ message }) => message), ['Stopping', 'Listening', CLOSING, 'Stopped']);
  assert.match(addressIn(lines[1] ?? assert.fail('there are too few lines')), /^https:/);
  assert.equal(code, 0);
});

/** Starts the service with few file descriptors and uses them all up. Resolves with the count of EMFILE in the log. */
async function runOutOfDescriptors(t: TestContext): Promise<unknown> {
  const limited = ['/bin/sh', '-c', 'ulimit -n 64 && exec "$0" "$@"', process.execPath, ENTRY];
  const service = spawnProcess(t, limited, { PORT: '0', SHUTDOWN_DELAY_MS: '1500' }); // a check, or two: they are a second apart
  const port = portIn(await service.nextLine());
  const sockets = Array.from({ length: 80 }, () => connect({ port, host: '127.0.0.1' }).on('error', () => {}).resume());
  await Promise.race(sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve)))); // accepted, and closed at once
  service.child.kill('SIGTERM');
  const { lines } = await service.ended();
  for (const socket of sockets) socket.destroy();
  const summary = lines.find((line) => line.message === 'Connections could not be accepted in the last minute.');
  return Object(summary?.['byCode']).EMFILE;
}

test('the log shows that all file descriptors are in use', { skip: process.platform === 'win32' && 'there is no such limit' }, async (t) => {
  // A client that disconnects at the moment of a check frees a descriptor, so one try may see no failure.
  for (let tries = 6; tries > 0; tries--) if (Number(await runOutOfDescriptors(t)) >= 1) return;
  assert.fail('no check has failed for lack of a descriptor');
});

test('an error while a file of the service is loaded is one line at level fatal, and the exit code is 1', async (t) => {
  const throwing = "process.getBuiltinModule = () => { throw new TypeError('boom'); };"; // node-http.ts calls it
  const { lines, code } = await spawnService(t, { PORT: '0' }, importing(throwing)).ended();
  assert.deepEqual(lines.map(({ level, message }) => [level, message]), [['fatal', 'The process ends because of an error that nothing caught.']]);
  assert.match(JSON.stringify(lines[0]?.['error']), /^\{"name":"TypeError","message":"boom","stack":"TypeError: boom\\n .*"\}$/);
  assert.equal(code, 1);
});

test('with too few file descriptors, each failure that the service can notice is one line', { skip: process.platform === 'win32' && 'there is no such limit' }, () => {
  for (let limit = 15, isEnough = false; !isEnough; limit += 1) {
    assert.ok(limit < 100);
    const command = `ulimit -n ${limit} && exec "$0" "$@"`;
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', command, process.execPath, ENTRY], { env: { PORT: 'x' }, encoding: 'utf8', timeout: 10_000 });
    if (stdout === '') {
      assert.doesNotMatch(stderr, /\/(?!main)[^/]+\.[jt]s'/, 'only the entry point itself could not be loaded'); // or node ends before that
      continue;
    }
    const { level, message } = parseLine(stdout);
    isEnough = message === cannotStart.message; // all files were loaded
    const fatal = message === 'The process ends because of an error that nothing caught.';
    assert.deepEqual([level, message, status], fatal ? ['fatal', message, 1] : ['error', cannotStart.message, 78]);
  }
});
