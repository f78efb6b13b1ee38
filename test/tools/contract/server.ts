// The server at a URL: whether it can be checked, and what it sends when bytes are sent to it.
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext } from 'node:tls';
import { field, repliesIn, type Replies } from '../../support/replies.ts';
import { DESCRIPTION, head } from './row.ts';

/** Why nothing can be checked, as a sentence for the person who wants it. */
export class CannotCheck extends Error {}

export type Talk = Replies & {
  readonly bytes: Buffer;
  readonly end: 'closed' | 'reset' | 'late'; // late: the server was not waited for any longer
  readonly error: string | undefined; // why the connection failed, such as `ECONNREFUSED`
  readonly sentAt: number;
};

/** Sends bytes, one for each character, on a new connection, and reads until that ends. */
export type Talker = (bytes: string) => Promise<Talk>;

const PATIENCE_MS = 5_000; // for everything that is sent on a connection

/** A talker for the server that `open` connects to. */
export function talker(open: () => Socket, patienceMs = PATIENCE_MS): Talker {
  return async (sent) => {
    const sentAt = Date.now();
    const socket = open();
    const chunks: Buffer[] = [];
    let error: string | undefined;
    socket.on('data', (chunk: Buffer) => chunks.push(chunk)).write(sent, 'latin1');
    const end = await new Promise<Talk['end']>((resolve) => {
      const timer = setTimeout(resolve, patienceMs, 'late');
      socket.on('close', () => clearTimeout(timer));
      socket.on('error', (failure) => { error ??= 'code' in failure ? String(failure.code) : failure.message; });
      socket.on('end', () => resolve('closed'));
      socket.on('close', () => resolve('reset')); // has no effect after another event
    });
    socket.destroy();
    const bytes = Buffer.concat(chunks);
    const replies = repliesIn(bytes, { ended: end === 'closed', toHead: sent.startsWith('HEAD ') });
    return { ...replies, bytes, end, error, sentAt };
  };
}

/** The results of `visit` for each item. It is called for 100 at once. */
export async function mapAll<Item, Result>(items: readonly Item[], visit: (item: Item) => Promise<Result>) {
  const results: Result[] = [];
  const waiting = items.entries();
  const visitNext = async () => {
    for (const [i, item] of waiting) results[i] = await visit(item);
  };
  await Promise.all(Array.from({ length: 100 }, visitNext));
  return results;
}

/** The server at `url`; `authority` is the value of Host. Throws when this URL cannot be checked. */
export function targetAt(url: string, isInsecure: boolean) {
  const path = /^unix:(.+)$/s.exec(url)?.[1];
  if (path !== undefined) return { url, isSecure: false, authority: 'localhost', open: () => connect({ path }) };
  const { protocol, hostname, port, host: authority, href, origin } = new URL(URL.canParse(url) ? url : 'none:');
  if (!/^https?:/.test(protocol) || href !== `${origin}/`) {
    throw new CannotCheck(`${url} cannot be checked: it must be http://HOST[:PORT], https://HOST[:PORT] or unix:PATH.`);
  }
  const isSecure = protocol === 'https:';
  const address = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || (isSecure ? 443 : 80)) };
  const serverName = isIP(address.host) === 0 ? { servername: address.host } : {};
  const secureContext = createSecureContext(); // one for all connections: it takes long
  const offer = { rejectUnauthorized: !isInsecure, ALPNProtocols: ['http/1.1'] };
  const secure = { ...address, ...serverName, ...offer, secureContext };
  return { url, isSecure, authority, open: (): Socket => (isSecure ? connectTls(secure) : connect(address)) };
}

/** Sends a few requests. Resolves with what they show of the server. Rejects when it cannot be checked. */
export async function lookAt({ url, open, authority }: ReturnType<typeof targetAt>) {
  const talk = talker(open);
  const get = (path: string, host: string) => talk(head(`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: close'));
  const { replies: [reply], end, error } = await get('/health', authority);
  if (reply === undefined) {
    throw new CannotCheck(`${url} gives no reply (${error ?? end}). For TLS, https or --insecure may be needed.`);
  }
  const location = field(reply, 'location');
  if (location !== undefined) throw new CannotCheck(`${url} redirects to ${location}: check the server there.`);
  return {
    isDescribed: (await get(DESCRIPTION, authority)).replies[0]?.status === 200,
    takesAnyHost: (await get('/health', 'contract.invalid')).replies[0]?.status !== 421,
  };
}
