// Each rule over the wire: Node's parser accepts the request, and the service refuses it and reports the reason.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REFUSALS, type Reason } from '../../src/http/refusals.ts';
import { exchange } from '../support/exchange.ts';
import { startService } from '../support/service.ts';

const head = (line: string, ...fields: string[]) => [line, 'Connection: close', ...fields, '', ''].join('\r\n');
const get = (...fields: string[]) => head('GET /health HTTP/1.1', ...fields);

const ROWS: readonly (readonly [Reason, number, string])[] = [
  ['tooManyFieldLines', 431, get('Host: a', ...Array.from({ length: 99 }, () => 'A: b'))],
  ['targetForm', 400, head('GET ftp://a/health HTTP/1.1', 'Host: a')],
  ['hostMissing', 400, get()],
  ['hostIllegal', 400, get('Host: a', 'Host: b')],
  ['hostMismatch', 400, head('GET http://b/health HTTP/1.1', 'Host: a')],
  ['hostNotAllowed', 421, get('Host: b')],
  ['httpsWithoutTls', 421, head('GET https://a/health HTTP/1.1', 'Host: a')],
  ['redirectWithoutHost', 400, head('GET /health HTTP/1.0')],
  ['codingIllegal', 400, get('Host: a', 'Transfer-Encoding: xchunked')],
  ['codingIllegal', 400, `${head('GET /health HTTP/1.0', 'Host: a', 'Transfer-Encoding: chunked')}0\r\n\r\n`],
  ['codingUnsupported', 501, `${get('Host: a', 'Transfer-Encoding: gzip', 'Transfer-Encoding: chunked')}0\r\n\r\n`],
  ['contentTooLong', 413, get('Host: a', 'Content-Length: 65537') + 'a'.repeat(65_537)],
  ['expectationUnknown', 417, get('Host: a', 'Expect: 100-continue, b')],
];

test('each rule refuses what Node accepts, has its status, and is reported', async (t) => {
  assert.deepEqual(Object.fromEntries(ROWS.map(([reason, status]) => [reason, status])), REFUSALS);
  const answering = await startService(t, { allowedHosts: ['a'] });
  const redirecting = await startService(t, { server: (app) => app.createRedirectServer(443) });
  for (const [reason, status, bytes] of ROWS) {
    const { port, ends } = reason === 'redirectWithoutHost' ? redirecting : answering;
    const replies = await exchange(port, bytes);
    assert.deepEqual([replies.map((reply) => reply.status), ends.splice(0)], [[status], [reason]], bytes);
  }
});
