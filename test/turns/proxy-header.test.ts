// Which headers of load balancers are legal (2.1 and 2.2 of the specification), and whose connections are then.
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { readProxyHeader } from '../../src/turns/proxy-header.ts';
import { Valve } from '../../src/turns/valve.ts';
import { LAST } from '../support/exchange.ts';
import { closed, until } from '../support/sockets.ts';
import { beginTls, hello, start, testOver } from './start.ts';

const SIGNATURE = '0d0a0d0a000d0a515549540a';
const [V4, V6] = ['c0000201 c0000202 ddd5 01bb', `20010db8${'0'.repeat(22)}7f ${'f'.repeat(32)} 0001 ffff`];
const [TCP4, TCP6] = ['PROXY TCP4 192.0.2.1 192.0.2.2 56789 443', 'PROXY TCP6 2001:db8:: 2001:db8::1 1 2'];

const v1 = (line: string) => Buffer.from(`${line}\r\n`, 'latin1');

/** A header of version 2: its 13th and 14th byte, what follows its length, and perhaps another length. */
function v2(start: string, following = '', length = following.replaceAll(' ', '').length / 2): Buffer {
  return Buffer.from(SIGNATURE + start + length.toString(16).padStart(4, '0') + following.replaceAll(' ', ''), 'hex');
}

const LEGAL: readonly (readonly [header: Buffer, address?: string, port?: number])[] = [
  [v1(TCP4), '192.0.2.1', 56_789], [v1('PROXY TCP4 255.255.255.255 0.0.0.0 65535 0'), '255.255.255.255', 65_535],
  [v1('PROXY TCP6 2001:DB8:0:0:0:0:0:007f :: 0 65535'), '2001:db8::7f', 0],
  [v1('PROXY TCP6 ::ffff:192.0.2.1 ::ffff:c000:202 9 10'), '::ffff:192.0.2.1', 9], // as inet_ntop(3) writes it
  [v1('PROXY TCP6 2001:db8::1 192.0.2.2 9 10'), '2001:db8::1', 9],
  [v1('PROXY TCP4 192.0.2.1 ::2 9 10'), '192.0.2.1', 9],
  [v1('PROXY TCP6 ::ffff:c000:201 1:2:3:4:5:6:7:: 9 1'), '::ffff:192.0.2.1', 9],
  ...['', ' ', ' TCP4 \r \n \xff', ` ${'f'.repeat(91)}`].map((rest) => [v1(`PROXY UNKNOWN${rest}`)] as const),
  [v2('2111', V4), '192.0.2.1', 56_789], [v2('2111', V4 + 'ff'.repeat(4_084)), '192.0.2.1', 56_789],
  [v2('2121', V6), '2001:db8::7f', 1], [v2('2121', `${V6} 04 0001 00`), '2001:db8::7f', 1],
  [v2('2121', V6.replace(/^.{32}/, '00000000000000000000ffffc0000201')), '::ffff:192.0.2.1', 1],
  ...['00', '11', '21', 'ff'].flatMap((kind) => [[v2(`20${kind}`)], [v2(`20${kind}`, V6)]] as const), // LOCAL
  ...['00', '01', '02', '10', '12', '20', '22', '30', '31', '32'].map((kind) => [v2(`21${kind}`, V6)] as const),
];

const ILLEGAL = [
  ...['01', '65536', '100000', '', '-1', '1e3', '1.0', '\xb2'].flatMap((port) =>
    [v1(TCP4.replace('56789', port)), v1(TCP4.replace('443', port))]),
  ...['192.0.2', '192.0.2.01', '192.0.2.1/32', '1:2:3:4:5:6:7', '[::1]', '::1%1', ''].flatMap((address) =>
    [TCP4.replace('192.0.2.1', address), TCP4.replace('192.0.2.2', address), TCP6.replace('2001:db8::', address),
      TCP6.replace('2001:db8::1', address)].map(v1)),
  ...['::1', '::ffff:192.0.2.1'].map((address) => v1(TCP4.replace('192.0.2.1', address))), // the source is another's
  v1(TCP6.replace('2001:db8::', '192.0.2.1')),
  ...['', 'TCP', 'TCP0', 'TCP6', 'tcp4', 'UDP4', 'UNKNOWNX'].map((protocol) => v1(TCP4.replace('TCP4', protocol))),
  ...Array.from(TCP4.matchAll(/ |$/g)).flatMap(({ index }) =>
    [`${TCP4.slice(0, index)} ${TCP4.slice(index)}`, `${TCP4.slice(0, index)}\t${TCP4.slice(index + 1)}`].map(v1)),
  ...Array.from(TCP4.matchAll(/ /g), ({ index }) => v1(TCP4.slice(0, index))),
  v1('PROXY TCP0 a b 1 2'), // what `isIP` says of both is 0
  ...[`${TCP4} 1`, ` ${TCP4}`, `${TCP4}\r`, 'proxy UNKNOWN', 'GET / HTTP/1.1'].map(v1),
  v1(`PROXY UNKNOWN ${'f'.repeat(92)}`), Buffer.from(`${TCP4}\n`.padEnd(107)), // 107 bytes without an end
  ...['01', '11', '22', '31'].map((command) => v2(`${command}11`, V4)), // other versions and commands
  ...['03', '13', '33', '40', 'ff'].map((kind) => v2(`21${kind}`, V6)), // families, protocols
  v2('2111', V4.slice(0, -2)), v2('2111'), v2('2121', V6.slice(0, -2)), // too short for its addresses
  v2('2111', V4, 4_097), v2('2000', '', 65_535),
];

test('a legal header names a client over TCP, whatever follows it, and each beginning of it is incomplete', () => {
  for (const [header, address, port] of LEGAL) {
    for (const next of ['', '\r\n', 'PROXY UNKNOWN\r\n']) {
      const { length, client } = Object(readProxyHeader(Buffer.concat([header, Buffer.from(next)])));
      assert.deepEqual([length, client?.address, client?.port], [header.length, address, port]);
    }
    for (let length = 0; length < header.length; length += 1) {
      assert.equal(readProxyHeader(header.subarray(0, length)), 'incomplete', `${length} of ${header}`);
    }
  }
});

test('an illegal header is refused, and a first byte that begins none', () => {
  for (const header of ILLEGAL) assert.equal(readProxyHeader(header), undefined, JSON.stringify(`${header}`));
  for (let byte = 0; byte < 256; byte += 1) {
    assert.equal(readProxyHeader(Buffer.of(byte)) === undefined, byte !== 0x50 && byte !== 0x0d, `${byte}`);
  }
});

const V1 = v1('PROXY TCP4 192.0.2.7 192.0.2.1 4242 80');
const V2 = v2('2111', 'c0000209 c0000201 1092 0050 04 0001 00'); // 192.0.2.9

const isBalancer = (address?: string) => address === '127.0.0.2';

testOver('the client is the one whom the header names, however it arrives', async (over, t) => {
  const { dial, reasons } = await start(t, ({ socket }, response) => {
    assert.ok(socket instanceof Valve);
    const { remoteAddress, remotePort, remoteFamily, bytesRead, connection } = socket;
    response.end(`${remoteAddress} ${remotePort} ${remoteFamily} ${bytesRead} ${connection.client.name}`);
  }, over, { isBalancer });
  for (const [header, expected] of [
    [V1, /\n192\.0\.2\.7 4242 IPv4 54 192\.0\.2\.7$/], [V2, /\n192\.0\.2\.9 4242 IPv4 54 192\.0\.2\.9$/],
    [v1('PROXY TCP6 2001:db8::1 192.0.2.1 7 80'), /\n2001:db8::1 7 IPv6 54 2001:db8:0::\/48$/],
    [v1('PROXY UNKNOWN'), /\n127\.0\.0\.2 \d+ IPv4 54 127\.0\.0\.2$/],
  ] as const) {
    const { below, raw } = await dial('127.0.0.2');
    for (let at = 0; at < header.length - 1; at += 1) {
      below.write(header.subarray(at, at + 1));
      await until(() => raw.bytesRead > at);
    }
    below.write(header.subarray(-1)); // so what follows comes in the same read
    const client = over === 'TLS' ? beginTls(below) : below;
    client.write(LAST);
    assert.match(await text(client), expected);
    below.end();
    await closed(raw);
  }
  assert.deepEqual(reasons, []);
});

test('without a legal header, a connection from a balancer is closed; a check by TCP is not told', async (t) => {
  const { dial, reasons } = await start(t, hello, 'TCP', { isBalancer });
  for (const [act, expected] of [
    [(below: Socket) => below.write('GET / HTTP/1.1\r\n'), 'proxyHeaderIllegal'],
    [(below: Socket) => below.end(V1.subarray(0, 20)), 'proxyHeaderIllegal'],
    [(below: Socket) => below.end(), undefined], [(below: Socket) => below.resetAndDestroy(), undefined],
  ] as const) {
    const { below, raw } = await dial('127.0.0.2');
    act(below);
    await closed(raw);
    assert.equal(reasons.pop(), expected);
  }
});

test('others have no header', async (t) => {
  const { dial } = await start(t, hello, 'TCP', { isBalancer });
  const { below } = await dial('127.0.0.3');
  below.write(V1);
  assert.match(await text(below), /^HTTP\/1\.1 400 /);
});
