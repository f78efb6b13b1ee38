// Whose request it is, by X-Forwarded-For and X-Forwarded-Proto.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { originOf } from '../../src/http/forwarded.ts';

const isTrusted = (address = 'unix') => address.startsWith('10.') || ['2001:db8::1', 'unix'].includes(address);
const PROXY = '10.0.0.1';
const clientIn = (list?: string) => originOf(PROXY, { 'x-forwarded-for': list }, isTrusted).address;

test('the client is the last address that is not trusted, or the first one', () => {
  for (const [says, list, client] of [
    ['one alone', '203.0.113.9', '203.0.113.9'],
    ['the last untrusted one', '198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['trusted ones are skipped', '198.51.100.1,203.0.113.9, 10.0.0.2,\t2001:DB8:0::1 ', '203.0.113.9'],
    ['all are trusted', '10.0.0.3, 2001:db8::1, 10.0.0.2', '10.0.0.3'],
    ['a port', '198.51.100.1, 203.0.113.9:4711', '203.0.113.9'],
    ['brackets', '[2001:DB8::9]', '2001:db8::9'], ['and a port', '[2001:db8::9]:4711, 10.0.0.2:1', '2001:db8::9'],
    ['IPv6 is written in one way', '2001:DB8:0:0::09', '2001:db8::9'],
    ['mapped', '::ffff:203.0.113.9, ::FFFF:10.0.0.2', '203.0.113.9'], ['in digits', '::ffff:cb00:7109', '203.0.113.9'],
    ['no field', undefined, PROXY], ['empty', '', PROXY], ['white space', ' ', PROXY], ['commas', ',,', PROXY],
    ['garbage ends the search', '203.0.113.9, unknown', PROXY], ['later, too', '203.0.113.9, _a, 10.0.0.2', '10.0.0.2'],
    ['an empty element', '203.0.113.9,, 10.0.0.2', '10.0.0.2'], ['at the end', '203.0.113.9,', PROXY],
    ['16 proxies are believed', `203.0.113.9${', 10.0.0.2'.repeat(15)}`, '203.0.113.9'],
    ['no more', `203.0.113.9, 10.0.0.3${', 10.0.0.2'.repeat(15)}`, '10.0.0.3'],
    ...[
      'a.example', '203.0.113.256', '203.0.113.9:', '203.0.113.9:123456', '203.0.113.9:x', '203.0.113.9/32', '"::1"',
      '[203.0.113.9]', '[2001:db8::9', '2001:db8::9]', '[2001:db8::9]4711', ':1', 'fe80::1%eth0', '[fe80::1%eth0]',
    ].map((text) => ['no address', `203.0.113.9, ${text}`, PROXY] as const),
  ] as const) assert.equal(clientIn(list), client, `${says}: ${list}`);
});

test('only a trusted proxy is believed, which may be on a Unix socket; a mapped address of IPv4 is plain', () => {
  for (const peer of ['::ffff:10.0.0.1', '2001:db8::1', undefined]) {
    const forwarded = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' };
    assert.deepEqual(originOf(peer, forwarded, isTrusted), { address: '203.0.113.9', isHttps: true });
  }
  assert.equal(originOf(undefined, { 'x-forwarded-for': 'x' }, isTrusted).address, undefined);
  const headers = new Proxy({}, { get: () => assert.fail('It is read.') });
  for (const [peer, address = peer] of [
    ['11.0.0.1'], ['2001:db8::2'], ['::ffff:11.0.0.1', '11.0.0.1'], ['::FFFF:11.0.0.1', '11.0.0.1'],
    ['::ffff:1:2'], ['2001:db8::ffff:11.0.0.1'],
  ] as const) assert.deepEqual(originOf(peer, headers, isTrusted), { address, isHttps: false });
  for (const peer of [PROXY, undefined]) assert.deepEqual(originOf(peer, headers), { address: peer, isHttps: false });
});

test('protocols are counted from the end, as addresses are; the first one also counts for those before it', () => {
  for (const [addresses, protocols, isHttps] of [
    ['203.0.113.9', 'https', true], ['203.0.113.9', ' HTTPS ', true], ['203.0.113.9', 'httpsx', false],
    ['203.0.113.9', undefined, false], [undefined, 'https', true], [undefined, 'https, http', false],
    ['203.0.113.9, 10.0.0.2', 'https, http', true], ['203.0.113.9, 10.0.0.2', 'http, https', false],
    ['198.51.100.1, 203.0.113.9', 'https, http', false], ['198.51.100.1, 203.0.113.9', 'http, https', true],
    ['203.0.113.9, 10.0.0.3, 10.0.0.2', 'https, http', true], ['203.0.113.9, 10.0.0.3, 10.0.0.2', 'http, https', false],
    ['203.0.113.9, x', 'https, http', false],
  ] as const) {
    const headers = { 'x-forwarded-for': addresses, 'x-forwarded-proto': protocols };
    assert.equal(originOf(PROXY, headers, isTrusted).isHttps, isHttps, `${addresses}: ${protocols}`);
    assert.equal(originOf('11.0.0.1', headers, isTrusted).isHttps, false);
  }
});
