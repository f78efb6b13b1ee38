// The rules for the fields of a head, and for its target beside them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fields } from '../../src/http/fields.ts';
import type { IsAllowed } from '../../src/http/allowed-hosts.ts';
import { judgeHead } from '../../src/http/head.ts';
import { SIZE_LIMITS } from '../../src/http/limits.ts';
import { PARENT, said, type Said } from '../support/said.ts';

// Every byte, as the character that a value has for it.
const characters = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));

type Others = { readonly method?: string; readonly authority?: string; readonly isHttps?: boolean; readonly isAllowed?: IsAllowed };

/** What is said of a request with these fields, or the status that refuses it. */
function judged(version: '1.0' | '1.1', values: Fields, { method = 'PUT', isAllowed = () => true, ...absolute }: Others = {}): Said | number {
  const target = { path: '/a', query: 'b', ...absolute };
  const result = judgeHead({ method, target, isHttp11: version === '1.1' }, values, isAllowed);
  return typeof result === 'number' ? result : said(result);
}

const host = 'a';
const legal: Said = { method: 'PUT', path: '/a', query: 'b', host, contentLength: 0, isLast: false, trace: 'new' };

test('a legal head without content leaves the connection open', () => {
  assert.deepEqual(judged('1.1', { host }), legal);
  assert.deepEqual(judged('1.1', { host: '[::1]:80' }), { ...legal, host: '[::1]:80' });
  assert.deepEqual(judged('1.1', { host, contentLength: '0' }), legal);
});

test('HTTP/1.0 needs no Host, and its request is the last one', () => {
  assert.deepEqual(judged('1.0', {}), { ...legal, host: undefined, isLast: true });
  assert.deepEqual(judged('1.0', { host }), { ...legal, isLast: true });
});

for (const connection of [
  'close', 'CLOSE', 'Close', 'close,x', 'x,close', 'x , close', ', close', 'close ,', ',,close,,', 'x,\tclose\t ,y', 'keep-alive, close',
  'close, keep-alive', 'close, upgrade',
]) {
  test(`Connection: ${JSON.stringify(connection)} makes a request the last one on its connection`, () => {
    for (const version of ['1.0', '1.1'] as const) assert.deepEqual(judged(version, { host, connection }), { ...legal, isLast: true });
  });
}

for (const connection of [
  '', ',', 'closed', 'enclose', 'not-close', 'close-not', 'close x', 'x close', 'close;x', 'x=close', 'keep-alive', 'upgrade',
]) {
  test(`Connection: ${JSON.stringify(connection)} leaves the connection open`, () => {
    assert.deepEqual(judged('1.1', { host, connection }), legal);
  });
}

test('with keep-alive, and without close, HTTP/1.0 leaves the connection open', () => {
  for (const connection of ['keep-alive', 'Keep-Alive', 'x, keep-alive', 'keep-alive\t,x', ', keep-alive ,']) {
    assert.deepEqual(judged('1.0', { host, connection }), legal, connection);
  }
  for (const connection of ['', 'x', 'keepalive', 'keep-alive x', 'x keep-alive', 'keep-alives', 'no-keep-alive', 'keep-alive;x']) {
    assert.deepEqual(judged('1.0', { host, connection }), { ...legal, isLast: true }, connection);
  }
});

test('an option of Connection stands between commas, with any spaces and tabs around it', () => {
  for (const character of characters) {
    const [isSpace, isComma] = [[' ', '\t'].includes(character), character === ','];
    for (const option of ['close', 'keep-alive']) {
      // Each value, and whether it has the option.
      for (const [connection, hasOption] of [
        [`${character}${option}`, isSpace || isComma],
        [`${character} ${option}`, isSpace || isComma],
        [`,${character}${option}`, isSpace || isComma],
        [`x${character}${option}`, isComma],
        [`${option}${character}`, isSpace || isComma],
        [`${option} ${character}`, isSpace || isComma],
        [`${option}${character},`, isSpace || isComma],
        [`${option}${character}x`, isComma],
      ] as const) {
        const version = option === 'keep-alive' ? '1.0' : '1.1';
        const isLast = hasOption === (option === 'close');
        assert.deepEqual(judged(version, { host, connection }), { ...legal, isLast }, JSON.stringify(connection));
      }
    }
  }
});

test('the length of content is told, and undefined when it comes in chunks', () => {
  assert.deepEqual(judged('1.1', { host, contentLength: '1' }), { ...legal, contentLength: 1 });
  assert.deepEqual(judged('1.1', { host, contentLength: String(SIZE_LIMITS.contentBytes) }), { ...legal, contentLength: 65_536 });
  assert.deepEqual(judged('1.0', { host, contentLength: '20' }), { ...legal, contentLength: 20, isLast: true });
  for (const transferEncoding of ['chunked', 'Chunked', 'CHUNKED']) {
    assert.deepEqual(judged('1.1', { host, transferEncoding }), { ...legal, contentLength: undefined });
  }
  const last = judged('1.1', { host, transferEncoding: 'chunked', connection: 'close' });
  assert.deepEqual(last, { ...legal, contentLength: undefined, isLast: true });
});

test('each character of a length is a digit, and the first one is not 0', () => {
  for (const character of characters) {
    const isDigit = '0123456789'.includes(character);
    for (const [contentLength, isLegal] of [
      [character, isDigit], [`1${character}`, isDigit], [`${character}1`, isDigit && character !== '0'], [`10${character}0`, isDigit],
    ] as const) {
      const expected = isLegal ? { ...legal, contentLength: Number(contentLength) } : 400;
      assert.deepEqual(judged('1.1', { host, contentLength }), expected, JSON.stringify(contentLength));
    }
  }
});

test('a request with content that expects 100-continue is the last one, and its content is not waited for', () => {
  for (const expect of ['100-continue', '100-Continue', '100-CONTINUE']) {
    for (const content of [{ contentLength: '1' }, { transferEncoding: 'chunked' }]) {
      assert.deepEqual(judged('1.1', { host, ...content, expect }), { ...legal, isLast: true });
    }
    for (const none of [{}, { contentLength: '0' }]) assert.deepEqual(judged('1.1', { host, ...none, expect }), legal);
  }
});

test('HTTP/1.0 has no expectations', () => {
  for (const expect of ['', '100-continue', 'tea']) {
    assert.deepEqual(judged('1.0', { contentLength: '1', expect }), { ...legal, host: undefined, contentLength: 1, isLast: true });
  }
});

test('one traceparent is taken over, of two neither', () => {
  for (const [traceparent, trace] of [[PARENT, 'child'], ['x', 'new'], [`${PARENT}, ${PARENT}`, 'new']] as const) {
    assert.deepEqual(judged('1.1', { host, traceparent }), { ...legal, trace });
  }
  const later = PARENT.replace('00-', '01-'); // another version may have more, but not a comma, which may come from a second line
  assert.deepEqual(judged('1.1', { host, traceparent: `${later}-x` }), { ...legal, trace: 'child' });
  assert.deepEqual(judged('1.1', { host, traceparent: `${later}-x, ${later}` }), legal);
});

const ILLEGAL_CODINGS = [
  '', 'identity', 'gzip', 'chunked, gzip', 'chunked,', ',chunked', ', \t,chunked', 'chunked;a=b', 'xchunked', 'chunkedx', '"chunked"',
  'chunked x', '\xa0chunked', 'gzip chunked', 'gzip, xchunked', 'gzip, chunked,', 'gzip, \xa0chunked', 'gzip, chunked;a=b', 'gzip, chunked, gzip',
] as const;
const UNKNOWN_CODINGS = ['gzip, chunked', 'gzip,chunked', 'gzip;a=b\t, \tChunked', 'x, y, chunked', 'chunked, chunked', '\xe9,chunked'] as const;
const ILLEGAL_LENGTHS = [
  '', '05', '00', '+5', '-5', '5x', 'x5', '0x5', '5.0', '1, 1', '1, 2', ' 5', '5 ', '1e1', '\xb2', '5\n', '\n5',
] as const;
const OTHER_EXPECTATIONS = [
  '', 'tea', '100-continue, 100-continue', '100-continue, tea', '100-continue,', '100-continue;a', '100', 'x100-continue',
] as const;

const illegal: readonly (readonly [what: string, status: number, version: '1.0' | '1.1', values: Fields])[] = [
  ['no Host', 400, '1.1', {}],
  ['two Hosts', 400, '1.1', { host: 'a, a' }],
  ['two Hosts in HTTP/1.0', 400, '1.0', { host: 'a, b' }],
  ['an empty Host', 400, '1.1', { host: '' }],
  ['an empty Host in HTTP/1.0', 400, '1.0', { host: '' }],
  ['an illegal Host', 400, '1.1', { host: 'a b' }],
  ['an illegal Host in HTTP/1.0', 400, '1.0', { host: 'a b' }],
  ['a length and chunks', 400, '1.1', { host, contentLength: '1', transferEncoding: 'chunked' }],
  ['no length and chunks', 400, '1.1', { host, contentLength: '0', transferEncoding: 'chunked' }],
  ...ILLEGAL_CODINGS.map((transferEncoding) => {
    return [`Transfer-Encoding ${JSON.stringify(transferEncoding)}`, 400, '1.1', { host, transferEncoding }] as const;
  }),
  ...UNKNOWN_CODINGS.map((transferEncoding) => {
    return [`Transfer-Encoding ${JSON.stringify(transferEncoding)}`, 501, '1.1', { host, transferEncoding }] as const;
  }),
  ['a length and two codings', 400, '1.1', { host, contentLength: '1', transferEncoding: 'gzip, chunked' }],
  ['a transfer encoding in HTTP/1.0', 400, '1.0', { transferEncoding: 'chunked' }],
  ['two codings in HTTP/1.0', 400, '1.0', { transferEncoding: 'gzip, chunked' }],
  ...ILLEGAL_LENGTHS.map((contentLength) => {
    return [`Content-Length ${JSON.stringify(contentLength)}`, 400, '1.1', { host, contentLength }] as const;
  }),
  ['a byte too much', 413, '1.1', { host, contentLength: String(SIZE_LIMITS.contentBytes + 1) }],
  ['a byte too much in HTTP/1.0', 413, '1.0', { contentLength: String(SIZE_LIMITS.contentBytes + 1) }],
  ['more bytes than a number can tell', 413, '1.1', { host, contentLength: '9'.repeat(400) }],
  ['a byte too much that is expected', 413, '1.1', { host, contentLength: String(SIZE_LIMITS.contentBytes + 1), expect: '100-continue' }],
  ...OTHER_EXPECTATIONS.map((expect) => {
    return [`Expect ${JSON.stringify(expect)}`, 417, '1.1', { host, expect }] as const;
  }),
];
for (const [what, status, version, values] of illegal) {
  test(`${what} is refused with ${status}`, () => {
    assert.deepEqual(judged(version, values), status);
  });
}

test('an allowed host is answered, and another one is refused with 421', () => {
  const asked: [string | undefined, boolean][] = [];
  const isAllowed: IsAllowed = (name, isHttps) => asked.push([name, isHttps]) > 0 && name === 'a';
  assert.deepEqual(judged('1.1', { host }, { isAllowed }), legal);
  assert.deepEqual(judged('1.1', { host: 'b:80' }, { isAllowed }), 421);
  assert.deepEqual(judged('1.0', {}, { isAllowed }), 421);
  assert.deepEqual(judged('1.1', { host }, { isAllowed, authority: 'A', isHttps: true }), legal);
  assert.deepEqual(judged('1.0', {}, { isAllowed, authority: 'b', isHttps: false }), 421);
  assert.deepEqual(asked, [['a', false], ['b:80', false], [undefined, false], ['a', true], ['b', false]]);
});

test('CONNECT is refused with 501', () => {
  for (const version of ['1.0', '1.1'] as const) {
    assert.deepEqual(judged(version, { host }, { method: 'CONNECT' }), 501);
  }
  for (const method of ['connect', 'CONNECTS']) assert.deepEqual(judged('1.1', { host }, { method }), { ...legal, method });
});

for (const [authority, name] of [['a', 'a'], ['A.Example:80', 'a.eXAMPLE'], ['[::1]', '[::1]:80']] as const) {
  test(`a target of ${authority} is legal with the Host ${name}`, () => {
    assert.deepEqual(judged('1.0', { host: name }, { authority }), { ...legal, host: name, isLast: true });
    assert.deepEqual(judged('1.1', { host: name }, { authority }), { ...legal, host: name });
  });
}

test('in HTTP/1.0 without a Host it is that of the target, and must be legal, too', () => {
  for (const authority of ['a', 'A:80', '[::1]', 'a%20b']) {
    assert.deepEqual(judged('1.0', {}, { authority }), { ...legal, host: authority, isLast: true });
    assert.deepEqual(judged('1.1', {}, { authority }), 400);
  }
  for (const authority of ['user@a', 'a@b', '', 'a#', 'a:', 'a,b', 'a:65536']) assert.deepEqual(judged('1.0', {}, { authority }), 400);
});

for (const [authority, name] of [['b', 'a'], ['a:443', 'a'], ['user@a', 'a'], ['', 'a']] as const) {
  test(`a target of ${JSON.stringify(authority)} is refused with the Host ${name}`, () => {
    for (const version of ['1.0', '1.1'] as const) assert.deepEqual(judged(version, { host: name }, { authority }), 400);
  });
}

test('of two faults the first in this order decides', () => {
  const faults: readonly (readonly [status: number, values: Fields, others: Others])[] = [
    [400, { host: 'a b' }, {}],
    [400, {}, { authority: 'b' }],
    [400, { contentLength: 'x' }, {}],
    [413, { contentLength: '65537' }, {}],
    [417, { expect: 'tea' }, {}],
    [421, {}, { isAllowed: () => false }],
    [501, {}, { method: 'CONNECT' }],
  ];
  faults.forEach(([status, values, others], i) => {
    for (const [, laterFields, laterOthers] of faults.slice(i)) {
      assert.equal(judged('1.1', { host, ...laterFields, ...values }, { ...laterOthers, ...others }), status);
    }
  });
});

test('64 KiB of content are accepted', () => {
  assert.equal(SIZE_LIMITS.contentBytes, 65_536);
});
