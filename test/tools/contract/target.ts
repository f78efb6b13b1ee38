// The server at a URL: how to connect to it, and whether it can be checked.
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { head } from '../../support/corpus/entry.ts';
import { field } from '../../support/replies.ts';
import { DESCRIPTION } from './endpoints.ts';
import { CannotCheck } from './options.ts';
import { talker, type Talk } from './talk.ts';

/** `authority`: the value of Host. */
type Target = { readonly url: string; readonly isSecure: boolean; readonly authority: string; readonly connect: () => Socket };

/** The server at `url`. Throws when this URL cannot be checked. */
export function targetAt({ url, insecure }: { readonly url: string; readonly insecure: boolean }): Target {
  const path = /^unix:(.+)$/s.exec(url)?.[1];
  if (path !== undefined) return { url, isSecure: false, authority: 'localhost', connect: () => connect({ path }) };
  const { protocol, hostname, port, host, href, origin } = new URL(URL.canParse(url) ? url : 'none:');
  if (!/^https?:/.test(protocol) || href !== `${origin}/`) {
    throw new CannotCheck(`${url} cannot be checked: it must be http://HOST[:PORT], https://HOST[:PORT] or unix:PATH, and no more.`);
  }
  const isSecure = protocol === 'https:';
  const address = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || (isSecure ? 443 : 80)) };
  const serverName = isIP(address.host) === 0 ? { servername: address.host } : {};
  const secure = { ...address, ...serverName, rejectUnauthorized: !insecure, ALPNProtocols: ['http/1.1'] };
  return { url, isSecure, authority: host, connect: () => (isSecure ? connectTls(secure) : connect(address)) };
}

/** How long a server may take for everything that it sends on a connection. */
export const PATIENCE_MS = 2_500;

/** Sends a few requests. Resolves with what they show of the server. Rejects when it cannot be checked. */
export async function lookAt({ url, connect: open, authority }: Target) {
  const talk = talker(open, PATIENCE_MS);
  const get = (path: string, host = authority) => talk(head(`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: close'), 1);
  const first = await get('/health');
  const [reply] = first.replies;
  if (reply === undefined) throw new CannotCheck(`${url} ${whyNoReply(first)}`);
  const location = field(reply, 'location');
  if (reply.status >= 300 && reply.status < 400 && location !== undefined) {
    throw new CannotCheck(`${url} redirects GET /health to ${location}: check the server there.`);
  }
  return {
    isDescribed: (await get(DESCRIPTION)).replies[0]?.status === 200,
    takesAnyHost: (await get('/health', 'contract.invalid')).replies[0]?.status !== 421,
  };
}

function whyNoReply({ bytes, end, error }: Talk): string {
  if (bytes.length > 0) return 'answers, but not with an HTTP/1.1 reply.';
  if (end === 'late') return `takes the connection, but does not answer within ${PATIENCE_MS / 1000} seconds.`;
  return `gives no answer: ${error ?? 'it closes the connection'}. (Is it http or https? --insecure accepts any certificate.)`;
}
