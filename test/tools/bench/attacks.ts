// The attacks, and the work of a crowd: what each client of them sends.

export type Attack = {
  /** What a client sends first on each connection. */
  readonly first: Buffer;
  /** What it sends next. */
  readonly more: Buffer;
  /** What it does then: it sends `more` again and again, or once for each reply; it waits; or it disconnects as soon as it is connected. */
  readonly then: 'more' | 'more for a reply' | 'wait' | 'disconnect';
  /** Whether it reads what the server sends, and discards it. */
  readonly reads: boolean;
  readonly isTls: boolean;
};

const SEND_BYTES = 64 * 1024; // at least, at once
const NOTHING = Buffer.alloc(0);
const HOST = 'Host: localhost\r\n';
const GREETING = `GET /api/greetings HTTP/1.1\r\n${HOST}\r\n`;
const WITHOUT_HOST = 'GET /api/greetings HTTP/1.1\r\n\r\n';
const LONG_QUERY = `GET /api/greetings?${'a&'.repeat(7_900)} HTTP/1.1\r\n${HOST}\r\n`; // less than 16 KiB
const MANY_LINES = `GET /api/greetings HTTP/1.1\r\n${HOST}${Array.from({ length: 94 }, (_, i) => `x${i}: 1\r\n`).join('')}\r\n`;
const CHUNKED = `POST /api/greetings HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`;
const CHUNK = '1\r\na\r\n';
const IN_CHUNKS = `${CHUNKED}${CHUNK.repeat(320)}0\r\n\r\n`; // 2 KB, and among the requests of that length the one that costs most

/** The attacks of `--attack`, by name. */
export const ATTACKS: ReadonlyMap<string, Attack> = new Map([
  ['chunks of one byte', withoutEnd(CHUNKED, CHUNK)],
  ['empty lines', withoutEnd('', '\r\n')],
  ['chunk extensions', withoutEnd(CHUNKED, `1;${'x'.repeat(15 * 1024)}\r\na\r\n`)],
  ['behind a refusal', once(WITHOUT_HOST + 'x'.repeat(400_000), { reads: true, isTls: false })],
  ['long queries', withoutEnd('', LONG_QUERY)],
  ['pipelined requests', once(GREETING.repeat(8_000), { reads: false, isTls: false })],
  ['heads of 95 lines', withoutEnd('', MANY_LINES)],
  ['chunks of line ends', withoutEnd(CHUNKED, `2000\r\n${'\r\n'.repeat(0x1000)}\r\n`)],
]);

/** What the crowds of `--crowd` do, by name. All of it is legal. */
export const WORK: ReadonlyMap<string, Attack> = new Map([
  ['short', oneByOne(GREETING, false)],
  ['chunks', oneByOne(IN_CHUNKS, false)],
  ['TLS', oneByOne(GREETING, true)],
  ['handshakes', { first: NOTHING, more: NOTHING, then: 'disconnect', reads: true, isTls: true }],
  ['pipelined TLS', once(GREETING.repeat(8_000), { reads: false, isTls: true })],
]);

function withoutEnd(first: string, repeated: string): Attack {
  const more = Buffer.from(repeated.repeat(Math.ceil(SEND_BYTES / repeated.length)));
  return { first: Buffer.from(first), more, then: 'more', reads: true, isTls: false };
}

function once(bytes: string, options: Pick<Attack, 'reads' | 'isTls'>): Attack {
  return { first: Buffer.from(bytes), more: NOTHING, then: 'wait', ...options };
}

function oneByOne(request: string, isTls: boolean): Attack {
  return { first: NOTHING, more: Buffer.from(request), then: 'more for a reply', reads: true, isTls };
}
