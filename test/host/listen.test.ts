import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test, type TestContext } from 'node:test';
import { listen, type Bound, type ListenTarget } from '../../src/host/listen.ts';
import { StartError } from '../../src/host/start-error.ts';
import { listeningSocket, NO_DESCRIPTORS } from '../support/descriptors.ts';

function server(t: TestContext) {
  const created = createServer();
  t.after(() => created.close());
  return created;
}

const nothingFails = () => assert.fail('no listener fails');

async function listenOn(t: TestContext, target: ListenTarget, listening = server(t)): Promise<Bound> {
  const result = await listen(listening, 'http', target, nothingFails);
  if (result instanceof StartError) throw result;
  return result;
}

async function failureOf(result: Promise<Bound | StartError>) {
  const failure = await result;
  return failure instanceof StartError ? { reasons: failure.reasons, exitCode: failure.exitCode } : failure;
}

test('the result has the address that was really bound, as a URL', async (t) => {
  for (const [host, expected] of [['127.0.0.1', /^http:\/\/127\.0\.0\.1:[1-9]\d*$/], ['::1', /^http:\/\/\[::1\]:[1-9]\d*$/], [undefined, /^http:\/\/(?:\[::\]|0\.0\.0\.0):[1-9]\d*$/]] as const) {
    const bound = await listenOn(t, { host, port: 0, reusePort: false });
    assert.match(bound.address, expected);
    assert.ok(bound.address.endsWith(`:${bound.port}`));
  }
});

test('a port in use is an error in one sentence with address and port, and exit code 1, because the port may be free later', async (t) => {
  for (const host of ['127.0.0.1', undefined]) {
    const { port = 0 } = await listenOn(t, { host, port: 0, reusePort: false });
    for (const [scheme, variable] of [['http', 'PORT'], ['https', 'HTTPS_PORT']] as const) {
      assert.deepEqual(await failureOf(listen(server(t), scheme, { host, port, reusePort: false }, nothingFails)), {
        reasons: [`Cannot listen on ${host ?? '*'} port ${port}: another process listens there: stop it, or set ${variable} to another port.`],
        exitCode: 1,
      });
    }
  }
});

test('an address that this machine does not have is an error with exit code 1, because the machine may have it later', async (t) => {
  assert.deepEqual(await failureOf(listen(server(t), 'http', { host: '192.0.2.1', port: 0, reusePort: false }, nothingFails)), {
    reasons: ['Cannot listen on 192.0.2.1 port 0: this machine has no such address.'],
    exitCode: 1,
  });
});

for (const [code, reason, exitCode] of [
  ['EACCES', 'this user may not listen on that port', 78],
  ['ENOTFOUND', 'no such host name is known', 1],
  ['EMFILE', 'Error: listen EMFILE', 1],
  [undefined, 'Error: listen undefined', 1],
] as const) {
  test(`a listener that fails with ${code ?? 'no code'} is an error in one sentence, with exit code ${exitCode}`, async (t) => {
    const failing = server(t);
    const result = listen(failing, 'http', { host: '127.0.0.1', port: 0, reusePort: false }, nothingFails);
    failing.emit('error', Object.assign(new Error(`listen ${code}`), code && { code }));
    assert.deepEqual(await failureOf(result), { reasons: [`Cannot listen on 127.0.0.1 port 0: ${reason}.`], exitCode });
  });
}

test('an exception of node is reported in the same form', async (t) => {
  const { reasons, exitCode } = Object(await failureOf(listen(server(t), 'http', { host: '127.0.0.1', port: 65_536, reusePort: false }, nothingFails)));
  assert.match(String(reasons), /^Cannot listen on 127\.0\.0\.1 port 65536: RangeError/);
  assert.equal(exitCode, 1);
});

test('every error of a listener that listens is passed to the function for it', async (t) => {
  const listening = server(t);
  const failures: unknown[] = [];
  await listen(listening, 'http', { host: '127.0.0.1', port: 0, reusePort: false }, (error) => failures.push(error));
  const errors = [new Error('accept EMFILE'), new Error('accept ENFILE')];
  for (const error of errors) listening.emit('error', error);
  assert.deepEqual(failures, errors);
});

test('on a socket that is handed over, the longest queue is requested', { skip: NO_DESCRIPTORS }, async (t) => {
  const { fd } = await listeningSocket(t);
  const calls: unknown[][] = [];
  const stub = Object.assign(server(t), {
    listen(...args: unknown[]) {
      calls.push(args.slice(0, 2));
      stub.emit('error', new Error('listen'));
      return stub;
    },
  });
  const { exitCode } = Object(await listen(stub, 'http', { fd, name: undefined }, nothingFails));
  assert.deepEqual([calls, exitCode], [[[{ fd }, 65_535]], 78]);
});
