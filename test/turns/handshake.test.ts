// What a server offers in TLS by default, as `https.createServer` does, and which sessions resume.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { connect, type ConnectionOptions } from 'node:tls';
import { createTls, keyExchanges, type TlsOptions } from '../../src/turns/handshake.ts';
import { tlsOptions } from '../support/certificates.ts';
import { LAST } from '../support/exchange.ts';
import { holdTimers } from '../support/timers.ts';
import { start } from './start.ts';

const VERSIONS = ['TLSv1.2', 'TLSv1.3'] as const;
const TWELVE_HOURS = 12 * 3_600_000;

async function shakeHands(t: TestContext, options: ConnectionOptions, own: Partial<TlsOptions> = {}) {
  const [server, carrier] = duplexPair();
  createTls({ ...tlsOptions(t), ...own }).start(server).on('error', () => {}).resume();
  const client = connect({ socket: carrier, rejectUnauthorized: false, ...options });
  await once(client, 'secureConnect');
  return client;
}

test('HTTP/1.1 is spoken, or HTTP/1.0; a client that speaks HTTP/2 alone is refused', async (t) => {
  for (const [ALPNProtocols, chosen] of [
    [['h2', 'http/1.1'], 'http/1.1'], [['http/1.0', 'http/1.1'], 'http/1.1'], [['http/1.0'], 'http/1.0'], [[], false],
  ] as const) {
    assert.equal((await shakeHands(t, { ALPNProtocols: [...ALPNProtocols] })).alpnProtocol, chosen);
  }
  await assert.rejects(shakeHands(t, { ALPNProtocols: ['h2'] }), /no application protocol/);
  const own = { ALPNProtocols: Buffer.from('\x01a') };
  assert.equal((await shakeHands(t, { ALPNProtocols: ['a'] }, own)).alpnProtocol, 'a');
});

test('key exchanges cost little, and one is safe from quantum computers where OpenSSL has it', async (t) => {
  for (const openssl of ['3.0.19', '3.4.1']) assert.equal(keyExchanges(openssl), 'X25519:P-256');
  for (const openssl of ['3.5', '3.10.0', '4.0.0']) assert.equal(keyExchanges(openssl), 'X25519MLKEM768:X25519:P-256');
  await assert.rejects(shakeHands(t, { ecdhCurve: 'P-384' }), /alert handshake failure/);
});

test('in TLS 1.2, the server chooses the cipher, and nothing is negotiated again', async (t) => {
  const ciphers = 'AES128-SHA256:ECDHE-ECDSA-AES128-SHA256:ECDHE-ECDSA-AES128-GCM-SHA256';
  const client = await shakeHands(t, { maxVersion: 'TLSv1.2', ciphers });
  assert.equal(client.getCipher().name, 'ECDHE-ECDSA-AES128-GCM-SHA256');
  const again = new Promise((resolve) => client.on('error', resolve).renegotiate({}, resolve));
  assert.match(String(await again), /no renegotiation/);
});

test('sessions resume, until the key of tickets is 12 hours old, or there is a new certificate', async (t) => {
  holdTimers(t, 'setInterval');
  let time = 0;
  t.mock.method(performance, 'now', () => time);
  const { server, port } = await start(t, (_, response) => response.end(), 'TLS', { sweepMs: 1_000 });
  const wait = (ms: number) => {
    time += ms;
    t.mock.timers.tick(1_000);
  };

  async function request(version: typeof VERSIONS[number], session?: Buffer) {
    const options = { minVersion: version, maxVersion: version, rejectUnauthorized: false, session };
    const client = connect({ port, host: '127.0.0.1', ...options });
    const given = once(client, 'session'); // in TLS 1.3, after the handshake
    await once(client, 'secureConnect');
    const isResumed = client.isSessionReused();
    client.write(LAST);
    await text(client);
    return { isResumed, session: session ?? (await given)[0] };
  }

  for (const version of VERSIONS) {
    for (const [act, isResumed] of [
      [() => wait(TWELVE_HOURS - 1), true], [() => wait(1), false], [() => wait(TWELVE_HOURS / 2), true],
      [() => server.setSecureContext(tlsOptions(t)), false],
    ] as const) {
      const { session } = await request(version);
      act();
      assert.equal((await request(version, session)).isResumed, isResumed);
    }
  }
});
