// The process: how it starts, what it says, how it ends.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { addressIn, portIn, spawnService } from './support/process.ts';
import { request } from './support/wire.ts';

test('start-up says the address really bound and the environment, and requests add nothing to the log', async (t) => {
  const service = spawnService(t, { PORT: '0', NODE_ENV: 'Production' });
  const line = await service.nextLine();
  assert.match(addressIn(line), /^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
  assert.deepEqual(line, { time: line.time, level: 'info', message: 'Listening', address: addressIn(line), environment: 'Production' });
  const port = portIn(line);
  for (const target of ['/health', '/api/greetings?name=Ada', '/api/greetings?name=', '/nope']) await request(port, 'GET', target);
  service.child.kill('SIGTERM');
  const { lines, code } = await service.ended();
  assert.deepEqual(lines.map(({ level, message }) => [level, message]), [
    ['info', 'Stopping'],
    ['info', 'Closed the listeners and idle connections'],
    ['info', 'Stopped'],
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

test('a mistyped Development is warned of once, and the description is off', async (t) => {
  const service = spawnService(t, { PORT: '0', NODE_ENV: 'development' });
  const { time, ...warning } = await service.nextLine();
  assert.deepEqual(warning, { level: 'warn', message: 'NODE_ENV is almost Development, but not exactly: the API description is off.', environment: 'development' });
  assert.equal((await request(portIn(await service.nextLine()), 'GET', '/openapi/v1.json')).status, 404);
});

const cannotStart = { level: 'error', message: 'The service cannot start.' };

test('mistakes in the configuration stop the start with a line for each and exit code 78', async (t) => {
  const { lines, code } = await spawnService(t, { PORT: '80a', HOST: 'no host', SHUTDOWN_TIMEOUT_MS: '-1' }).ended();
  assert.deepEqual(lines.map(({ time, ...line }) => line), [
    { ...cannotStart, reason: 'HOST is "no host", but must be an IP address, a host name, or * for every interface.' },
    { ...cannotStart, reason: 'PORT is "80a", but must be a whole number from 0 to 65535.' },
    { ...cannotStart, reason: 'SHUTDOWN_TIMEOUT_MS is "-1", but must be a whole number from 0 to 86400000.' },
  ]);
  assert.equal(code, 78);
});

test('a port in use stops the start with one line and exit code 1: it may be free later', async (t) => {
  const port = portIn(await spawnService(t, { PORT: '0' }).nextLine());
  const { lines, code } = await spawnService(t, { PORT: String(port) }).ended();
  assert.deepEqual(lines.map(({ time, ...line }) => line), [{ ...cannotStart, reason: `Cannot listen on 127.0.0.1 port ${port}: another process listens there.` }]);
  assert.equal(code, 1);
});

test('a line of the log that nobody reads any more is no reason to stop serving', async (t) => {
  const service = spawnService(t, { PORT: '0', ACCESS_LOG: 'true' });
  const port = portIn(await service.nextLine());
  service.child.stdout?.destroy();
  for (let i = 0; i < 50; i++) assert.equal((await request(port, 'GET', '/health')).body, 'Healthy');
  service.child.kill('SIGTERM');
  const [code] = await once(service.child, 'exit');
  assert.equal(code, 0);
});

test('SIGHUP without TLS files changes nothing', async (t) => {
  const service = spawnService(t, { PORT: '0' });
  const port = portIn(await service.nextLine());
  service.child.kill('SIGHUP');
  assert.equal((await service.nextLine()).message, 'The TLS files, if any, have been read again.');
  assert.equal((await request(port, 'GET', '/health')).status, 200);
});

test('REUSE_PORT lets two processes listen on one port, or says that it cannot', async (t) => {
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
