// No request makes more work than its bytes are worth: no rule takes time that grows with the square of what it is given (ReDoS), and
// nothing is copied again for each byte that arrives.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stopCoverage } from 'node:v8';
import { traceparentOf } from '../../src/http/messages.ts';
import { hostCheck } from '../../src/http/request-target.ts';
import { LineReader } from '../../src/http/lines.ts';
import { RequestReader } from '../../src/http/request-reader.ts';
import { head } from '../support/corpus/entry.ts';
import { last } from '../support/corpus/last.ts';
import { served } from '../support/corpus/served.ts';
import { leastCpuTime } from '../support/usage.ts';

stopCoverage(); // it takes time, and the other tests cover the reader

const bytesOf = (text: string) => Buffer.from(text, 'latin1');
const refuseHost = hostCheck(['a']);
const LETTER = bytesOf('a');

/** Reads these bytes at once, and all that may be said of them. */
function read(bytes: Buffer): void {
  const reader = new RequestReader(refuseHost);
  const result = reader.read(bytes) ?? reader.refusal('headTooSlow');
  assert.notEqual(traceparentOf('reason' in result ? result.request : result), '');
}

/** Each of `lines` with each of its characters, and each pair of them, repeated to this length. */
function* stretched(lines: readonly string[], length: number): Generator<string> {
  for (const line of new Set(lines.filter((each) => each.length < 200 && !/^X-\d/.test(each)))) {
    for (let at = 0; at < line.length; at += 1) {
      for (const unit of new Set([line.slice(at, at + 1), line.slice(at, at + 2)])) {
        yield line.slice(0, at) + unit.repeat(length / unit.length) + line.slice(at + unit.length);
      }
    }
  }
}

const lines = [...served('a'), ...last('a')].flatMap(({ entries }) => entries.map(({ bytes }) => bytes.split('\r\n')));
const requestLines = lines.map(([line = '']) => line);
const otherLines = lines.flatMap((each) => each.slice(1));

const BATCH = 20; // to measure takes longer than to read

/** None of `texts` takes more than `times` the CPU time of an ordinary one. With the square of its length it would be hundreds of times. */
function assertOrdinary(ordinary: string, texts: readonly string[], times: number): void {
  const bound = times * leastCpuTime(() => read(bytesOf(ordinary)), 200);
  for (let at = 0; at < texts.length; at += BATCH) {
    const batch = texts.slice(at, at + BATCH);
    if (leastCpuTime(() => batch.forEach((text) => read(bytesOf(text))), 1) <= bound) continue;
    for (const text of batch) {
      const us = leastCpuTime(() => read(bytesOf(text)), 10);
      const shown = JSON.stringify(`${text.slice(0, 60)}…${text.slice(-60)}`);
      assert.ok(us <= bound, `${us} µs, which is more than ${bound} µs, for ${shown}`);
    }
  }
}

const stretchedHeads = [
  ...Array.from(stretched(requestLines, 1_000), (line) => `${line}\r\nHost: a\r\n\r\n`),
  ...Array.from(stretched(otherLines, 1_000), (line) => `GET / HTTP/1.1\r\n${/^Host:/i.test(line) ? '' : 'Host: a\r\n'}${line}\r\n\r\n`),
];
test('no line of a head takes much longer than others of its length', () => {
  assertOrdinary(`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(1_000)}\r\n\r\n`, stretchedHeads, 50);
});

// A chunk line has at most 1 KiB, so even the square of its length would be little.
test('no chunk line takes much longer than others of its length', () => {
  const start = head('GET / HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked');
  const chunkLines = Array.from(stretched(otherLines.filter((line) => /^[\dA-F]*[\t ]*[;=]/i.test(line)), 1_000));
  assertOrdinary(`${start}1;${'a'.repeat(1_000)}\r\n`, chunkLines.map((line) => `${start}${line}\r\n`), 20);
});

// Eight times as many bytes, each in a piece of its own, take eight times as long, and not the square of it.
for (const [what, length, readBytewise] of [
  ['a line', 16_000, (count: number) => {
    const reader = new LineReader();
    for (let i = 0; i < count; i += 1) {
      reader.give(LETTER);
      assert.equal(reader.read(2 * count, 'headTooLong'), false);
    }
  }],
  ['content', 8_000, (count: number) => {
    const reader = new RequestReader(refuseHost);
    reader.read(bytesOf(`PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: ${count + 1}\r\n\r\n`));
    for (let i = 0; i < count; i += 1) assert.equal(reader.read(LETTER), undefined);
  }],
] as const) {
  test(`the work for ${what} that arrives byte by byte grows with its length`, () => {
    const [some, many] = [length, 8 * length].map((count) => leastCpuTime(() => readBytewise(count), 3));
    assert.ok((many ?? 0) < 24 * (some ?? 0), `${some} µs and ${many} µs`);
  });
}
