// An error of those whom a server calls: the handler, and those to whom it reports. In send.test.ts are all errors of a handler.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Server } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { readConfiguration } from '../../src/host/configuration.ts';
import { emptyReply, type Handler, type Reply } from '../../src/http/reply.ts';
import { createRouter } from '../../src/http/router.ts';
import { Turns } from '../../src/server/turns.ts';
import { NO_REPORTS } from '../support/reports.ts';
import { createServer, type ServerOptions } from '../../src/server/server.ts';
import { exchange, requestBytes } from '../support/exchange.ts';

const get = requestBytes('GET', '/a');
const noHost = 'GET /a HTTP/1.1\r\n\r\n';
const failure = new Error('It failed.');
const fail = () => { throw failure; };
const ok: Handler = () => emptyReply(204);

/** A server with one place, this handler, and these functions for reports. Returns its port, and the errors that it reports. */
async function serve(t: TestContext, reports: Partial<ServerOptions['reports']>, handler = ok) {
  const failures: unknown[] = [];
  const { listener, close, closeAll } = createServer({
    ...readConfiguration({}),
    handler,
    isAllowed: () => true,
    isDraining: () => false,
    maxConnections: 1,
    turns: new Turns(),
    reports: { ...NO_REPORTS, failed: (error) => failures.push(error), ...reports },
  });
  const server: Server = listener.listen({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  t.after(async () => {
    const closed = close();
    closeAll();
    await closed;
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Not a TCP address');
  return { port: address.port, failures };
}

async function statusesOf(port: number, bytes: string): Promise<number[]> {
  return (await exchange(port, bytes)).replies.map(({ status }) => status);
}

describe('an error', { timeout: 20_000 }, () => {
  test('of a handler leaves the connection open, and the access log has the 500', async (t) => {
    const logged: (number | undefined)[] = [];
    const { port, failures } = await serve(t, { finished: ({ status }) => logged.push(status) }, fail);
    const { replies } = await exchange(port, requestBytes('GET', '/a', []) + get);
    const ends = replies.map(({ status, headers }) => [status, headers.at(-1)]);
    assert.deepEqual(ends, [[500, 'Connection: keep-alive'], [500, 'Connection: close']]);
    assert.deepEqual([failures, logged], [[failure, failure], [500, 500]]);
  });

  test('of a handler that returns nothing, which the compiler prevents, is a 500', async (t) => {
    const returns: { readonly reply?: Reply } = JSON.parse('{}');
    const { port, failures } = await serve(t, {}, createRouter({ '/': { GET: () => Object(returns).reply } }));
    assert.deepEqual([await statusesOf(port, requestBytes('GET', '/')), failures.length], [[500], 1]);
  });

  test('of those who are told of errors ends nothing', async (t) => {
    const { port } = await serve(t, { failed: fail, refused: fail, finished: fail }, fail);
    assert.deepEqual([await statusesOf(port, get), await statusesOf(port, noHost)], [[500], [400]]);
  });

  test('of those who are told of refusals is reported, and the refusal is sent', async (t) => {
    const { port, failures } = await serve(t, { refused: fail });
    assert.deepEqual([await statusesOf(port, noHost), failures], [[400], [failure]]);
  });

  test('of those who are told of finished requests is reported, and the reply is sent', async (t) => {
    const { port, failures } = await serve(t, { finished: fail });
    assert.deepEqual([await statusesOf(port, get), failures], [[204], [failure]]);
    assert.deepEqual([await statusesOf(port, noHost), failures], [[400], [failure, failure]]);
  });

  test('of those who are told of closed connections is reported, and the new one is served', async (t) => {
    const { port, failures } = await serve(t, { dropped: fail });
    const idle = connect({ port, host: '127.0.0.1' });
    await once(idle, 'connect');
    assert.deepEqual([await statusesOf(port, get), failures], [[204], [failure]]);
    idle.destroy();
  });
});
