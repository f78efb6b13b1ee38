import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test, type TestContext } from 'node:test';
import { listen, type ListenTarget, type Scheme } from '../../src/host/listen.ts';
import { StartError } from '../../src/host/start-error.ts';
import { listeningSocket, NO_DESCRIPTORS } from '../support/descriptors.ts';

function createListener(t: TestContext) {
  const listener = createServer();
  t.after(() => listener.close());
  return listener;
}

const onPort = (port: number, host: string | undefined = '127.0.0.1') => ({ host, port, reusePort: false });

/** Listens; a StartError without what is of no interest here. */
async function result(listener: ReturnType<typeof createListener>, target: ListenTarget, scheme: Scheme = 'http') {
  const outcome = await listen(listener, scheme, target, () => assert.fail('no listener fails'));
  return outcome instanceof StartError ? { reasons: outcome.reasons, exitCode: outcome.exitCode } : outcome;
}

/** A listener that is told to listen and does not: it emits an event, or tells this address. */
function createStub(t: TestContext, event: 'listening' | 'error', error?: Error, address: string | null = null) {
  const calls: unknown[][] = [];
  const stub = Object.assign(createListener(t), {
    address: () => address,
    listen(...args: unknown[]) {
      calls.push(args);
      setImmediate(() => stub.emit(event, error));
      return stub;
    },
  });
  return { stub, calls };
}

test('the result has the address that was really bound, as a URL', async (t) => {
  const hosts = [['127.0.0.1', /^http:\/\/127\.0\.0\.1:[1-9]\d*$/], ['::1', /^http:\/\/\[::1\]:[1-9]\d*$/]] as const;
  for (const [host, expected] of [...hosts, [undefined, /^http:\/\/(?:\[::\]|0\.0\.0\.0):[1-9]\d*$/]] as const) {
    const { address, port } = Object(await result(createListener(t), { host, port: 0, reusePort: false }));
    assert.match(address, expected);
    assert.ok(address.endsWith(`:${port}`));
  }
});

for (const [code, reason, exitCode, scheme = 'http'] of [
  ['EADDRINUSE', 'another process listens there: stop it, or set PORT to another port', 1],
  ['EADDRINUSE', 'another process listens there: stop it, or set HTTPS_PORT to another port', 1, 'https'],
  ['EACCES', 'Error: listen EACCES', 78],
  [undefined, 'Error: listen undefined', 1],
] as const) {
  test(`a listener for ${scheme} that fails with ${code} is an error in one sentence, with exit code ${exitCode}`, async (t) => {
    const { stub } = createStub(t, 'error', Object.assign(new Error(`listen ${code}`), code && { code }));
    const failed = await result(stub, { host: undefined, port: 80, reusePort: false }, scheme);
    assert.deepEqual(failed, { reasons: [`Cannot listen on * port 80: ${reason}.`], exitCode });
  });
}

test('every error of a listener that listens is passed to the function for it', async (t) => {
  const listener = createListener(t);
  const failures: unknown[] = [];
  await listen(listener, 'http', onPort(0), (error) => failures.push(error));
  const errors = [new Error('accept EMFILE'), new Error('accept ENFILE')];
  for (const error of errors) listener.emit('error', error);
  assert.deepEqual(failures, errors);
});

test('on a socket that is handed over, the longest queue is requested; a failure has exit code 78', { skip: NO_DESCRIPTORS }, async (t) => {
  const { fd } = await listeningSocket(t);
  const { stub, calls } = createStub(t, 'error', new Error('listen'));
  const failed = await result(stub, { fd, name: undefined });
  const reasons = [`Cannot listen on descriptor ${fd}, which LISTEN_FDS hands over: it must be a listening stream socket (Error: listen).`];
  assert.deepEqual([failed, calls], [{ reasons, exitCode: 78 }, [[{ fd }, 65_535]]]);
});

test('a Unix socket that is handed over has its descriptor in place of an address', { skip: NO_DESCRIPTORS }, async (t) => {
  const { fd } = await listeningSocket(t);
  for (const address of [null, '/run/greeting.sock']) { // whether Node tells its path or not
    const { stub } = createStub(t, 'listening', undefined, address);
    assert.deepEqual(await result(stub, { fd, name: 'http' }), { address: `descriptor ${fd}`, port: undefined, name: 'http' });
  }
});
