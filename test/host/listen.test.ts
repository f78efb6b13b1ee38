// Sockets that are handed over, and the queue of the kernel, are in https.test.ts and main.test.ts.
import assert from 'node:assert/strict';
import { closeSync, openSync } from 'node:fs';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { isAtLeast } from '../../src/host/configuration.ts';
import { listen, listenError, type ListenTarget } from '../../src/host/listen.ts';

const nothing = () => {};

test('the result has the address that was really bound; later errors are passed to the function', async (t) => {
  for (const [host, scheme, expected] of [
    ['127.0.0.1', 'http', /^http:\/\/127\.0\.0\.1:[1-9]\d*$/],
    ['::1', 'https', /^https:\/\/\[::1\]:[1-9]\d*$/],
    [undefined, 'http', /^http:\/\/(?:\[::\]|0\.0\.0\.0):[1-9]\d*$/],
  ] as const) {
    const listener = createServer();
    t.after(() => listener.close());
    const failures: unknown[] = [];
    const target = { host, port: 0, reusePort: false };
    const { address, port, name } = await listen(listener, scheme, target, (error) => failures.push(error));
    assert.match(address, expected);
    assert.deepEqual([address.endsWith(`:${port}`), name], [true, undefined]);
    const error = new Error('accept EMFILE');
    listener.emit('error', error);
    assert.deepEqual(failures, [error]);
  }
});

test('a file, or a port in use, cannot be listened on, unless each that listens there shares it', async (t) => {
  const isPossible = process.platform === 'linux' && isAtLeast(process.version, 'v22.12'); // see the README
  const open = async (target: ListenTarget) => {
    const listener = createServer();
    t.after(() => listener.close());
    return listen(listener, 'http', target, nothing);
  };
  const shared = { host: '127.0.0.1', port: 0, reusePort: isPossible };
  const { port = 0 } = await open(shared);
  if (isPossible) assert.equal((await open({ ...shared, port })).port, port);
  await assert.rejects(open({ ...shared, port, reusePort: false }), /^Error: Cannot listen on .*: listen EADDRINUSE: /);
  const fd = openSync(import.meta.filename, 'r');
  t.after(() => closeSync(fd));
  await assert.rejects(open({ fd, name: undefined }), /: it is not a socket\.$/);
});

test('a missing permission stays missing and a wrong descriptor wrong: exit code 78; anything else may pass: 1', () => {
  const ON_80 = { host: undefined, port: 80, reusePort: false };
  for (const [target, error, reason, exitCode] of [
    [ON_80, Object.assign(new Error('no'), { code: 'EACCES' }), 'Cannot listen on * port 80: Error: no.', 78],
    [ON_80, Object.assign(new Error('no'), { code: 'ENOTFOUND' }), 'Cannot listen on * port 80: Error: no.', 1],
    [ON_80, 'no', 'Cannot listen on * port 80: no.', 1],
    [{ fd: 3, name: '' }, 'no', 'Cannot listen on descriptor 3, which LISTEN_FDS hands over: no.', 78],
  ] as const) {
    const made = listenError(target, error);
    assert.deepEqual([made.message, made.reasons, made.exitCode], [reason, [reason], exitCode]);
  }
});
