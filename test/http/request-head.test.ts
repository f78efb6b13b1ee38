// The rules on their own: also those that the parser of some version of node checks before them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_CONTENT_BYTES, MAX_HEAD_BYTES, mustBeLastBecauseOf, parseHead, type Head } from '../../src/http/request-head.ts';

// Every byte, as the character of latin1 that node makes of it.
const characters = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));
const host = ['Host', 'a'];
const legal: Head = { refusalStatus: 0, host: 'a', traceparent: undefined, hasContent: false, mustBeLast: false };

test('a legal head without content leaves the connection open', () => {
  assert.deepEqual(parseHead('1.1', host), legal);
  assert.deepEqual(parseHead('1.1', ['hOST', '[::1]:80']), { ...legal, host: '[::1]:80' });
  assert.deepEqual(parseHead('1.1', [...host, 'content-length', '0']), legal);
});

test('HTTP/1.0 needs no Host, and its connection is closed unless it asks to be kept alive', () => {
  assert.deepEqual(parseHead('1.0', []), { ...legal, host: undefined, mustBeLast: true });
  assert.deepEqual(parseHead('1.0', host), { ...legal, mustBeLast: true });
  assert.deepEqual(parseHead('1.0', [...host, 'Connection', 'keep-alive']), legal);
  assert.deepEqual(parseHead('1.0', [...host, 'Connection', 'x,\tKeep-Alive ']), legal);
  assert.deepEqual(parseHead('1.0', [...host, 'Connection', 'keep-alive', 'Connection', 'x']), legal);
  assert.deepEqual(parseHead('1.0', [...host, 'Connection', 'keep-alive', 'Connection', 'close']), { ...legal, mustBeLast: true });
  for (const option of ['keep-alives', 'keepalive', 'keep_alive', 'not-keep-alive', 'keep-alive-not']) {
    assert.deepEqual(parseHead('1.0', [...host, 'Connection', option]), { ...legal, mustBeLast: true });
  }
  for (const options of ['keep-alive, x', 'x, keep-alive', 'x,keep-alive,y']) assert.deepEqual(parseHead('1.0', [...host, 'Connection', options]), legal);
  assert.deepEqual(parseHead('1.0', [...host, 'Proxy-Connection', 'keep-alive']), { ...legal, mustBeLast: true });
  assert.deepEqual(parseHead('1.0', [...host, 'Connection', 'keep-alive\t']), { ...legal, mustBeLast: true }, 'node 20 would close it');
});

for (const fields of [
  ['Connection', 'close'],
  ['connection', 'CLOSE'],
  ['CONNECTION', 'Close'],
  ['Connection', 'close\t'],
  ['Connection', ' \tclose \t'],
  ['Connection', 'close,x'],
  ['Connection', 'x , close'],
  ['Connection', 'x,\tclose\t,y'],
  ['Connection', ', close'],
  ['Connection', 'keep-alive, close'],
  ['Connection', 'keep-alive', 'Connection', 'close'],
  ['Connection', 'close', 'Connection', 'keep-alive'],
  ['Proxy-Connection', 'close'],
  ['proxy-CONNECTION', 'x, Close\t'],
  ['Connection', 'close', 'Proxy-Connection', 'keep-alive'],
  ['Proxy-Connection', 'keep-alive', 'Connection', 'close'],
  ['Proxy-Connection', 'close', 'Connection', 'keep-alive'],
  ['Proxy-Connection', 'close', 'Proxy-Connection', 'keep-alive'],
]) {
  test(`${JSON.stringify(fields)} makes a request the last one on its connection`, () => {
    assert.deepEqual(parseHead('1.1', [...host, ...fields]), { ...legal, mustBeLast: true });
  });
}

for (const fields of [
  ['Connection', ''],
  ['Connection', 'closed'],
  ['Connection', 'enclose'],
  ['Connection', 'not-close'],
  ['Connection', 'close-not'],
  ['Connection', 'close x'],
  ['Connection', 'x close'],
  ['Connection', 'close;x'],
  ['Connection', 'keep-alive'],
  ['Connection', 'upgrade'],
  ['Proxy-Connection', 'keep-alive'],
]) {
  test(`${JSON.stringify(fields)} leaves the connection open`, () => {
    assert.deepEqual(parseHead('1.1', [...host, ...fields]), legal);
  });
}

test('an option of Connection stands between commas, with any spaces and tabs around it', () => {
  for (const character of characters) {
    const [isSpace, isComma] = [[' ', '\t'].includes(character), character === ','];
    // Each value, and whether it has the option `close`. Of `keep-alive`, no tab is accepted behind the option: node 20 would close the connection.
    for (const [before, after, hasOption] of [
      [character, '', isSpace || isComma], [`${character} `, '', isSpace || isComma], [`,${character}`, '', isSpace || isComma], [`x${character}`, '', isComma],
      ['', character, isSpace || isComma], ['', ` ${character}`, isSpace || isComma], ['', `${character},`, isSpace || isComma], ['', `${character}x`, isComma],
    ] as const) {
      const close = `${before}close${after}`;
      for (const name of ['Connection', 'Proxy-Connection']) assert.equal(parseHead('1.1', [...host, name, close]).mustBeLast, hasOption, JSON.stringify(close));
      const keepAlive = `${before}keep-alive${after}`;
      assert.equal(parseHead('1.0', [...host, 'Connection', keepAlive]).mustBeLast, !hasOption || after.includes('\t'), JSON.stringify(keepAlive));
    }
  }
});

test('each character of a length is a digit, and the first one is not 0', () => {
  for (const character of characters) {
    const isDigit = '0123456789'.includes(character);
    const isLegal = (length: string) => parseHead('1.1', [...host, 'Content-Length', length]).refusalStatus === 0;
    assert.deepEqual([character, `1${character}`, `${character}1`, `10${character}0`].map(isLegal), [isDigit, isDigit, isDigit && character !== '0', isDigit], JSON.stringify(character));
  }
});

test('content follows when a length above 0 or chunks are announced', () => {
  assert.deepEqual(parseHead('1.1', [...host, 'Content-Length', '1']), { ...legal, hasContent: true });
  assert.deepEqual(parseHead('1.1', [...host, 'CONTENT-LENGTH', String(MAX_CONTENT_BYTES)]), { ...legal, hasContent: true });
  assert.deepEqual(parseHead('1.1', [...host, 'Transfer-Encoding', 'Chunked']), { ...legal, hasContent: true });
  assert.deepEqual(parseHead('1.0', [...host, 'Connection', 'keep-alive', 'Content-Length', '1']), { ...legal, hasContent: true });
});

test('a request to upgrade is the last one, and its content is not waited for', () => {
  for (const content of [[], ['Content-Length', '1'], ['Transfer-Encoding', 'chunked']]) {
    assert.deepEqual(parseHead('1.1', [...host, ...content, 'UPGRADE', 'h2c']), { ...legal, mustBeLast: true });
  }
});

test('a request that expects 100-continue is the last one, and its content is not waited for', () => {
  for (const content of [[], ['Content-Length', '1'], ['Transfer-Encoding', 'chunked']]) {
    assert.deepEqual(parseHead('1.1', [...host, ...content, 'Expect', '100-Continue']), { ...legal, mustBeLast: true });
  }
  assert.deepEqual(parseHead('1.0', ['Connection', 'keep-alive', 'Content-Length', '1', 'Expect', 'tea']), { ...legal, host: undefined, hasContent: true },
    'HTTP/1.0 has no expectations');
});

test('one traceparent is taken over, of two neither', () => {
  assert.deepEqual(parseHead('1.1', [...host, 'TraceParent', 'x']), { ...legal, traceparent: 'x' });
  assert.deepEqual(parseHead('1.1', [...host, 'traceparent', 'x', 'Traceparent', 'x']), legal);
});

test('a field with as many letters as one that matters is another field', () => {
  const names = ['From', 'Cookie', 'Referer', 'User-Agent', 'Retry-After', 'Accept-Charset', 'Content-Encoding', 'If-Modified-Since'];
  for (const value of ['close', '1', 'chunked', '100-continue', 'a']) {
    const fields = names.flatMap((name) => [name, value]);
    assert.deepEqual(parseHead('1.1', [...fields, ...host, 'traceparent', 'x', ...fields]), { ...legal, traceparent: 'x' });
  }
});

test('a value that is the name of a field is no field', () => {
  const names = ['host', 'expect', 'upgrade', 'connection', 'traceparent', 'content-length', 'proxy-connection', 'transfer-encoding'];
  assert.deepEqual(parseHead('1.1', [...host, 'X', 'host', 'Y', 'content-length']), legal);
  assert.deepEqual(parseHead('1.1', [...host, ...names.flatMap((name) => ['close', name])]), legal);
});

test('a Connection field among trailers, or too many of them, make a request the last one; a value does not', () => {
  for (const name of ['Connection', 'connection', 'Proxy-Connection']) assert.equal(mustBeLastBecauseOf(['X', 'y', name, 'close']), true);
  for (const trailers of [[], ['X', 'connection'], ['X', 'Proxy-Connection', 'Connections', 'close'], Array<string>(200).fill('X')]) assert.equal(mustBeLastBecauseOf(trailers), false);
  assert.equal(mustBeLastBecauseOf(Array<string>(202).fill('X')), true);
});

test('100 field lines are legal', () => {
  assert.deepEqual(parseHead('1.1', [...host, ...Array.from({ length: 198 }, () => 'x')]), legal);
});

const illegal: readonly (readonly [what: string, refusalStatus: number, version: string, ...fields: string[]])[] = [
  ['version 0.9', 505, '0.9'],
  ['version 1.2', 505, '1.2', ...host],
  ['version 2.0', 505, '2.0', ...host],
  ['no version', 505, '', ...host],
  ['101 field lines', 431, '1.1', ...host, ...Array.from({ length: 200 }, () => 'x')],
  ['no Host', 400, '1.1'],
  ['two Hosts', 400, '1.1', ...host, ...host],
  ['two Hosts in HTTP/1.0', 400, '1.0', ...host, 'hosT', 'b'],
  ['an empty Host', 400, '1.1', 'Host', ''],
  ['an illegal Host in HTTP/1.0', 400, '1.0', 'Host', 'a b'],
  ['a Host without its value', 400, '1.1', 'Host'],
  ['two lengths', 400, '1.1', ...host, 'Content-Length', '1', 'Content-Length', '1'],
  ['a length and chunks', 400, '1.1', ...host, 'Content-Length', '1', 'Transfer-Encoding', 'chunked'],
  ['chunks and a length', 400, '1.1', ...host, 'Transfer-Encoding', 'chunked', 'Content-Length', '0'],
  ['two transfer encodings', 400, '1.1', ...host, 'Transfer-Encoding', 'chunked', 'Transfer-Encoding', 'chunked'],
  ['a list of transfer encodings', 400, '1.1', ...host, 'Transfer-Encoding', 'gzip, chunked'],
  ['an empty transfer encoding', 400, '1.1', ...host, 'Transfer-Encoding', ''],
  ['a transfer encoding in HTTP/1.0', 400, '1.0', 'Transfer-Encoding', 'chunked'],
  ...['', '05', '00', '+5', '-5', '5x', 'x5', '0x5', '5.0', '1, 1', ' 5', '5 ', '1e1'].map((length) =>
    [`Content-Length ${JSON.stringify(length)}`, 400, '1.1', ...host, 'Content-Length', length] as const),
  ['a byte too much', 413, '1.1', ...host, 'Content-Length', String(MAX_CONTENT_BYTES + 1)],
  ['more bytes than a number can tell', 413, '1.1', ...host, 'Content-Length', '9'.repeat(400)],
  ['a byte too much that is expected', 413, '1.1', ...host, 'Content-Length', String(MAX_CONTENT_BYTES + 1), 'Expect', '100-continue'],
  ['another expectation', 417, '1.1', ...host, 'Expect', 'tea'],
  ['two expectations', 417, '1.1', ...host, 'Expect', '100-continue', 'Expect', '100-continue'],
  ['an empty expectation', 417, '1.1', ...host, 'Expect', ''],
];
for (const [what, refusalStatus, version, ...fields] of illegal) {
  test(`${what} is refused with ${refusalStatus}, as the last request`, () => {
    assert.deepEqual(parseHead(version, fields), { refusalStatus, host: undefined, traceparent: undefined, hasContent: false, mustBeLast: true });
  });
}

test('64 KiB of content are accepted, and less than 16 KiB of head', () => {
  assert.deepEqual([MAX_CONTENT_BYTES, MAX_HEAD_BYTES], [65_536, 16_384]);
});
