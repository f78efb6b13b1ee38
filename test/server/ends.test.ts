// How a connection ends: each early end is counted by its reason, and an idle connection over TLS ends with close_notify.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { readTlsFiles } from '../../src/host/tls-files.ts';
import { secure } from '../../src/server/tls.ts';
import { readReplies, readToEnd, sendRead, stall, startWithClock, use, type ClockedService, type Pair } from '../support/both-sides.ts';
import { makeCertificate, temporaryFolder } from '../support/certificates.ts';
import { requestBytes } from '../support/exchange.ts';

const limit = { timeout: 20_000 };
const health = requestBytes('GET', '/health', []);

function startTls(t: TestContext): Promise<ClockedService> {
  const secureContext = readTlsFiles(makeCertificate(temporaryFolder(t), 'localhost'), () => {});
  return startWithClock(t, { server: (app) => app.createSecureServer((...carrier) => secure(secureContext, ...carrier)) });
}

type Act = (pair: Pair, service: ClockedService) => unknown;
const reset: Act = ({ client }) => client.resetAndDestroy();

const cases: readonly (readonly [what: string, isSecure: boolean, reasons: readonly string[], act: Act])[] = [
  ['a client that goes away in the middle of a head', false, ['resetBeforeReply'], async (pair, service) => {
    await sendRead(pair, 'GET /');
    await reset(pair, service);
  }],
  ['a client that goes away in the middle of content', false, ['resetBeforeReply'], async (pair, service) => {
    await sendRead(pair, requestBytes('GET', '/', ['Content-Length: 2']));
    await reset(pair, service);
  }],
  ['a client that goes away without reading', false, ['resetBeforeReply'], async (pair, service) => {
    await stall(pair);
    await reset(pair, service);
  }],
  ['a client that does not read', false, ['replyNotRead'], async (pair, { pass }) => {
    await stall(pair);
    pass(16);
  }],
  ['a client that keeps its side open', false, ['notClosedByClient'], async (pair, { pass }) => {
    pair.client.write(requestBytes('GET', '/'));
    await readToEnd(pair.client);
    pass(2);
  }],
  ['a client that goes away between two requests', false, [], async (pair, service) => {
    await use(pair);
    await reset(pair, service);
  }],
  ['a client that is idle for too long', false, [], async (pair, { pass }) => {
    await use(pair);
    pass(76);
  }],
  ['a client that is cut', false, [], async (pair, { app }) => {
    await sendRead(pair, 'GET /');
    app.closeAll();
  }],
  ['a handshake that takes too long', true, ['handshakeTooSlow'], (_, { pass }) => pass(11)],
  ['bytes that are no TLS', true, ['tlsFailed'], ({ client }) => client.write('GET / HTTP/1.1\r\n\r\n')],
  ['a client that goes away during the handshake', true, ['tlsFailed'], async (pair, service) => {
    await sendRead(pair, '\x16\x03\x01\x02');
    await reset(pair, service);
  }],
  ['a client that goes away before the handshake', true, [], reset],
];
for (const [what, isSecure, reasons, act] of cases) {
  test(`${what} is counted ${reasons.length === 0 ? 'as nothing' : `as ${reasons.join()}`}`, limit, async (t) => {
    const service = isSecure ? await startTls(t) : await startWithClock(t, { development: true });
    const pair = await service.open();
    const closed = new Promise((resolve) => pair.accepted.once('close', resolve));
    await act(pair, service);
    await closed;
    for (let turns = 0; turns < 5; turns += 1) await turn(); // TLS closes after the socket below
    assert.deepEqual(service.ended, reasons);
  });
}

const ALERT = 21; // RFC 5246 6.2.1. TLS 1.3 would hide it.

for (const [what, happen] of [
  ['at the stop', ({ app }) => app.close()],
  ['when it has been idle for too long', ({ pass }) => pass(76)],
  ['when it makes room', (service) => service.open()],
] satisfies [string, (service: ClockedService) => unknown][]) {
  test(`an idle connection over TLS ends with close_notify, ${what}`, limit, async (t) => {
    const secureContext = readTlsFiles(makeCertificate(temporaryFolder(t), 'localhost'), () => {});
    const service = await startWithClock(t, { maxConnections: 1, server: (app) => app.createSecureServer((...carrier) => secure(secureContext, ...carrier)) });
    const { client: below, accepted } = await service.open();
    const seen: Buffer[] = [];
    const write = accepted.write.bind(accepted);
    t.mock.method(accepted, 'write', (bytes: Buffer, ...rest: []) => {
      if (bytes.length > 0) seen.push(bytes);
      return write(bytes, ...rest);
    });
    const client = connectTls({ socket: below, rejectUnauthorized: false, maxVersion: 'TLSv1.2' }).on('error', () => {});
    await once(client, 'secureConnect');
    client.write(health);
    await readReplies(client, 1);
    const closed = new Promise((resolve) => accepted.once('close', resolve));
    await happen(service);
    await closed;
    assert.equal(seen.at(-1)?.[0], ALERT);
    assert.equal((await readToEnd(client)).length, 0);
  });
}
