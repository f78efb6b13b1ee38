// The rows that SERVER=node does not hold: Node's parser decides there, and no documented option and no rule of src/http can change that.
// Each is named as in its part of the contract, under the reason.
const DIFFERS: Readonly<Record<string, readonly string[]>> = {
  'only methods that Node knows are read': [
    ...['BREW', 'get'].map((name) => `${name} is 405 on a mapped path and 404 on any other: methods are tokens, and case-sensitive`),
    'connect', 'CONNECTS', 'G', 'get', 'BREW', 'DESCRIBE', 'PRI', "!#$%&'*+-.^_`|~09azAZ", 'BREW on a mapped path with a query',
    'BREW on another path', 'BREW in HTTP/1.0', 'BREW after other requests', 'BREW with chunks',
  ],
  'only versions that Node knows are read, and a request line without one is HTTP/0.9': [
    'HTTP/1.2, which is read as HTTP/1.1 (RFC 9110 2.5)', 'HTTP/1.9 with chunks', 'the request line GET /health',
    'the request line "GET  /health HTTP/2.0"', ...['0.0', '0.1', '2.1', '3.0', '9.9'].map((version) => `HTTP/${version}`),
  ],
  'a handler cannot see how many spaces a request line had, or which protocol': [
    'the request line "GET  /health HTTP/1.1"', 'the request line "GET /health  HTTP/1.1"', 'the protocol RTSP/1.1',
  ],
  'Node counts names and values only, and tells neither of a request line that is too long nor of empty lines': [
    'a head of 16 KiB', 'a target of 16 KiB', 'a request line of 16 KiB without its end', '16 KiB of empty lines',
  ],
  'the sizes of chunks are counted only when their data arrive': ['the chunk size fffffffff', 'a chunk of 4 GiB'],
  'chunk sizes, extensions and trailers by another grammar, and without a limit for each': [
    ...[';;a', ';=', ';=x', ';a=', ';a=b"c"'].map((text) => `the chunk extensions ${text}`),
    'the chunk size 000000003', 'a chunk line of 1 byte more than 1 KiB',
  ],
  'another status for a length that is no number, no tab after a coding': ['a length that no number can hold', 'a tab after the coding'],
  'what follows in the same packet as a request with Upgrade is lost': [
    "Upgrade (RFC 9110 7.8), as Java's HttpClient and curl --http2 send it", 'Upgrade with content, which is read (RFC 9112 6.3)',
    'Upgrade with chunks', 'Upgrade in HTTP/1.0',
  ],
  'Proxy-Connection ends the connection': [
    'Proxy-Connection, which is in no standard', 'in the trailers (RFC 9110 6.5.1) Proxy-Connection: close',
  ],
};

export const NODE_DIFFERS: ReadonlySet<string> = new Set(Object.values(DIFFERS).flat());

/** Rows that some versions of Node hold, and others do not. */
export const NODE_MAY_DIFFER: ReadonlySet<string> = new Set([
  'HTTP/1.0 with Connection: "keep-alive \\t"', 'HTTP/1.0 with Connection: "keep-alive\\t,x"', '17 KiB of trailers in many lines',
]);
