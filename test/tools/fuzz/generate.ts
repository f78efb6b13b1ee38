// A round as plain data, all of it from a seed: who connects, what each sends, when it leaves, what handlers do, and
// when the service stops. What is seen of each connection and request is written beside its plan.
import type { AccessRecord } from '../../../src/http/reports.ts';
import { createRandom, type Random } from '../../support/random.ts';
import type { Reply } from '../../support/replies.ts';

const V2 = '\r\n\r\n\0\r\nQUIT\n'; // of the PROXY protocol
const direct = (from: string) => ({ from, header: '', fields: '', address: from });
const balanced = (header: string, address: string) => ({ from: '127.0.2.1', header, fields: '', address });
const forwarded = (list: string, address: string) =>
  ({ from: '127.0.3.1', header: '', fields: `X-Forwarded-For: ${list}\r\n`, address });

export const isBalancer = (address: string | undefined) => address === '127.0.2.1';
export const isTrustedProxy = (address = '127.0.3.') => address.startsWith('127.0.3.'); // and all Unix sockets

/** Where connections are from; what they begin with, and their heads have; and whose requests those are. */
const ORIGINS = [
  direct('127.0.1.1'), direct('127.0.1.2'), direct('127.0.1.3'),
  balanced('PROXY TCP4 10.0.0.1 10.0.0.9 1 80\r\n', '10.0.0.1'), balanced('PROXY UNKNOWN\r\n', '127.0.2.1'),
  balanced(`${V2}\x21\x11\0\x0c\x0a\0\0\x02\x0a\0\0\x09\0\x01\0\x50`, '10.0.0.2'),
  balanced(`${V2}\x21\x21\0\x24\x20\x01\x0d\xb8\0\x02${'\0'.repeat(9)}\x01${'\0'.repeat(20)}`, '2001:db8:2::1'),
  forwarded('forged, 192.0.2.2:80', '192.0.2.2'), forwarded('2001:DB8:3::0:1, 127.0.3.9', '2001:db8:3::1'),
];
const TAKE_OVER = ['CONNECT a:1 HTTP/1.1\r\n', 'GET / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: echo\r\n'];
const OVER = ['TCP', 'TLS', 'Unix'] as const;
export const NEVER = 2 ** 30; // ms
export const LIMIT_MS = 300; // for handlers that are limited

export type Request = ReturnType<typeof planRequest>;
export type Connection = ReturnType<typeof planConnection>;
export type Round = ReturnType<typeof planRound>;

/** The round for this seed. */
export function planRound(seed: number) {
  const random = createRandom(seed);
  const { below, pick } = random;
  const count = 40 + below(120);
  return {
    seats: 1 + below(8),
    maxConnections: 48 + below(110), // twice as many as there are clients, so who has one connection keeps it
    stopAfter: pick([Infinity, Infinity, below(40 * count)]), // so many events
    cutMs: pick([NEVER, below(800)]), // after that
    drains: pick([true, false]), // each reply is a last one from then on
    connections: Array.from({ length: count }, (_, i) => planConnection(random, i)),
  };
}

function planConnection(random: Random, number: number) {
  const { below, pick } = random;
  const takesOver = below(8) > 0 ? undefined : pick(TAKE_OVER);
  const end = pick(['wait', 'wait', 'wait', 'halfClose', 'reset', 'destroy'] as const);
  const isHonest = number % 20 === 0; // it has an address of its own, and must always be answered
  const over = isHonest ? 'TCP' : pick(OVER);
  const origin = isHonest ? direct(`127.0.4.${number}`) : pick(ORIGINS);
  const rest: Buffer = Buffer.alloc(0);
  const count = takesOver === undefined ? 1 + below(pick([2, 12])) : 1;
  return {
    ...origin, number, over, isHonest, takesOver, end,
    address: over === 'Unix' && origin.fields === '' ? undefined : origin.address, // it has neither `from` nor `header`
    version: pick(['TLSv1.2', 'TLSv1.3'] as const),
    resumes: pick([true, false]), // a session of an earlier connection
    startMs: below(500),
    readAfterMs: pick([0, 0, below(400)]), // until then, it stops reading
    pieces: Array.from({ length: 1 + below(5) }, () => pick([1, 20, 1_500, 20_000, 100_000])), // bytes, again and again
    pauses: pick([true, false]), // after each piece
    leavesAt: end === 'wait' ? 1 : pick([1, 1, below(1_000) / 1_000]), // this part of all bytes
    leaveMs: below(100), // after these
    keeps: below(4) === 0, // its own side open, when the service has ended
    requests: Array.from({ length: count }, (_, i) => planRequest(random, 100 * number + i)),
    // Seen by the client:
    replies: new Array<Reply>(), // whole ones, without any 100 (Continue)
    rest, // what came after them
    sent: 0, // how many requests, to their end
    hasLeft: false, // before the service ended its side
    error: '',
  };
}

function planRequest({ below, pick }: Random, id: number) {
  const ms = below(20) === 0 ? NEVER : below(100);
  const handler = pick(['returns', 'waits', 'heeds'] as const); // `signal`, while it waits
  const contentBytes = pick([0, 0, below(100), below(5_000), below(70_000), below(pick([1, 1, 1, 10]) * 104_857)]);
  return {
    id, handler, ms, contentBytes,
    throws: below(5) === 0, // in place of a reply
    isLimited: ms === NEVER || pick([true, false]),
    hasSeat: !(handler === 'waits' && ms === NEVER) && pick([true, false]), // it would keep its seat
    isLast: below(20) === 0, // as it asks
    emptyLines: below(3), // before its head
    fieldBytes: pick([0, 0, below(5_000), below(15_360)]),
    chunkBytes: pick([0, Math.ceil(contentBytes / 200) + below(5_000)]), // 0: content of known length
    trailer: pick(['', 'T: u\r\n']), // after chunks
    expects: contentBytes > 0 && below(8) === 0, // 100 (Continue), and does not wait for it
    replyBytes: pick([0, 100, below(10_000), below(pick([1, 1, 1, 10]) * 104_857)]),
    // Seen by the service:
    calls: 0, // of its handler
    isRunning: false, // its handler
    aborts: new Array<string>(), // why
    records: new Array<AccessRecord>(),
  };
}
