// Each rule over the wire, with the reason that is reported. The contract has many more requests, and no reasons.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REFUSALS, statusOfError, type Reason } from '../../src/http/refusals.ts';
import { exchange } from '../support/exchange.ts';
import { startService } from '../support/service.ts';

const head = (line: string, ...fields: string[]) => [line, ...fields, '', ''].join('\r\n');
const get = (...fields: string[]) => head('GET /health HTTP/1.1', ...fields);

const ROWS: readonly (readonly [Reason, number, string])[] = [
  ['tooManyFieldLines', 431, get('Host: a', ...Array.from({ length: 100 }, () => 'A: b'))],
  ['targetForm', 400, head('GET ftp://a/health HTTP/1.1', 'Host: a')],
  ['hostMissing', 400, get()],
  ['hostIllegal', 400, get('Host: a', 'Host: b')],
  ['hostMismatch', 400, head('GET http://b/health HTTP/1.1', 'Host: a')],
  ['hostNotAllowed', 421, get('Host: b')],
  ['httpsWithoutTls', 421, head('GET https://a/health HTTP/1.1', 'Host: a')],
  ['redirectWithoutHost', 400, head('GET /health HTTP/1.0')],
  ['codingIllegal', 400, get('Host: a', 'Transfer-Encoding: xchunked')],
  ['codingIllegal', 400, head('GET /health HTTP/1.0', 'Host: a', 'Transfer-Encoding: chunked')],
  ['codingUnsupported', 501, get('Host: a', 'Transfer-Encoding: gzip', 'Transfer-Encoding: chunked')],
  ['contentTooLong', 413, get('Host: a', 'Content-Length: 65537')],
  ['expectationUnknown', 417, get('Host: a', 'Expect: 100-continue, b')],
];

test('each rule has its status, and is reported', async (t) => {
  assert.deepEqual(Object.fromEntries(ROWS.map(([reason, status]) => [reason, status])), REFUSALS);
  const answering = await startService(t, { allowedHosts: ['a'] });
  const redirecting = await startService(t, { server: (app) => app.createRedirectServer(443) });
  for (const [reason, status, bytes] of ROWS) {
    const { port, refusals } = reason === 'redirectWithoutHost' ? redirecting : answering;
    const { replies } = await exchange(port, bytes);
    assert.deepEqual([replies.map((reply) => reply.status), refusals.splice(0)], [[status], [reason]], bytes);
  }
});

test('a client that is not at fault, or has gone, gets no status', () => {
  for (const code of ['HPE_PAUSED', 'ECONNRESET', 'EPIPE', '']) assert.equal(statusOfError(code), undefined, code);
});
