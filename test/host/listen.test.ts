import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test, type TestContext } from 'node:test';
import { boundAddress, listen } from '../../src/host/listen.ts';

function server(t: TestContext) {
  const created = createServer();
  t.after(() => created.close());
  return created;
}

test('the address really bound can be read', async (t) => {
  for (const [host, expected] of [['127.0.0.1', /^127\.0\.0\.1:[1-9]\d*$/], ['::1', /^\[::1\]:[1-9]\d*$/], [undefined, /^(?:\[::\]|0\.0\.0\.0):[1-9]\d*$/]] as const) {
    const listening = server(t);
    const bound = await listen(listening, { host, port: 0, reusePort: false });
    assert.deepEqual(boundAddress(listening), bound);
    assert.match(bound.address, expected);
    assert.ok(bound.address.endsWith(`:${bound.port}`));
  }
});

test('a server that does not listen has no address', (t) => {
  assert.throws(() => boundAddress(server(t)), { message: 'The server does not listen on a TCP port.' });
});

test('a port in use is one sentence that names address and port', async (t) => {
  for (const host of ['127.0.0.1', undefined]) {
    const first = server(t);
    const { port } = await listen(first, { host, port: 0, reusePort: false });
    await assert.rejects(listen(server(t), { host, port, reusePort: false }), {
      reasons: [`Cannot listen on ${host ?? '*'} port ${port}: another process listens there.`],
    });
  }
});

test("an address that this machine doesn't have is one sentence too", async (t) => {
  await assert.rejects(listen(server(t), { host: '192.0.2.1', port: 0, reusePort: false }), { reasons: ['Cannot listen on 192.0.2.1 port 0: this machine has no such address.'] });
});

test('a failure of another kind is reported in the words of the system', async (t) => {
  const failing = server(t);
  const listening = listen(failing, { host: '127.0.0.1', port: 0, reusePort: false });
  failing.emit('error', new Error('listen: too many open files'));
  await assert.rejects(listening, { reasons: ['Cannot listen on 127.0.0.1 port 0: Error: listen: too many open files.'] });
});

test('an address that node refuses to try is reported alike', async (t) => {
  const refusing = server(t);
  await assert.rejects(listen(refusing, { host: '127.0.0.1', port: 65_536, reusePort: false }), (error: unknown) => {
    assert.match(String(error), /Cannot listen on 127\.0\.0\.1 port 65536: RangeError/);
    return true;
  });
});
