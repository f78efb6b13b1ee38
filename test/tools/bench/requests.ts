// The connections of clients, over TCP or TLS and from any address of the loopback interface, and the requests on them.
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { requestBytes } from '../../support/exchange.ts';

type Connecting = {
  readonly port: number;
  readonly isTls: boolean;
  /** The address that the connection comes from, instead of 127.0.0.1. */
  readonly from?: string | undefined;
  readonly allowHalfOpen?: boolean;
};

/** Connects to 127.0.0.1. `ready` is called when the connection is there and, over TLS, the handshake is over. */
export function openSocket({ isTls, from, ...others }: Connecting, ready?: () => void): Socket {
  const options = { ...others, host: '127.0.0.1', noDelay: true, ...(from !== undefined && { localAddress: from }) };
  const socket = isTls ? connectTls({ ...options, rejectUnauthorized: false }, ready) : connect(options, ready);
  return socket.on('error', () => {}); // `close` follows
}

/** As `openSocket`, and resolves when the connection is there. */
export function openReady(to: Connecting): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = openSocket(to, () => resolve(socket)).once('close', () => reject(new Error('The server takes no connection.')));
  });
}

/** Sends a request, and resolves with its reply, or with what arrives of it at once. Rejects when the connection closes instead. */
export function ask(socket: Socket, request: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const close = () => reject(new Error('The connection has closed.'));
    socket.once('close', close).once('data', (reply) => {
      socket.off('close', close);
      resolve(reply);
    });
    socket.write(request);
  });
}

/** The loopback address with this number: all are different, and none is in 127.0.0.0/16. On Linux all of 127.0.0.0/8 can be used. */
export function loopbackAddress(index: number): string {
  return `127.${1 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;
}

/**
 * The field lines that Chrome sends, beside Host, for `fetch` from a page of the same origin with a cookie. (The page has set
 * `Referrer-Policy: no-referrer`: with a Referer there would be 14 lines.)
 */
export const BROWSER: readonly string[] = [
  'Connection: keep-alive',
  'sec-ch-ua-platform: "Windows"',
  'User-Agent: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  'sec-ch-ua: "Chromium";v="142", "Google Chrome";v="142", "Not_A Brand";v="99"',
  'sec-ch-ua-mobile: ?0',
  'Accept: */*',
  'Sec-Fetch-Site: same-origin',
  'Sec-Fetch-Mode: cors',
  'Sec-Fetch-Dest: empty',
  'Accept-Encoding: gzip, deflate, br, zstd',
  'Accept-Language: en-GB,en;q=0.9,de;q=0.8',
  'Cookie: session=8f14e45fceea167a5a36dedd4bea2543; theme=dark; consent=analytics.0-marketing.0; seen=1763719200',
];

/** A request with a head of 10 KB. */
export const LONG_HEAD = requestBytes('GET', '/health', [`X: ${'x'.repeat(10_000)}`]);
