// The rules on their own: also those that the parser of some version of node checks before them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_CONTENT_BYTES, MAX_HEAD_BYTES, endConnection, parseHead, type Head } from '../../src/http/request-head.ts';

// Every byte, as the character of latin1 that node makes of it.
const characters = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));
const host = ['Host', 'a'];
const legal: Head = { refusalStatus: 0, host: 'a', traceparent: undefined, contentLength: 0, mustBeLast: false };

test('a legal head without content leaves the connection open', () => {
  assert.deepEqual(parseHead('1.1', host), legal);
  assert.deepEqual(parseHead('1.1', ['hOST', '[::1]:80']), { ...legal, host: '[::1]:80' });
  assert.deepEqual(parseHead('1.1', [...host, 'content-length', '0']), legal);
});

test('HTTP/1.0 needs no Host', () => {
  assert.deepEqual(parseHead('1.0', []), { ...legal, host: undefined });
  assert.deepEqual(parseHead('1.0', host), legal);
});

for (const fields of [
  ['Connection', 'close'],
  ['connection', 'CLOSE'],
  ['CONNECTION', 'Close'],
  ['Connection', 'close,x'],
  ['Connection', 'x , close'],
  ['Connection', ', close'],
  ['Connection', 'keep-alive, close'],
  ['Connection', 'keep-alive', 'Connection', 'close'],
  ['Connection', 'close', 'Connection', 'keep-alive'],
  ['Connection', 'close', 'Proxy-Connection', 'keep-alive'],
]) {
  test(`${JSON.stringify(fields)} makes a request the last one on its connection`, () => {
    assert.deepEqual(parseHead('1.1', [...host, ...fields]), { ...legal, mustBeLast: true });
  });
}

for (const value of ['', 'closed', 'enclose', 'not-close', 'close-not', 'close x', 'x close', 'close;x', 'keep-alive', 'upgrade']) {
  test(`Connection: ${value} leaves the connection open`, () => {
    assert.deepEqual(parseHead('1.1', [...host, 'Connection', value]), legal);
  });
}

test('what Proxy-Connection says is left to the parser', () => {
  assert.deepEqual(parseHead('1.1', [...host, 'Proxy-Connection', 'close']), legal);
});

test('an option of Connection stands between commas, with any spaces and tabs around it', () => {
  for (const character of characters) {
    const [isSpace, isComma] = [[' ', '\t'].includes(character), character === ','];
    // Each value, and whether it has the option `close`.
    for (const [value, hasClose] of [
      [`${character}close`, isSpace || isComma], [`${character} close`, isSpace || isComma], [`,${character}close`, isSpace || isComma], [`x${character}close`, isComma],
      [`close${character}`, isSpace || isComma], [`close ${character}`, isSpace || isComma], [`close${character},`, isSpace || isComma], [`close${character}x`, isComma],
    ] as const) {
      assert.equal(parseHead('1.1', [...host, 'Connection', value]).mustBeLast, hasClose, JSON.stringify(value));
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

test('the length of content is told, and undefined when it comes in chunks', () => {
  assert.deepEqual(parseHead('1.1', [...host, 'Content-Length', '1']), { ...legal, contentLength: 1 });
  assert.deepEqual(parseHead('1.1', [...host, 'CONTENT-LENGTH', String(MAX_CONTENT_BYTES)]), { ...legal, contentLength: 65_536 });
  assert.deepEqual(parseHead('1.1', [...host, 'Transfer-Encoding', 'Chunked']), { ...legal, contentLength: undefined });
  assert.deepEqual(parseHead('1.0', [...host, 'Content-Length', '1']), { ...legal, contentLength: 1 });
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
  assert.deepEqual(parseHead('1.0', ['Content-Length', '1', 'Expect', 'tea']), { ...legal, host: undefined, contentLength: 1 },
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
    assert.deepEqual(parseHead(version, fields), { refusalStatus, host: undefined, traceparent: undefined, contentLength: 0, mustBeLast: true });
  });
}

test('64 KiB of content are accepted, and less than 16 KiB of head', () => {
  assert.deepEqual([MAX_CONTENT_BYTES, MAX_HEAD_BYTES], [65_536, 16_384]);
});

test('trailers that name Connection, or so many that node may have dropped one, make a request the last one', () => {
  for (const name of ['Connection', 'connection', 'Proxy-Connection']) assert.equal(endConnection(['X', 'y', name, 'close']), true);
  for (const trailers of [[], ['X', 'connection'], ['X', 'Proxy-Connection', 'Connections', 'close'], ['A-Connection', 'x'], Array<string>(200).fill('X')]) assert.equal(endConnection(trailers), false);
  assert.equal(endConnection(Array<string>(202).fill('X')), true);
});
