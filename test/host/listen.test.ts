// Sockets that are handed over, and the queue of the kernel, are in https.test.ts and main.test.ts.
import assert from 'node:assert/strict';
import { closeSync, openSync } from 'node:fs';
import { createServer } from 'node:net';
import { test, type TestContext } from 'node:test';
import { listen, listenError, type ListenTarget } from '../../src/host/listen.ts';

async function open(t: TestContext, target: ListenTarget, scheme: 'http' | 'https' = 'http') {
  const listener = createServer();
  t.after(() => listener.close());
  const failures: unknown[] = [];
  return { listener, failures, ...await listen(listener, scheme, target, (error) => failures.push(error)) };
}

test('the result has the address that was really bound', async (t) => {
  for (const [host, scheme, expected] of [
    ['127.0.0.1', 'http', /^http:\/\/127\.0\.0\.1:[1-9]\d*$/],
    ['::1', 'https', /^https:\/\/\[::1\]:[1-9]\d*$/],
    [undefined, 'http', /^http:\/\/(?:\[::\]|0\.0\.0\.0):[1-9]\d*$/],
  ] as const) {
    const { address, port, name, listener, failures } = await open(t, { host, port: 0, reusePort: false }, scheme);
    assert.match(address, expected);
    listener.emit('error', 'accept EMFILE');
    assert.deepEqual([name, port, failures], [undefined, Number(address.split(':').at(-1)), ['accept EMFILE']]);
  }
});

test('a file, or a port in use, cannot be listened on, unless each that listens there shares it', async (t) => {
  const isPossible = process.platform === 'linux' && !/^v(?:20|22\.(?:\d|1[01]))\./.test(process.version);
  const shared = { host: '127.0.0.1', port: 0, reusePort: isPossible };
  const { port = 0 } = await open(t, shared);
  if (isPossible) assert.equal((await open(t, { ...shared, port })).port, port);
  await assert.rejects(open(t, { ...shared, port, reusePort: false }), /: listen EADDRINUSE: /);
  const fd = openSync(import.meta.filename, 'r');
  t.after(() => closeSync(fd));
  await assert.rejects(open(t, { fd, name: undefined }), /: it is not a socket\.$/);
});

test('the exit code is 78 if trying again cannot help', () => {
  const ON_80 = { host: undefined, port: 80, reusePort: false };
  for (const [target, error, reason, exitCode] of [
    [ON_80, Object.assign(new Error('no'), { code: 'EACCES' }), 'Cannot listen on * port 80: Error: no.', 78],
    [ON_80, 'no', 'Cannot listen on * port 80: no.', 1],
    [{ fd: 3, name: '' }, 'no', 'Cannot listen on descriptor 3, which LISTEN_FDS hands over: no.', 78],
  ] as const) assert.deepEqual({ ...listenError(target, error) }, { reasons: [reason], exitCode });
});
