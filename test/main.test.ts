// The process: how it starts, what it says, how it ends.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { portIn, spawnService } from './support/process.ts';
import { parseReplies, request, requestBytes } from './support/wire.ts';

test('start-up says the address really bound and the environment, and requests add nothing to the log', async (t) => {
  const service = spawnService(t, { PORT: '0', NODE_ENV: 'Production' });
  const line = await service.nextLine();
  assert.match(line.message, /^Listening on http:\/\/127\.0\.0\.1:[1-9]\d*$/);
  assert.deepEqual(line, { time: line.time, level: 'info', message: line.message, environment: 'Production' });
  const port = portIn(line);
  for (const target of ['/health', '/api/greetings?name=Ada', '/api/greetings?name=', '/nope']) await request(port, 'GET', target);
  service.child.kill('SIGTERM');
  const { lines, code } = await service.ended();
  assert.deepEqual(lines.map(({ level, message }) => [level, message]), [['info', 'Stopping on SIGTERM'], ['info', 'Stopped']]);
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

test('a mistyped Development is warned of once, and the description is off', async (t) => {
  const service = spawnService(t, { PORT: '0', NODE_ENV: 'development' });
  const warning = await service.nextLine();
  assert.equal(warning.level, 'warn');
  assert.equal(warning.message, 'NODE_ENV is "development", which is not Development: the API description is off.');
  assert.equal((await request(portIn(await service.nextLine()), 'GET', '/openapi/v1.json')).status, 404);
});

test('mistakes in the configuration stop the start with a line for each and exit code 1', async (t) => {
  const { lines, code } = await spawnService(t, { PORT: '80a', HOST: 'no host', SHUTDOWN_TIMEOUT_MS: '-1' }).ended();
  assert.deepEqual(lines.map(({ level, message }) => `${level}: ${message}`), [
    'error: HOST is "no host", but must be an IP address, a host name, or * for every interface.',
    'error: PORT is "80a", but must be a whole number from 0 to 65535.',
    'error: SHUTDOWN_TIMEOUT_MS is "-1", but must be a whole number from 0 to 2147483647.',
  ]);
  assert.equal(code, 1);
});

test('a port in use stops the start with one line and exit code 1', async (t) => {
  const port = portIn(await spawnService(t, { PORT: '0' }).nextLine());
  const { lines, code } = await spawnService(t, { PORT: String(port) }).ended();
  assert.deepEqual(lines.map(({ level, message }) => `${level}: ${message}`), [`error: Cannot listen on 127.0.0.1 port ${port}: another process listens there.`]);
  assert.equal(code, 1);
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} closes the listener, lets the request under way finish, and the process exits with 0`, async (t) => {
    const service = spawnService(t, { PORT: '0' });
    const port = portIn(await service.nextLine());
    const socket = connect({ port, host: '127.0.0.1' });
    const bytes = requestBytes('GET', '/health', []);
    socket.write(bytes); // answered, so the server has the connection
    await once(socket, 'data');
    socket.write(bytes.slice(0, 20));
    await request(port, 'GET', '/health'); // answered after those bytes have arrived
    service.child.kill(signal);
    assert.equal((await service.nextLine()).message, `Stopping on ${signal}`);
    await assert.rejects(request(port, 'GET', '/health'), { code: 'ECONNREFUSED' });
    socket.write(bytes.slice(20));
    const [reply] = await once(socket, 'data');
    assert.equal(parseReplies(reply)[0]?.body, 'Healthy');
    const { code, signal: killed } = await service.ended();
    assert.deepEqual([code, killed], [0, null]);
  });
}

test('a request that does not end is cut at SHUTDOWN_TIMEOUT_MS', async (t) => {
  const service = spawnService(t, { PORT: '0', SHUTDOWN_TIMEOUT_MS: '50' });
  const port = portIn(await service.nextLine());
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => {}); // being cut may be an error or an end
  const closed = once(socket, 'close');
  socket.write(requestBytes('GET', '/health', []));
  await once(socket, 'data');
  socket.write('GET /health HT');
  await request(port, 'GET', '/health');
  service.child.kill('SIGTERM');
  assert.equal((await service.ended()).code, 0);
  await closed;
});
