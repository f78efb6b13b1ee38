import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { listen, watchDescriptors, type ListenTarget } from '../../src/host/listen.ts';
import { listeningSocket, NO_DESCRIPTORS } from '../support/descriptors.ts';

test('the result has the address that was really bound, as a URL; every later error is passed to the function for it', async (t) => {
  for (const [host, expected] of [
    ['127.0.0.1', /^http:\/\/127\.0\.0\.1:[1-9]\d*$/], ['::1', /^http:\/\/\[::1\]:[1-9]\d*$/],
    [undefined, /^http:\/\/(?:\[::\]|0\.0\.0\.0):[1-9]\d*$/],
  ] as const) {
    const listener = createServer();
    t.after(() => listener.close());
    const failures: unknown[] = [];
    const { address, port } = Object(await listen(listener, 'http', { host, port: 0, reusePort: false }, (error) => failures.push(error)));
    assert.match(address, expected);
    assert.ok(address.endsWith(`:${port}`));
    const errors = [new Error('accept EMFILE'), new Error('accept ENFILE')];
    for (const error of errors) listener.emit('error', error);
    assert.deepEqual(failures, errors);
  }
});

const ON_80 = { host: undefined, port: 80, reusePort: false };

for (const [scheme, code, reason, exitCode] of [
  ['http', 'EADDRINUSE', 'another process is listening there; stop it, or set PORT to another port', 1],
  ['https', 'EADDRINUSE', 'another process is listening there; stop it, or set HTTPS_PORT to another port', 1],
  ['http', 'EACCES', 'Error: listen EACCES', 78],
  ['http', undefined, 'Error: listen undefined', 1],
] as const) {
  test(`a listener for ${scheme} that fails with ${code} is an error in one sentence, with exit code ${exitCode}`, async () => {
    const { failed, calls } = await failToListen(Object.assign(new Error(`listen ${code}`), code && { code }), ON_80, scheme);
    assert.deepEqual([failed, calls], [[[`Cannot listen on * port 80: ${reason}.`], exitCode], [[ON_80]]]);
  });
}

test('on a socket that is handed over, the longest queue is requested; a failure has exit code 78', { skip: NO_DESCRIPTORS }, async (t) => {
  const { fd } = await listeningSocket(t);
  const { failed, calls } = await failToListen(new Error('listen'), { fd, name: undefined });
  const reason = `Cannot listen on descriptor ${fd}, which LISTEN_FDS hands over: it must be a listening stream socket (Error: listen).`;
  assert.deepEqual([failed, calls], [[[reason], 78], [[{ fd }, 65_535]]]);
});

/** Listens with a listener that fails with this error. Resolves with what comes of it, and with how the listener was told to listen. */
async function failToListen(error: Error, target: ListenTarget, scheme: 'http' | 'https' = 'http') {
  const calls: unknown[][] = [];
  const listener = Object.assign(createServer(), {
    listen(...args: unknown[]) {
      calls.push(args);
      setImmediate(() => listener.emit('error', error));
      return listener;
    },
  });
  const { reasons, exitCode } = Object(await listen(listener, scheme, target, assert.fail));
  return { failed: [reasons, exitCode], calls };
}

test('every second a file is opened, and closed again; a lack of file descriptors is reported, and no other error', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const close = t.mock.method(fs, 'close', () => {});
  let code: string | undefined;
  let opened = 0;
  t.mock.method(fs, 'open', (file: URL, done: (error: Error | null, fd: number) => void) => {
    assert.ok(fs.existsSync(file));
    opened += 1;
    done(code === undefined ? null : Object.assign(new Error('open'), { code }), opened);
  });
  const reported: unknown[] = [];
  watchDescriptors((lacking) => reported.push(lacking));
  t.mock.timers.tick(999);
  assert.equal(opened, 0);
  for (code of [undefined, 'EMFILE', 'ENOENT', 'ENFILE', undefined]) t.mock.timers.tick(opened === 0 ? 1 : 1000);
  assert.deepEqual([opened, reported, close.mock.calls.map((call) => call.arguments)], [5, ['EMFILE', 'ENFILE'], [[1], [5]]]);
});
