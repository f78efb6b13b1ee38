// What the servers of an app have in common: a listener that redirects holds requests to the same rules as one that answers.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { loadServer } from '../src/app.ts';
import type { CreateServer } from '../src/server/interface.ts';
import { startService } from './support/service.ts';
import { exchange } from './support/exchange.ts';

for (const kind of ['strict', 'node'] as const) {
  test(`${kind}: a listener that redirects refuses what any other refuses, and does not count what it redirects as refused`, async (t) => {
    const { port, refusals } = await startService(t, { kind, allowedHosts: ['a'], server: (app) => app.createRedirectListener(8443) });
    for (const [line, host, statusLine, field] of [
      ['GET /health?b HTTP/1.1', 'a:80', '307 Temporary Redirect', 'Location: https://a:8443/health?b'],
      ['GET https://A/health HTTP/1.1', 'a', '307 Temporary Redirect', 'Location: https://a:8443/health'],
      ['GET http://a:80/health HTTP/1.0', undefined, '307 Temporary Redirect', 'Location: https://a:8443/health'],
      ['GET /health HTTP/1.1', 'b', '421 Misdirected Request'],
      ['GET /health HTTP/1.1', 'a/', '400 Bad Request'],
      ['CONNECT a:80 HTTP/1.1', 'a', '501 Not Implemented'],
      ['GET /health HTTP/1.0', undefined, '421 Misdirected Request'],
    ] as const) {
      const hosts = host === undefined ? [] : [`Host: ${host}`];
      const { replies: [reply], ended } = await exchange(port, [line, ...hosts, 'Connection: close', '', ''].join('\r\n'));
      const headers = [...(field === undefined ? [] : [field]), 'Content-Length: 0', 'Date: now', 'Connection: close'];
      assert.deepEqual([reply?.statusLine, reply?.headers, ended], [`HTTP/1.1 ${statusLine}`, headers, true], line);
    }
    assert.deepEqual(refusals, ['hostNotAllowed', 'hostIllegal', 'connectUnsupported', 'hostNotAllowed']);
  });

  test(`${kind}: a request without a host cannot be redirected`, async (t) => {
    const { port, refusals } = await startService(t, { kind, server: (app) => app.createRedirectListener(8443) });
    const { replies } = await exchange(port, 'GET /health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n');
    assert.deepEqual([replies.map(({ status }) => status), refusals], [[400], ['redirectWithoutHost']]);
  });

  test(`${kind}: all servers of an app close together, and count together what is cut`, async (t) => {
    const { createServer } = await loadServer(kind);
    const cutting: CreateServer = async (...options) => ({ ...await createServer(...options), closeAll: () => 2 });
    const { app, port } = await startService(t, { createServer: cutting });
    const other = (await app.createHttpListener()).listen({ port: 0, host: '127.0.0.1' });
    await once(other, 'listening');
    await app.close();
    assert.equal(other.listening, false);
    await assert.rejects(exchange(port, ''), { code: 'ECONNREFUSED' });
    assert.equal(app.closeAll(), 4);
  });
}
