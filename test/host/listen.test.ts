import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test, type TestContext } from 'node:test';
import { listen, type Bound, type HandedTarget, type ListenTarget, type Scheme } from '../../src/host/listen.ts';
import { StartError } from '../../src/host/start-error.ts';
import { listeningSocket, NO_DESCRIPTORS } from '../support/descriptors.ts';

function server(t: TestContext) {
  const created = createServer();
  t.after(() => created.close());
  return created;
}

const onPort = (port: number) => ({ host: '127.0.0.1', port, reusePort: false });

/** Listens; the result without what is of no interest here. */
async function result(t: TestContext, target: ListenTarget, listening = server(t), scheme: Scheme = 'http'): Promise<Bound | Pick<StartError, 'reasons' | 'exitCode'>> {
  const outcome = await listen(listening, scheme, target, () => assert.fail('no listener fails'));
  return outcome instanceof StartError ? { reasons: outcome.reasons, exitCode: outcome.exitCode } : outcome;
}

test('the result has the address that was really bound, as a URL', async (t) => {
  for (const [host, expected] of [['127.0.0.1', /^http:\/\/127\.0\.0\.1:[1-9]\d*$/], ['::1', /^http:\/\/\[::1\]:[1-9]\d*$/], [undefined, /^http:\/\/(?:\[::\]|0\.0\.0\.0):[1-9]\d*$/]] as const) {
    const { address, port } = Object(await result(t, { host, port: 0, reusePort: false }));
    assert.match(address, expected);
    assert.ok(address.endsWith(`:${port}`));
  }
});

for (const [code, reason, exitCode, host, scheme = 'http'] of [
  ['EADDRINUSE', 'another process listens there: stop it, or set PORT to another port', 1, '127.0.0.1'],
  ['EADDRINUSE', 'another process listens there: stop it, or set HTTPS_PORT to another port', 1, '127.0.0.1', 'https'],
  ['EADDRNOTAVAIL', 'this machine has no such address', 1, undefined],
  ['ENOTFOUND', 'no such host name is known', 1, 'a.example'],
  ['EACCES', 'this user may not listen on that port', 78, '::1'],
  ['EMFILE', 'Error: listen EMFILE', 1, '127.0.0.1'],
  [undefined, 'Error: listen undefined', 1, '127.0.0.1'],
] as const) {
  test(`a listener for ${scheme} that fails with ${code ?? 'no code'} is an error in one sentence, with exit code ${exitCode}`, async (t) => {
    const failing = Object.assign(server(t), { listen: () => failing });
    const failed = result(t, { host, port: 80, reusePort: false }, failing, scheme);
    failing.emit('error', Object.assign(new Error(`listen ${code}`), code && { code }));
    assert.deepEqual(await failed, { reasons: [`Cannot listen on ${host ?? '*'} port 80: ${reason}.`], exitCode });
  });
}

test('an exception of node is reported in the same form', async (t) => {
  const { reasons, exitCode } = Object(await result(t, onPort(65_536)));
  assert.match(String(reasons), /^Cannot listen on 127\.0\.0\.1 port 65536: RangeError/);
  assert.equal(exitCode, 1);
});

test('every error of a listener that listens is passed to the function for it', async (t) => {
  const listening = server(t);
  const failures: unknown[] = [];
  await listen(listening, 'http', onPort(0), (error) => failures.push(error));
  const errors = [new Error('accept EMFILE'), new Error('accept ENFILE')];
  for (const error of errors) listening.emit('error', error);
  assert.deepEqual(failures, errors);
});

/** A server that is told to listen on `target`, and does not: this process has the socket already. `outcome` is what happens instead. */
async function listenOnHanded(t: TestContext, target: HandedTarget, outcome: (stub: ReturnType<typeof server>) => void, address: string | null = null) {
  const calls: unknown[][] = [];
  const stub = Object.assign(server(t), {
    address: () => address,
    listen(...args: unknown[]) {
      calls.push(args.slice(0, 2));
      stub.once('listening', () => { if (typeof args[2] === 'function') args[2](); });
      outcome(stub);
      return stub;
    },
  });
  return [await result(t, target, stub), calls];
}

test('on a socket that is handed over, the longest queue is requested; a failure has exit code 78', { skip: NO_DESCRIPTORS }, async (t) => {
  const { fd } = await listeningSocket(t);
  const reasons = [`Cannot listen on descriptor ${fd}, which LISTEN_FDS hands over: it must be a listening stream socket (Error: listen).`];
  const failed = await listenOnHanded(t, { fd, name: undefined }, (stub) => stub.emit('error', new Error('listen')));
  assert.deepEqual(failed, [{ reasons, exitCode: 78 }, [[{ fd }, 65_535]]]);
});

test('a Unix socket that is handed over has its descriptor in place of an address, whether node tells its path or not', { skip: NO_DESCRIPTORS }, async (t) => {
  const { fd } = await listeningSocket(t);
  for (const address of [null, '/run/greeting.sock']) {
    const [bound] = await listenOnHanded(t, { fd, name: 'http' }, (stub) => stub.emit('listening'), address);
    assert.deepEqual(bound, { address: `descriptor ${fd}`, port: undefined, name: 'http' });
  }
});
