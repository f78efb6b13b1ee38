// Where the rules of request.abnf stand in a request, and how to see that a reader accepts what it finds there.
import { readFileSync } from 'node:fs';
import { compiler } from './automaton.ts';

export type Place = {
  /** The rule. */
  readonly name: string;
  readonly before: string;
  /** What follows the word, and makes it a whole request if the word is accepted. */
  readonly after: (word: string) => string;
  /**
   * What shows that the word is accepted: the request is complete with its last byte (`whole`: a client sees that it is not refused;
   * `end`: it may be complete before, and empty lines follow). Or it is also the last one on its connection, or not the last one, or it
   * continues the trace in the word.
   */
  readonly shows: 'whole' | 'end' | 'last' | 'not last' | 'trace';
  /** Whether the connection has TLS. */
  readonly isSecure?: boolean;
};

/** Compiles a rule. */
export const compile = compiler(readFileSync(new URL('test/http/grammar/request.abnf', import.meta.resolve('#package')), 'latin1'));

const END = '\r\n\r\n';
const put = (field: string, version = '1.1') => `PUT / HTTP/${version}\r\nHost: a\r\n${field}`;
const chunks = put(`Transfer-Encoding: chunked${END}`);
const data = (size: number) => 'x'.repeat(size > 0 && size < 70_000 ? size : 0); // more than is accepted
const targetEnd = () => ` HTTP/1.1\r\nHost: a${END}`;

export const PLACES: readonly Place[] = [
  { name: 'request-start', before: '', after: () => `\r\nHost: a${END}`, shows: 'whole' },
  { name: 'target', before: 'GET ', after: targetEnd, shows: 'whole' },
  { name: 'tls-options-target', before: 'OPTIONS ', after: targetEnd, shows: 'whole', isSecure: true },
  { name: 'host-value', before: 'GET / HTTP/1.1\r\nHost:', after: () => END, shows: 'whole' },
  { name: 'field-lines', before: 'GET / HTTP/1.1\r\n', after: () => `Host: a${END}`, shows: 'whole' },
  { name: 'chunk-line', before: chunks, after: (word) => `\r\n${chunk(Number.parseInt(word, 16))}\r\n`, shows: 'whole' },
  { name: 'chunk-data', before: `${chunks}2\r\n`, after: () => `00000000${END}`, shows: 'whole' }, // no ninth digit, whatever is before
  { name: 'trailer-section', before: `${chunks}0\r\n`, after: () => '\r\n', shows: 'end' },
  { name: 'content-length', before: put('Content-Length:'), after: (word) => END + data(Number(word)), shows: 'whole' },
  { name: 'transfer-encoding', before: put('Transfer-Encoding:'), after: () => `${END}0${END}`, shows: 'whole' },
  { name: 'expect', before: put('Expect:'), after: () => END, shows: 'whole' },
  { name: 'with-close', before: put('Connection:'), after: () => END, shows: 'last' },
  { name: 'kept-by-http10', before: put('Connection:', '1.0'), after: () => END, shows: 'not last' },
  { name: 'traceparent', before: 'GET / HTTP/1.0\r\ntraceparent:', after: () => END, shows: 'trace' },
];

// Of a chunk that is not the last one: its data, and the last one.
function chunk(size: number): string { return size > 0 ? `${data(size)}\r\n0\r\n` : ''; }
