// Which headers are legal, and whom they name: sections 2.1 and 2.2 of the specification.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readProxyHeader } from '../../src/turns/proxy-header.ts';

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
  ...['01', '65536', '100000', '', '-1', '+1', '1e3', '0x1', '1.0', '1,', '\xb2'].flatMap((port) =>
    [v1(TCP4.replace('56789', port)), v1(TCP4.replace('443', port))]),
  ...['192.0.2', '192.0.2.256', '192.0.2.01', '192.0.2.1.1', '192.0.2.1/32', '::1%1', ''].flatMap(
    (address) => [v1(TCP4.replace('192.0.2.1', address)), v1(TCP4.replace('192.0.2.2', address))]),
  ...['1::2::3', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', '12345::', '[::1]', '::1%1', '::g', ''].flatMap(
    (address) => [v1(TCP6.replace('2001:db8::', address)), v1(TCP6.replace('2001:db8::1', address))]),
  ...['::1', '::ffff:192.0.2.1'].map((address) => v1(TCP4.replace('192.0.2.1', address))), // the source is another's
  v1(TCP6.replace('2001:db8::', '192.0.2.1')),
  ...['', 'TCP', 'TCP0', 'TCP6', 'tcp4', 'UDP4', 'TCP44', 'unknown', 'UNKNOWNX'].map((protocol) =>
    v1(TCP4.replace('TCP4', protocol))),
  ...Array.from(TCP4.matchAll(/ |$/g), ({ index }) => v1(`${TCP4.slice(0, index)} ${TCP4.slice(index)}`)), // spaces
  ...Array.from(TCP4.matchAll(/ /g), ({ index }) => v1(`${TCP4.slice(0, index)}\t${TCP4.slice(index + 1)}`)),
  ...Array.from(TCP4.matchAll(/ /g), ({ index }) => v1(TCP4.slice(0, index))),
  v1('PROXY TCP0 a b 1 2'), // what `isIP` says of both is 0
  ...[`${TCP4} 1`, ` ${TCP4}`, `${TCP4}\r`, 'proxy UNKNOWN', 'PROXYUNKNOWN', 'GET / HTTP/1.1'].map(v1),
  v1(`PROXY UNKNOWN ${'f'.repeat(92)}`), Buffer.from(`${TCP4}\n`.padEnd(107)), // 107 bytes without an end
  ...['01', '11', '22', '2f', '31'].map((command) => v2(`${command}11`, V4)), // other versions and commands
  ...['03', '13', '1f', '33', '40', '41', 'ff'].map((kind) => v2(`21${kind}`, V6)), // families, protocols
  v2('2111', V4.slice(0, -2)), v2('2111'), v2('2121', V6.slice(0, -2)), v2('2121', V4), // too short for its addresses
  v2('2111', V4, 4_097), v2('2000', '', 65_535),
];

type Read = readonly [length?: number, address?: string | undefined, port?: number | undefined];

// What is read if the header is complete and legal.
function readHeader(bytes: Buffer): Read {
  const header = readProxyHeader(bytes);
  return typeof header === 'object' ? [header.length, header.client?.address, header.client?.port] : [];
}

test('a legal header names a client over TCP, whatever follows it, and each beginning of it is incomplete', () => {
  for (const [header, address, port] of LEGAL) {
    for (const next of ['', '\r\n', 'PROXY UNKNOWN\r\n']) {
      assert.deepEqual(readHeader(Buffer.concat([header, Buffer.from(next)])), [header.length, address, port]);
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
