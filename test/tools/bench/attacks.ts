// The attacks, and the work of a crowd: what each client of them sends.
import { requestBytes } from '../../support/exchange.ts';
import { LONG_HEAD } from './requests.ts';

type Attack = {
  /** What a client sends first on each connection, and what it sends next. */
  readonly first: Buffer;
  readonly more: Buffer;
  /** What it does then: it sends `more` again and again, or once for each reply; it waits; or it disconnects as soon as it is connected. */
  readonly then: 'more' | 'more for a reply' | 'wait' | 'disconnect';
  /** Whether it reads what the server sends, and discards it. */
  readonly reads: boolean;
  /** Whether it connects over TLS; if not, whether it connects to the port for TLS all the same. */
  readonly isTls: boolean;
  readonly isToTlsPort?: boolean;
};

const SEND_BYTES = 64 * 1024; // at least, at once
const get = (query: string, fields: readonly string[]) => requestBytes('GET', `/api/greetings${query}`, fields);
const GREETING = get('', []);
const CHUNKED = requestBytes('POST', '/api/greetings', ['Transfer-Encoding: chunked']);
const CHUNK = '1\r\na\r\n';
const IN_CHUNKS = `${CHUNKED}${CHUNK.repeat(320)}0\r\n\r\n`; // 2 KB, and among the requests of that length the one that costs most
const WITH_CONTENT = requestBytes('POST', '/api/greetings', ['Content-Length: 64000']) + 'x'.repeat(64_000);

/** The attacks of `--attack`, by name. */
export const ATTACKS: ReadonlyMap<string, Attack> = new Map([
  ['chunks of one byte', withoutEnd(CHUNKED, CHUNK)],
  ['empty lines', withoutEnd('', '\r\n')],
  ['chunk extensions', withoutEnd(CHUNKED, `1;${'x'.repeat(15 * 1024)}\r\na\r\n`)],
  ['after a refusal', attack(`GET /api/greetings HTTP/1.1\r\n\r\n${'x'.repeat(400_000)}`, '', 'wait')],
  ['long queries', withoutEnd('', get(`?${'a&'.repeat(7_900)}`, []))], // each is less than 16 KiB
  ['pipelined requests', { ...attack(GREETING.repeat(8_000), '', 'wait'), reads: false }],
  ['heads of 95 lines', withoutEnd('', get('', Array.from({ length: 94 }, (_, i) => `x${i}: 1`)))],
  ['chunks of line ends', withoutEnd(CHUNKED, `2000\r\n${'\r\n'.repeat(0x1000)}\r\n`)],
]);

/** What clients do, by name: the attacks, and what the crowds of `--crowd` do. All of that is legal, except `ClientHello`. */
export const WORK: ReadonlyMap<string, Attack> = new Map([
  ...ATTACKS,
  ['short', attack('', GREETING, 'more for a reply')],
  ['chunks', attack('', IN_CHUNKS, 'more for a reply')],
  ['content', attack('', WITH_CONTENT, 'more for a reply')],
  ['heads', attack('', LONG_HEAD, 'more for a reply')],
  ['TLS heads', { ...attack('', LONG_HEAD, 'more for a reply'), isTls: true }],
  ['handshakes', { ...attack('', '', 'disconnect'), isTls: true }],
  ['ClientHello', { ...attack('', '', 'wait'), first: clientHello(16_300, 6_500), isToTlsPort: true }],
  ['pipelined TLS', { ...attack(GREETING.repeat(8_000), '', 'wait'), reads: false, isTls: true }],
]);

function withoutEnd(first: string, repeated: string): Attack {
  return attack(first, repeated.repeat(Math.ceil(SEND_BYTES / repeated.length)), 'more');
}

// A ClientHello (RFC 8446 4.1.2), in records. For each of its key shares, OpenSSL looks through its groups up to the last one.
function clientHello(groups: number, keyShares: number): Buffer {
  const LAST = Buffer.from('0a0b', 'hex');
  const list = (...parts: readonly Buffer[]) => withLength(2, ...parts);
  const extensions = list(
    Buffer.from('002b0003020304' + '000d000400020403', 'hex'), // TLS 1.3; ecdsa_secp256r1_sha256
    Buffer.from('000a', 'hex'), list(list(Buffer.alloc(2 * groups - 2, '0a0a', 'hex'), LAST)),
    Buffer.from('0033', 'hex'), list(list(Buffer.alloc(5 * keyShares, Buffer.concat([LAST, Buffer.from('000101', 'hex')])))),
  );
  // The version, a random, no session, one cipher suite, no compression.
  const fields = Buffer.from(`0303${'01'.repeat(32)}00` + '00021301' + '0100', 'hex');
  const message = Buffer.concat([Buffer.of(1), withLength(3, fields, extensions)]);
  const records = Array.from({ length: Math.ceil(message.length / 0x4000) }, (_, i) =>
    [Buffer.from('160301', 'hex'), list(message.subarray(i * 0x4000, (i + 1) * 0x4000))]);
  return Buffer.concat(records.flat());
}

function withLength(lengthBytes: number, ...parts: readonly Buffer[]): Buffer {
  const all = Buffer.concat(parts), length = Buffer.alloc(lengthBytes);
  length.writeUIntBE(all.length, 0, lengthBytes);
  return Buffer.concat([length, all]);
}

function attack(first: string, more: string, then: Attack['then']): Attack {
  return { first: Buffer.from(first), more: Buffer.from(more), then, reads: true, isTls: false };
}
