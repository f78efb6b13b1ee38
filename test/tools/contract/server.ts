// The server at a URL: whether it can be checked, and what it sends when bytes are sent to it.
import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls, createSecureContext } from 'node:tls';
import { field, repliesIn, type Replies } from '../../support/replies.ts';
import { DESCRIPTION, head } from './row.ts';

export type Talk = Replies & {
  readonly bytes: Buffer;
  readonly end: 'closed' | 'reset' | 'late'; // late: the server was not waited for any longer
  readonly error?: string | undefined; // why the connection failed, such as `ECONNREFUSED`
};

/** Sends bytes, one for each character, on a new connection, and reads until that ends. */
export type Talker = (bytes: string) => Promise<Talk>;

/** A talker for the server that `open` connects to. It waits so long for everything that comes on a connection. */
export function talker(open: () => Socket, patienceMs = 15_000): Talker {
  return async (sent) => {
    const chunks: Buffer[] = [];
    const socket = open().on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => {});
    socket.write(sent, 'latin1');
    const how = await Promise.race([
      once(socket, 'end').then(() => ({ end: 'closed' } as const)),
      sleep(patienceMs, { end: 'late' } as const, { ref: false }),
    ]).catch(({ code, message }: NodeJS.ErrnoException) => ({ end: 'reset', error: code ?? message } as const));
    socket.destroy();
    const bytes = Buffer.concat(chunks);
    const replies = repliesIn(bytes, { ended: how.end === 'closed', toHead: sent.startsWith('HEAD ') });
    return { ...replies, ...how, bytes };
  };
}

/** The server at `url`; `authority` is the value of Host. Throws when this URL cannot be checked. */
export function targetAt(url: string, isInsecure: boolean) {
  const path = /^unix:(.+)$/s.exec(url)?.[1];
  if (path !== undefined) return { url, isSecure: false, authority: 'localhost', open: () => connect({ path }) };
  const { protocol, hostname, port, host: authority, href, origin } = new URL(URL.canParse(url) ? url : 'none:');
  if (!/^https?:/.test(protocol) || href !== `${origin}/`) {
    throw new Error(`${url} cannot be checked: it must be http://HOST[:PORT], https://HOST[:PORT] or unix:PATH.`);
  }
  const isSecure = protocol === 'https:';
  const address = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || (isSecure ? 443 : 80)) };
  const secureContext = createSecureContext(); // one for all connections: it takes long
  const servername = isIP(address.host) === 0 ? address.host : ''; // RFC 6066 3: no IP address
  const tls = { secureContext, servername, rejectUnauthorized: !isInsecure, ALPNProtocols: ['http/1.1'] };
  return { url, isSecure, authority, open: () => (isSecure ? connectTls({ ...address, ...tls }) : connect(address)) };
}

/** Sends a few requests. Resolves with what they show of the server. Rejects when it cannot be checked. */
export async function lookAt({ url, open, authority }: ReturnType<typeof targetAt>) {
  const talk = talker(open);
  const get = (path: string, host: string) => talk(head(`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: close'));
  const { replies: [reply], end, error = end } = await get('/health', authority);
  if (!reply) throw new Error(`${url} gives no reply (${error}). For TLS, https or --insecure may be needed.`);
  const location = field(reply, 'location');
  if (location !== undefined) throw new Error(`${url} redirects to ${location}: check the server there.`);
  const isDescribed = (await get(DESCRIPTION, authority)).replies[0]?.status === 200;
  const takesAnyHost = (await get('/health', 'contract.invalid')).replies[0]?.status !== 421;
  return { isDescribed, takesAnyHost };
}
