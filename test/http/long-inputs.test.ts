// No rule takes time that grows with the square of what it is given (ReDoS). Each input is the worst one for a pattern: a long run that
// nearly matches, and then does not. It is more than ten times as long as a head may be. A rule that looks at each pair of its
// characters would take most of a minute for it, and one that looks at each character takes some milliseconds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addField, MEMBER_OF } from '../../src/http/fields.ts';
import { judgeHead } from '../../src/http/head.ts';
import { parseRequestLine } from '../../src/http/request-line.ts';
import { hostName, isHost, parseTarget, pathOfIllegalTarget, withoutPort } from '../../src/http/request-target.ts';
import { openContent } from '../support/content.ts';

const LENGTH = 200_000;
const MOST_MS = 5_000;

const long = (unit: string) => unit.repeat(LENGTH / unit.length);

function assertQuick(text: string, rule: (text: string) => unknown): void {
  const start = performance.now();
  rule(text);
  const ms = performance.now() - start;
  assert.ok(ms < MOST_MS, `${ms} ms for ${JSON.stringify(`${text.slice(0, 30)}…${text.slice(-30)}`)}`);
}

test('a long request line', () => {
  for (const line of [
    long('G'),
    long('G '),
    long(' '),
    `GET ${long('/')}`,
    `GET ${long('a')} HTTP/1.`,
    `GET ${long(' HTTP/1.1')}x`,
    `GET /${long('a')}? HTTP/9.9`,
    `GET /${long('a')}\\ HTTP/1.1`,
    `GET /${long('%41')}% HTTP/1.1`,
    `GET /?${long('a')}# HTTP/1.1`,
    `GET /${long('?')}# HTTP/1.1`,
    `GET http://${long('a')}/# HTTP/1.1`,
    `GET ${long('http://')}# HTTP/1.1`,
    `GET ${long('a+')}:/ HTTP/1.1`,
    `CONNECT ${long('a')}: HTTP/1.1`,
    `CONNECT ${long(':1')}x HTTP/1.1`,
    `OPTIONS ${long('*')} HTTP/1.1`,
  ]) assertQuick(line, parseRequestLine);
});

test('a long target', () => {
  const rule = (target: string) => [parseTarget('GET', target), parseTarget('CONNECT', target), pathOfIllegalTarget(target)];
  for (const unit of ['/', '?', '#', '%', '%41', 'a', 'a:', '://', 'a://', '\n', '?#', '\\'].map(long)) {
    for (const target of [unit, `/${unit}`, `http://${unit}`, `${unit}#`, `a${unit}://b`]) assertQuick(target, rule);
  }
});

test('a long host', () => {
  const rule = (host: string) => [isHost(host) && hostName(host), withoutPort(host)];
  for (const unit of ['a', '%', '%41', ':', ':1', '1', '[', ']', '::', '1:', 'a.', '.', '-', '6'].map(long)) {
    for (const host of [unit, `${unit}/`, `a:${unit}`, `a:${unit}x`, `[${unit}]`, `[${unit}]:`, `[::1]${unit}`]) assertQuick(host, rule);
  }
});

test('long values of fields', () => {
  const rule = (value: string) => Array.from(MEMBER_OF.values()).flatMap((name) => [true, false].map((isHttp11) => {
    const fields = { host: 'a', [name]: value };
    return judgeHead({ method: 'GET', target: { path: '/', query: '' }, isHttp11 }, fields, () => true);
  }));
  for (const unit of [
    ' ', '\t', ',', ', ', ' ,', 'x, ', 'close', 'close ', ',close ', 'close x,', 'keep-alive ', '1', '0', '00-', '-', 'chunked',
  ].map(long)) {
    for (const value of [unit, `${unit}x`, `close${unit}x`, `,${unit}close x`, `00-${unit}`]) assertQuick(value, rule);
  }
});

test('a long field line', () => {
  function rule(text: string): boolean {
    return addField({}, { bytes: Buffer.from(text), text, start: 0, end: text.length });
  }
  for (const unit of ['a', ' ', '\t', 'a ', ':', ' x'].map(long)) {
    for (const line of [unit, `Host: ${unit}`, `Host: x${unit}x`, `Host:${unit}x ${unit}`, `${long('a')}:${unit}`]) assertQuick(line, rule);
  }
});

// A chunk line has at most 1 KiB, so there are many of them.
test('long chunk lines', () => {
  function rule(text: string): void {
    const bytes = Buffer.from(text, 'latin1');
    for (let count = 0; count < 1_000; count += 1) {
      assert.equal(openContent(undefined)(bytes).outcome, 400);
    }
  }
  for (const [start, unit, end] of [
    ['1', '1', ''],
    ['1', ' ', 'x'],
    ['1', ';a', ';'],
    ['1', ';a=b', '='],
    ['1', ';a ', '@'],
    ['1', ';a="b"', 'c'],
    ['1', ' ; a = b', ' ='],
    ['1;', ' ', '='],
    ['1;', 'a', '\xe9'],
    ['1;a', ' ', 'x'],
    ['1;a', '=', ''],
    ['1;a=', ' ', ';'],
    ['1;a=', 'b', '"'],
    ['1;a="', 'b', ''],
    ['1;a="', '\\a', '\\'],
    ['1;a="', '\\"', ''],
    ['1;a="', '""', 'b"'],
  ] as const) assertQuick(`${start}${unit.repeat(1_000 / unit.length)}${end}\r\n`, rule);
});
