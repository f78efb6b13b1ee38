// What node's parser accepts and the reader refuses: each kind with the status, the reason, and an example.
import { authorityIn, isHost, isHostIn, isOddHost, isTarget, SIZE_LINE } from './grammar.ts';
import { chunksOf, listOf, type Parts } from './parts.ts';

type RefusedByReader = {
  readonly status: number;
  readonly reason: string;
  readonly is: (parts: Parts) => boolean;
  readonly example: string;
};

const KIB = 1024;

const head = (...lines: readonly string[]) => [...lines, '', ''].join('\r\n');
const get = (...fields: readonly string[]) => head('GET / HTTP/1.1', 'Host: a', ...fields);
const chunked = (content: string) => get('Transfer-Encoding: chunked') + content;

const isHttp11 = ({ protocol }: Parts) => /^HTTP\/1\.[1-9]$/.test(protocol);
const isGiven = ({ values }: Parts, name: string) => values(name).length > 0;
const isOnly = ({ values }: Parts, name: string, value: string) => values(name).join().toLowerCase() === value;
const codingsIn = ({ values }: Parts) => listOf(values('transfer-encoding').join());
const chunksIn = (parts: Parts) => chunksOf(isGiven(parts, 'transfer-encoding') ? parts.content : '');
const lengthOf = (lines: readonly string[]) => lines.reduce((length, line) => length + line.length + 2, 0);

export const REFUSED_BY_READER: readonly RefusedByReader[] = [
  {
    status: 400,
    reason: 'RFC 9112 3: one space stands between the parts of a request line',
    is: ({ line }) => line.includes('  '),
    example: head('GET  / HTTP/1.1', 'Host: a'),
  },
  {
    status: 400,
    reason: 'RFC 9112 2.3: the name of the protocol is HTTP',
    is: ({ protocol }) => /^(?:RTSP|ICE)\//.test(protocol),
    example: head('SOURCE / ICE/1.1', 'Host: a'),
  },
  {
    status: 505,
    reason: 'RFC 9110 15.6.6: HTTP/1 is the only major version',
    is: ({ protocol }) => /^HTTP\/[02-9]\.\d$/.test(protocol),
    example: head('GET / HTTP/2.0', 'Host: a'),
  },
  {
    status: 400,
    reason: 'RFC 9112 3.2: a target has one of four forms',
    is: ({ method, target }) => !isTarget(method, target),
    example: head('GET /{ HTTP/1.1', 'Host: a'),
  },
  {
    status: 501,
    reason: 'RFC 9110 15.6.2: no resource here supports CONNECT',
    is: ({ method }) => method === 'CONNECT',
    example: head('CONNECT a:80 HTTP/1.1', 'Host: a:80'),
  },
  {
    status: 400,
    reason: 'RFC 9112 3.2: there is one Host',
    is: (parts) => parts.values('host').length > 1 || (isHttp11(parts) && !isGiven(parts, 'host')),
    example: get('Host: a'),
  },
  {
    status: 400,
    reason: 'RFC 9110 7.2: Host is a name or an address, and perhaps a port',
    is: ({ values }) => values('host').some((host) => !isHost(host)),
    example: head('GET / HTTP/1.1', 'Host: a/b'),
  },
  {
    status: 400,
    reason: 'Ours, because programs disagree on them: no empty name, no comma in it, no odd port (RFC 3986 3.2.2 allows them)',
    is: ({ target, values }) => [authorityIn(target), ...values('host')].some((host) => host !== undefined && isOddHost(host)),
    example: head('GET / HTTP/1.1', 'Host: a:'),
  },
  {
    status: 400,
    reason: 'Ours, because a proxy may have used the other one: Host is the authority of the target, as RFC 9112 3.2 asks of clients',
    is: ({ target, values }) => authorityIn(target) !== undefined && values('host').some((host) => !isHostIn(target, host)),
    example: head('GET http://b/ HTTP/1.1', 'Host: a'),
  },
  {
    status: 400,
    reason: 'Ours, because programs disagree on it: no zero is in front of a length (RFC 9110 8.6 allows it)',
    is: ({ values }) => values('content-length').some((length) => /^0\d/.test(length)),
    example: `${get('Content-Length: 01')}x`,
  },
  {
    status: 400,
    reason: 'RFC 9112 6.1: a transfer coding is not in HTTP/1.0, and chunked is the last one; ours: no member of the list is empty',
    is: (parts) => isGiven(parts, 'transfer-encoding') && !(isHttp11(parts) && codingsIn(parts).at(-1) === 'chunked' && !codingsIn(parts).includes('')),
    example: `${head('GET / HTTP/1.0', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
  },
  {
    status: 501,
    reason: 'RFC 9112 6.1: chunked is the only transfer coding that is known',
    is: (parts) => isHttp11(parts) && codingsIn(parts).length > 1 && codingsIn(parts).at(-1) === 'chunked',
    example: `${get('Transfer-Encoding: gzip, chunked')}0\r\n\r\n`,
  },
  {
    status: 417,
    reason: 'RFC 9110 10.1.1: 100-continue is the only expectation',
    is: (parts) => isGiven(parts, 'expect') && isHttp11(parts) && !isOnly(parts, 'expect', '100-continue'),
    example: get('Expect: a'),
  },
  {
    status: 400,
    reason: 'RFC 9112 7.1.1: a chunk extension has a name, and behind = a token or a quoted string',
    is: (parts) => chunksIn(parts).sizeLines.some((line) => !SIZE_LINE.test(line)),
    example: chunked('1;\r\nx\r\n0\r\n\r\n'),
  },
  {
    status: 400,
    reason: 'Ours: a chunk size has at most eight digits',
    is: (parts) => chunksIn(parts).sizeLines.some((line) => /^[\dA-F]{9}/i.test(line)),
    example: chunked('000000001\r\nx\r\n0\r\n\r\n'),
  },
  {
    status: 400,
    reason: 'Ours: a chunk size with its extensions has at most 1 KiB',
    is: (parts) => chunksIn(parts).sizeLines.some((line) => line.length + 2 > KIB),
    example: chunked(`1;${'a'.repeat(KIB)}\r\nx\r\n0\r\n\r\n`),
  },
  {
    status: 400,
    reason: 'Ours: chunk sizes with their extensions have at most 16 KiB together',
    is: (parts) => lengthOf(chunksIn(parts).sizeLines) > 16 * KIB,
    example: chunked(`${`1;${'a'.repeat(KIB - 4)}\r\nx\r\n`.repeat(17)}0\r\n\r\n`),
  },
  {
    status: 431,
    reason: 'Ours: chunk sizes, their extensions and trailers have at most 16 KiB together',
    is: (parts) => lengthOf(chunksIn(parts).sizeLines) + lengthOf([chunksIn(parts).trailers.replace(/\r\n$/, '')]) > 16 * KIB,
    example: chunked(`0\r\nX: ${'x'.repeat(16 * KIB)}\r\n\r\n`),
  },
  {
    status: 413,
    reason: 'Ours: content has at most 64 KiB',
    is: ({ values }) => Number(values('content-length')[0]) > 64 * KIB,
    example: get('Content-Length: 65537'),
  },
  {
    status: 413,
    reason: 'Ours: the data of chunks have at most 64 KiB together',
    is: (parts) => chunksIn(parts).sizeLines.reduce((sum, line) => sum + Number.parseInt(line, 16), 0) > 64 * KIB,
    example: chunked('10001\r\n'),
  },
  {
    status: 414,
    reason: 'Ours: a request line has less than 16 KiB, with the empty lines in front of it',
    is: ({ lineEnd }) => lineEnd >= 16 * KIB,
    example: head(`GET /${'a'.repeat(16 * KIB)} HTTP/1.1`, 'Host: a'),
  },
  {
    status: 431,
    reason: 'Ours: a head has less than 16 KiB',
    is: ({ headEnd }) => headEnd >= 16 * KIB,
    example: get(`X: ${'x'.repeat(16 * KIB)}`),
  },
  {
    status: 431,
    reason: 'Ours: a head has at most 100 field lines',
    is: ({ fieldLines }) => fieldLines.length > 100,
    example: get(...Array.from({ length: 100 }, () => 'X: y')),
  },
];
