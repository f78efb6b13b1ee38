// The service as a process: how it starts and ends, what it logs, and that its configuration reaches the servers.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { connectionsIn } from '../src/host/configuration.ts';
import { temporaryFolder, tlsVariables } from './support/certificates.ts';
import { listeningSocket, NO_DESCRIPTORS } from './support/descriptors.ts';
import { exchange, exchangeOn, request, requestBytes } from './support/exchange.ts';
import { ENTRY, importing, NO_SIGNALS, portIn, spawnService, untimed } from './support/process.ts';
import { closed, listenOnPort } from './support/sockets.ts';

/** A file whose reader waits until it has been written: to open it for writing waits for that reader. */
function makeFifo(t: TestContext): string {
  const path = join(temporaryFolder(t), 'fifo');
  assert.equal(spawnSync('mkfifo', [path]).status, 0);
  return path;
}

async function idle(port: number) {
  const socket = connect({ port, host: '127.0.0.1' }).on('error', () => {}).resume();
  await once(socket, 'connect');
  return socket;
}

const [socket, taken] = [await listeningSocket(), await listenOnPort(createServer().unref())];

describe('a process', { concurrency: true }, () => {
  test('its variables reach the service, and flags for Node do not', { skip: NO_SIGNALS }, async (t) => {
    const environment = '"Development"';
    const withoutCrypto = '--no-experimental-global-webcrypto'; // of Node 20 and 22: there is no global `crypto`
    const isKnown = process.allowedNodeEnvironmentFlags.has(withoutCrypto);
    const service = spawnService(t, {
      PORT: '0', NODE_ENV: environment, ACCESS_LOG: 'true', ALLOWED_HOSTS: 'localhost', TRUSTED_PROXIES: '127.0.0.1',
      KEEP_ALIVE_TIMEOUT_MS: '1', MAX_CONNECTIONS: '2', SHUTDOWN_DELAY_MS: '1', SHUTDOWN_TIMEOUT_MS: '7000',
      NODE_OPTIONS: `--insecure-http-parser --max-http-header-size=65536 ${isKnown ? withoutCrypto : ''}`,
    });
    const almost = 'NODE_ENV is almost Development, but not exactly: the API description is off.';
    assert.deepEqual(untimed(await service.nextLine()), { level: 'warn', message: almost, environment });
    const port = portIn(await service.nextLine());
    service.child.kill('SIGHUP');
    assert.match(JSON.stringify(await service.nextLine()), /"info","message":"There are no TLS files to read again."}/);
    for (const [bytes, status] of [
      [requestBytes('GET', '/health', ['Content-Length: 0', 'Transfer-Encoding: chunked']), 400],
      [requestBytes('GET', '/health', [`X: ${'x'.repeat(16_384)}`]), 431],
      ['GET /health HTTP/1.1\r\nHost: other\r\n\r\n', 421],
      [requestBytes('GET', '/openapi/v1.json'), 404],
    ] as const) assert.deepEqual((await exchange(port, bytes)).map((reply) => reply.status), [status]);
    // Two lines are one list: a client has sent the first one.
    const forwarded = ['X-Forwarded-For: 198.51.100.1', 'X-Forwarded-For: 192.0.2.9'];
    const { body } = await request(port, 'GET', '/api/greetings?name=', forwarded);
    await Promise.race([await idle(port), await idle(port), await idle(port)].map(closed));
    service.child.kill('SIGQUIT');
    const { lines, code } = await service.ended();
    const isGreeting = ({ path }: Readonly<Record<string, unknown>>) => path === '/api/greetings';
    const { time, durationMs, ...line } = lines.find(isGreeting) ?? assert.fail();
    const asked = { method: 'GET', path: '/api/greetings', traceId: JSON.parse(body).traceId, status: 400 };
    assert.deepEqual(line, { level: 'info', message: 'Request', ...asked, remoteAddress: '192.0.2.9' });
    assert.match(String(durationMs), /^\d+(?:\.\d{1,3})?$/);
    const [stopping, closing, stopped, requests, refused, tooMany] = lines.filter((one) => one.message !== 'Request');
    assert.deepEqual([stopping?.['signal'], stopping?.['delayMs'], closing?.['timeoutMs']], ['SIGQUIT', 1, 7_000]);
    assert.deepEqual([stopped?.['requestsCut'], code], [0, 0]);
    const { byStatus, openConnections, handlers, longestTurnWaitMs, eventLoopUtilization } = requests ?? assert.fail();
    assert.deepEqual([byStatus, handlers], [{ 400: 2, 404: 1, 421: 1, 431: 1 }, 0]);
    for (const measured of [openConnections, longestTurnWaitMs, eventLoopUtilization]) assert.ok(Number(measured) >= 0);
    assert.deepEqual(tooMany?.['largest'], { client: '127.0.0.1', connections: 3 });
    const reasons = { HPE_INVALID_TRANSFER_ENCODING: 1, HPE_HEADER_OVERFLOW: 1, hostNotAllowed: 1 };
    // How many were closed depends on how soon the service hears of clients that leave.
    assert.deepEqual([refused?.['byReason'], Object.keys(Object(tooMany?.['byReason']))], [reasons, ['idleClosed']]);
  });

  test('each reason why it cannot start is a line of the log, and decides the exit code', async (t) => {
    const PORT = String(taken);
    const inUse = `Error: listen EADDRINUSE: address already in use 127.0.0.1:${PORT}`;
    await Promise.all(([
      [{ PORT }, [], 1, `Cannot listen on 127.0.0.1 port ${PORT}: ${inUse}.`],
      [{ ACCESS_LOG: 'x', TLS_KEY_FILE: 'k', HTTPS_PORT: '1' }, [], 78, 'ACCESS_LOG is "x", but must be true or false.',
        'TLS_CERT_FILE and TLS_KEY_FILE must both be set, or neither.'],
      [{ PORT: '0' }, [ENTRY], 78, // it is an argument when it is there once more
        'The process takes no arguments: it is configured by the environment variables in README.md.'],
    ] as const).map(async ([env, flags, exitCode, ...reasons]) => {
      const { lines, code } = await spawnService(t, env, flags).ended();
      const expected = reasons.map((reason) => ({ level: 'error', message: 'The service cannot start.', reason }));
      assert.deepEqual([lines.map(untimed), code], [expected, exitCode]);
    }));
  });

  test('it requires node:http, as instrumentation expects it', { skip: NO_SIGNALS }, async (t) => {
    const hook = importing(`import Module from 'node:module';
      const { require } = Module.prototype; // wrapped as instrumentation does
      const asked = new Set();
      Module.prototype.require = function (id) {
        asked.add(id);
        return Reflect.apply(require, this, [id]);
      };
      const isClient = (name) => name.includes('undici');
      process.on('SIGWINCH', () => console.log(JSON.stringify([...asked, process.moduleLoadList.some(isClient)])));`);
    const service = spawnService(t, { PORT: '0' }, hook);
    await service.nextLine();
    service.child.kill('SIGWINCH');
    assert.deepEqual(await service.nextLine(), ['node:http', false]);
  });

  test('while it is loaded, of all signals only those to stop end it', { skip: NO_SIGNALS }, async (t) => {
    const [, hooks] = importing(`import { writeSync } from 'node:fs';
      export async function load(url, context, next) {
        if (!/\\/start\\.[jt]s$/.test(url)) return next(url, context);
        writeSync(1, '{}\\n');
        return new Promise(() => {});
      }`);
    const loading = importing(`import { register } from 'node:module';
      register(${JSON.stringify(hooks)});
      process.on('SIGWINCH', () => console.log('{}'));
      setInterval(() => {}, 60_000);`);
    const service = spawnService(t, {}, ['--no-deprecation', ...loading]);
    await service.nextLine(); // it is loading
    service.child.kill('SIGHUP');
    service.child.kill('SIGWINCH');
    await service.nextLine(); // it has handled SIGHUP, too
    service.child.kill('SIGUSR2');
    assert.deepEqual(await service.ended(), { lines: [], code: 0, signal: null });
  });

  const isOld = process.versions.node < '22.18';
  const late = NO_SIGNALS || (isOld && 'older Nodes tell of the signal when the service listens');
  test('after a signal during the start nothing is listened on', { skip: late }, async (t) => {
    const tls = tlsVariables();
    const TLS_KEY_FILE = makeFifo(t);
    const service = spawnService(t, { PORT: '0', SHUTDOWN_DELAY_MS: '0', ...tls, TLS_KEY_FILE });
    const fifo = await open(TLS_KEY_FILE, 'w'); // the service is reading it
    service.child.kill('SIGTERM');
    await fifo.writeFile(readFileSync(tls.TLS_KEY_FILE));
    await fifo.close();
    const { lines, code } = await service.ended();
    const messages = lines.map(({ message }) => message.split(':')[0]);
    assert.deepEqual([messages, code], [['Stopping', 'Closing', 'Stopped'], 0]);
  });

  const throwing = "process.on('SIGWINCH', () => { throw new TypeError('boom'); });";

  test('an uncaught error during the stop cuts and logs all, with exit code 1', { skip: NO_SIGNALS }, async (t) => {
    const path = makeFifo(t); // the process waits for it before it exits
    const waiting = `import { readFileSync } from 'node:fs';
      process.on('exit', () => readFileSync(${JSON.stringify(path)}));`;
    const env = { PORT: '0', ACCESS_LOG: 'true', SHUTDOWN_DELAY_MS: '0' };
    const service = spawnService(t, env, importing(waiting + throwing));
    const port = portIn(await service.nextLine());
    const kept = await idle(port);
    kept.write(requestBytes('POST', '/cut', ['Content-Length: 1']));
    await request(port, 'GET', '/health'); // the other one has been read, too
    assert.equal((await service.nextLine())['path'], '/health');
    service.child.kill('SIGTERM');
    for (const begin of ['Stopping', 'Closing']) assert.ok((await service.nextLine()).message.startsWith(begin));
    service.child.kill('SIGWINCH');
    await closed(kept);
    await assert.rejects(request(port, 'GET', '/health'), { code: 'ECONNREFUSED' });
    await (await open(path, 'w')).close();
    const { lines, code } = await service.ended();
    const [line, cut, requests, counts] = lines.filter(({ message }) => message !== 'Stopped');
    assert.match(JSON.stringify(line), /"fatal","message":"The process is exiting because of an uncaught error.*boom/);
    const aborted = [cut?.['path'], cut?.['aborted'], requests?.['byStatus'], counts?.['byReason']];
    assert.deepEqual([aborted, code], [['/cut', true, { 200: 1, noReply: 1 }, undefined], 1]);
  });

  for (const [what, signal, script, ...errors] of [
    ['an error', 'SIGTERM', `const { write } = process.stdout;
      process.stdout.write = (text, ...more) => {
        if (text.includes('"Stopped"')) Promise.reject(new TypeError('boom'));
        return Reflect.apply(write, process.stdout, [text, ...more]);
      };`, 'boom'],
    ['a second error', 'SIGWINCH', `process.on('SIGWINCH', () => { Object.fromEntries = null; }); // for the counts
      ${throwing}`, 'boom', 'Object.fromEntries is not a function'],
  ] as const) {
    test(`after ${what} while it exits, it ends at once, with code 1`, { skip: NO_SIGNALS }, async (t) => {
      const service = spawnService(t, { PORT: '0', SHUTDOWN_DELAY_MS: '0' }, importing(script));
      await request(portIn(await service.nextLine()), 'GET', '/health');
      service.child.kill(signal);
      const { lines, code } = await service.ended();
      const fatal = lines.filter(({ level }) => level === 'fatal').map(({ error }) => Object(error).message);
      assert.deepEqual([fatal, code], [errors, 1]);
    });
  }

  const limitingTo = (mebibytes: number) => importing(`process.constrainedMemory = () => ${mebibytes} * 2 ** 20;`);
  for (const [what, flags, name, mebibytes] of [
    ['heap', ['--max-heap-size=64', ...limitingTo(0)], 'heapBytes', 64], // 0: no limit is known
    ['memory', limitingTo(128), 'memoryBytes', 128],
  ] as const) {
    test(`a small ${what} holds the longest heads and trailers of all`, { skip: NO_SIGNALS }, async (t) => {
      const service = spawnService(t, { PORT: '0', MAX_CONNECTIONS: '10000', SHUTDOWN_TIMEOUT_MS: '0' }, flags);
      const { message, maxConnections, ...limits } = await service.nextLine();
      assert.equal(message, 'MAX_CONNECTIONS is more than the memory can hold: fewer are accepted.');
      const bytes = { heapBytes: Infinity, memoryBytes: Infinity, [name]: Number(limits[name]) };
      assert.equal(maxConnections, connectionsIn(bytes.heapBytes, bytes.memoryBytes));
      assert.ok(bytes[name] <= 1.1 * mebibytes * 2 ** 20);
      const port = portIn(await service.nextLine());
      const linesOf = (client: number) =>
        Array.from({ length: 95 }, (_, i) => `${client}-${i}-`.padEnd(165, 'X')).join(':\r\n');
      for (let client = 0; client < Number(maxConnections); client += 1) {
        const greedy = await idle(port);
        t.after(() => greedy.destroy());
        const head = requestBytes('POST', '/health', ['Transfer-Encoding: chunked', `${linesOf(client)}:`]);
        greedy.write(`${head}1\r\nx\r\n0\r\n${linesOf(-client)}`);
      }
      const other = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' });
      const replies = await exchangeOn(other, requestBytes('GET', '/health'));
      service.child.kill('SIGTERM');
      assert.deepEqual([replies.map(({ status }) => status), (await service.ended()).code], [[200], 0]);
    });
  }

  test('a crowd waits in the queue of the kernel while a process accepts none', { skip: NO_DESCRIPTORS }, async (t) => {
    const crowd = Math.min(600, Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'))); // Node's own queue: 511
    const services = [spawnService(t, { PORT: '0' }), spawnService(t, {}, [], [socket.fd])];
    const ports = await Promise.all(services.map(async ({ nextLine }) => portIn(await nextLine())));
    socket.giveUp();
    for (const { child } of services) child.kill('SIGSTOP');
    for (const port of ports) await Promise.all(Array.from({ length: crowd }, () => idle(port)));
  });
});
