// Who is the client of a connection from a load balancer, and what becomes of one without a legal header.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { GET, LAST } from '../support/exchange.ts';
import { closed, until } from '../support/sockets.ts';
import { holdTimers } from '../support/timers.ts';
import { beginTls, start, TRANSPORTS, type Over } from './start.ts';

const V1 = Buffer.from('PROXY TCP4 192.0.2.7 192.0.2.1 4242 80\r\n');
const V2 = Buffer.from('0d0a0d0a000d0a515549540a21110010c0000209c00002011092005004000100', 'hex'); // 192.0.2.9, a TLV

/** A server whose balancers are at 127.0.0.2 and 127.0.0.3. It replies with the client's address and port. */
async function startBehind(t: TestContext, over: Over) {
  const isBalancer = (address = '') => ['127.0.0.2', '127.0.0.3'].includes(address);
  const respond: RequestListener = ({ socket: { remoteAddress, remotePort, remoteFamily, bytesRead } }, response) =>
    void response.end(`${remoteAddress} ${remotePort} ${remoteFamily} ${bytesRead}`);
  return start(t, respond, over, { isBalancer, sweepMs: 1_000 });
}

for (const over of TRANSPORTS) {
  test(`over ${over}, the client is the one whom the header names, however it arrives`, async (t) => {
    const { dial, reasons } = await startBehind(t, over);
    for (const [header, expected] of [
      [V1, /\r\n\r\n192\.0\.2\.7 4242 IPv4 54$/], [V2, /\r\n\r\n192\.0\.2\.9 4242 IPv4 54$/],
      [Buffer.from('PROXY TCP6 2001:db8::1 192.0.2.1 7 80\r\n'), /2001:db8::1 7 IPv6 54$/],
      [Buffer.from('PROXY UNKNOWN\r\n'), /\r\n\r\n127\.0\.0\.2 \d+ IPv4 54$/],
    ] as const) {
      for (const isSlow of [false, true]) {
        const { below, raw } = await dial('127.0.0.2');
        for (let at = 0; isSlow && at < header.length - 1; at += 1) {
          below.write(header.subarray(at, at + 1));
          await until(() => raw.bytesRead > at);
        }
        below.write(isSlow ? header.subarray(-1) : header); // so what follows comes in the same read
        const client = over === 'TLS' ? beginTls(below) : below;
        client.write(LAST);
        assert.match(await text(client), expected);
        below.end();
        await closed(raw);
      }
    }
    assert.deepEqual(reasons, []);
  });
}

test('without a legal header within 10 s, a connection from there is closed; others have none', async (t) => {
  holdTimers(t, 'setInterval');
  const { mock } = t.mock.method(performance, 'now');
  mock.mockImplementation(() => 0);
  const { dial, reasons } = await startBehind(t, 'TCP');
  for (const act of [
    (below: Socket) => below.write('GET / HTTP/1.1\r\n'), (below: Socket) => below.end(V1.subarray(0, 20)),
    (below: Socket) => below.end(), (below: Socket) => below.resetAndDestroy(), // as checks by TCP do: not reported
  ]) {
    const { below, raw } = await dial('127.0.0.3');
    act(below);
    await closed(raw);
  }
  const served = await dial('127.0.0.2');
  served.below.write(V1 + GET);
  await once(served.below, 'data');
  const slow = await dial('127.0.0.2');
  slow.below.write(V2.subarray(0, 20));
  await until(() => slow.raw.bytesRead === 20);
  for (const now of [9_999, 10_000]) {
    assert.deepEqual([slow.raw.destroyed, reasons], [false, ['proxyHeaderIllegal', 'proxyHeaderIllegal']]);
    mock.mockImplementation(() => now);
    t.mock.timers.tick(1_000);
  }
  const areClosed = [slow, served].map(({ raw }) => raw.destroyed);
  assert.deepEqual([areClosed, reasons.slice(2)], [[true, false], ['proxyHeaderTooSlow']]);
  const { below: other } = await dial('127.0.0.4');
  other.write(V1);
  assert.match(await text(other), /^HTTP\/1\.1 400 /);
});

test('at the stop, a connection that has brought its header alone closes; one in its handshake does not', async (t) => {
  holdTimers(t, 'setTimeout');
  const { dial, server, reasons } = await startBehind(t, 'TLS');
  const [idle, begun] = [await dial('127.0.0.2'), await dial('127.0.0.2')];
  idle.below.write(V1);
  begun.below.write(`${V1}\x16`);
  await until(() => idle.raw.bytesRead === V1.length && begun.raw.bytesRead === V1.length + 1);
  const isClosed = once(server.close(), 'close');
  await until(() => !server.listener.listening);
  t.mock.timers.tick(250);
  await closed(idle.raw);
  assert.deepEqual([reasons, begun.raw.destroyed], [[], false], 'it has not been too slow');
  begun.below.destroy();
  await isClosed;
});
