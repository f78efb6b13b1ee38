// The server at a URL: how to connect to it, and whether it can be checked.
import { connect, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { field } from '../../support/replies.ts';
import { head } from './row.ts';
import { talker, type Connect, type Talk } from './talk.ts';

export type Target = {
  readonly url: string;
  readonly connect: Connect;
  /** The value of Host. */
  readonly authority: string;
};

/** The server at `url`, or a sentence that says why this URL cannot be checked. */
export function targetAt(url: string, insecure: boolean): Target | string {
  const accepted = `${url} cannot be checked: accepted are http://HOST[:PORT], https://HOST[:PORT] and unix:PATH`;
  if (url.startsWith('unix:')) {
    const path = url.slice('unix:'.length);
    return path === '' ? `${accepted}.` : { url, connect: () => connect({ path }), authority: 'localhost' };
  }
  if (!URL.canParse(url)) return `${accepted}.`;
  const { protocol, hostname, port, host, pathname, search, hash, username, password } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') return `${accepted}.`;
  if (pathname !== '/' || search + hash + username + password !== '') return `${accepted}, with nothing before or after HOST[:PORT].`;
  const address = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || (protocol === 'https:' ? 443 : 80)) };
  const secure = { ...address, rejectUnauthorized: !insecure, ALPNProtocols: ['http/1.1'], ...(isIP(address.host) === 0 && { servername: address.host }) };
  return { url, connect: protocol === 'https:' ? () => connectTls(secure) : () => connect(address), authority: host };
}

/** How long a server may take before the first bytes of a reply, or between bytes. */
export const PATIENCE_MS = 2_500;

export type FirstLook = {
  /** Whether it has a description. */
  readonly described: boolean;
  /** Whether it accepts every Host. */
  readonly anyHost: boolean;
};

/** Sends a few requests. Resolves with what they show, or with a sentence that says why the server cannot be checked. */
export async function lookAt(target: Target): Promise<FirstLook | string> {
  const talk = talker({ connect: target.connect, now: Date.now, patienceMs: () => PATIENCE_MS });
  const get = (path: string, authority = target.authority) =>
    talk(head(`GET ${path} HTTP/1.1`, `Host: ${authority}`, 'Connection: close'), 1);
  const first = await get('/health');
  const [reply] = first.replies;
  if (reply === undefined) return `${target.url} ${whyNoReply(first)}`;
  const location = field(reply, 'location');
  if (reply.status >= 300 && reply.status < 400 && location !== undefined) return `${target.url} redirects GET /health to ${location}: check the server there.`;
  return {
    described: (await get('/openapi/v1.json')).replies[0]?.status === 200,
    anyHost: (await get('/health', 'contract.invalid')).replies[0]?.status !== 421,
  };
}

function whyNoReply({ bytes, end, error }: Talk): string {
  if (bytes.length > 0) return 'answers, but not with an HTTP/1.1 reply.';
  if (end === 'silent') return `takes the connection, but does not answer within ${PATIENCE_MS / 1000} seconds.`;
  if (error === undefined || error === 'ECONNRESET' || error === 'EPIPE') return 'closes the connection without an answer. (Is it https, perhaps?)';
  if (error === 'EPROTO' || error.startsWith('ERR_SSL_')) return `does not speak TLS that node understands: ${error}. (Is it http, perhaps?)`;
  if (/^E[A-Z_]+$/.test(error) && !error.startsWith('ERR_')) return `does not answer: ${error}.`;
  return `has a certificate that is not trusted: ${error}. (--insecure accepts any; NODE_EXTRA_CA_CERTS=FILE makes node trust those in a PEM file.)`;
}

/** For each condition of rows that this server does not meet, the reason why these rows are not checked. */
export function notChecked({ anyHost }: FirstLook): Readonly<Record<string, string | undefined>> {
  return {
    'an exception': 'not checked: an exception cannot be provoked from outside',
    'any host': anyHost ? undefined : 'not checked: the server accepts only certain hosts (421)',
    'the environment': 'not checked: the server has no description, and without --development or --production it may have one or not',
  };
}

