import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { getDefaultHighWaterMark } from 'node:stream';
import { test, type TestContext } from 'node:test';
import { connect } from 'node:tls';
import { readTlsFiles } from '../../src/host/tls-files.ts';
import { makeCertificate, temporaryFolder } from '../support/certificates.ts';
import { startService } from '../support/service.ts';
import { parseReplies, requestBytes } from '../support/wire.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function startTls(t: TestContext) {
  const secureContext = readTlsFiles(makeCertificate(temporaryFolder(t), 'localhost'), () => assert.fail('nothing is to be logged'));
  const { server, port } = await startService(t, { server: (app) => app.createSecureServer(secureContext) });
  async function open() {
    const secured = once(server, 'secureConnection');
    const client = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
    const [accepted] = await secured;
    return { client, accepted };
  }
  return { server, port, open };
}

test('the sockets of TLS have the smallest high water mark, and all other streams have the usual one', async (t) => {
  const usual = getDefaultHighWaterMark(false);
  const { server, port, open } = await startTls(t);
  for (let i = 0; i < 2; i++) {
    const { client, accepted } = await open();
    assert.deepEqual([accepted.readableHighWaterMark, accepted.writableHighWaterMark], [1, 1]);
    assert.deepEqual([client.readableHighWaterMark, client.writableHighWaterMark], [usual, usual]);
    client.destroy();
  }
  const connection = once(server, 'connection');
  const client = connectTcp({ port, host: '127.0.0.1' });
  assert.equal((await connection)[0].readableHighWaterMark, usual, 'the socket below');
  assert.equal(getDefaultHighWaterMark(false), usual);
  client.destroy();
});

test('while replies are unread, the service does not go on reading the TLS records of a client, and afterwards it answers them', async (t) => {
  const { open } = await startTls(t);
  const { client, accepted } = await open();
  const health = requestBytes('GET', '/health', []);
  client.pause();
  let sent = 0;
  for (let turns = 0; turns < 20; turns++) { // when it has been paused for so many turns, it will not resume
    if (!accepted.isPaused()) {
      client.write(health.repeat(1_000));
      sent += 1_000;
      turns = 0;
    }
    await turn();
  }
  const buffered = accepted.readableLength;
  for (const byte of health.repeat(20)) {
    client.write(byte); // each is a record
    await turn();
  }
  const more = accepted.readableLength - buffered; // one read, if nothing was buffered before
  assert.ok(more < 100, `${more} bytes more`);
  client.end();
  const replies = parseReplies(Buffer.concat(await client.toArray()));
  assert.equal(replies.length, sent + 20);
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
});
