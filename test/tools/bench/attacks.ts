// The attacks: what each client of them sends.

export type Attack = {
  /** What a client sends first on each connection. */
  readonly first: Buffer;
  /** What it sends then, again and again until the server closes the connection. It may be empty. */
  readonly more: Buffer;
  /** Whether it reads what the server sends, and discards it. */
  readonly reads: boolean;
};

const SEND_BYTES = 64 * 1024; // at least, at once
const HOST = 'Host: localhost\r\n';
const GREETING = `GET /api/greetings HTTP/1.1\r\n${HOST}\r\n`;
const WITHOUT_HOST = 'GET /api/greetings HTTP/1.1\r\n\r\n';
const LONG_QUERY = `GET /api/greetings?${'a&'.repeat(7_900)} HTTP/1.1\r\n${HOST}\r\n`; // less than 16 KiB
const MANY_LINES = `GET /api/greetings HTTP/1.1\r\n${HOST}${Array.from({ length: 94 }, (_, i) => `x${i}: 1\r\n`).join('')}\r\n`;
const CHUNKED = `POST /api/greetings HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`;

/** The crowd: clients that send many requests ahead. */
export const PIPELINED = 'pipelined requests';

/** The attacks by name. */
export const ATTACKS: ReadonlyMap<string, Attack> = new Map([
  ['chunks of one byte', withoutEnd(CHUNKED, '1\r\na\r\n')],
  ['empty lines', withoutEnd('', '\r\n')],
  ['chunk extensions', withoutEnd(CHUNKED, `1;${'x'.repeat(15 * 1024)}\r\na\r\n`)],
  ['behind a refusal', { first: Buffer.from(WITHOUT_HOST + 'x'.repeat(400_000)), more: Buffer.alloc(0), reads: true }],
  ['long queries', withoutEnd('', LONG_QUERY)],
  [PIPELINED, { first: Buffer.from(GREETING.repeat(8_000)), more: Buffer.alloc(0), reads: false }],
  ['heads of 95 lines', withoutEnd('', MANY_LINES)],
  ['chunks of line ends', withoutEnd(CHUNKED, `2000\r\n${'\r\n'.repeat(0x1000)}\r\n`)],
]);

function withoutEnd(first: string, repeated: string): Attack {
  return { first: Buffer.from(first), more: Buffer.from(repeated.repeat(Math.ceil(SEND_BYTES / repeated.length))), reads: true };
}
