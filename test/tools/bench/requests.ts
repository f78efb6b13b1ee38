// What is compared of servers: requests, over which connections, and the bounds of this service.
import { tlsVariables } from '../../support/certificates.ts';
import { requestBytes } from '../../support/exchange.ts';
import type { Environment } from '../../support/process.ts';
import { INVALID, TARGET, WITH_QUERY } from '../api.ts';

/** How servers are started. */
export const WAYS: Readonly<Record<'plain' | 'logging' | 'tls', Environment>> =
  { plain: {}, logging: { ACCESS_LOG: 'true' }, tls: tlsVariables() };

/** A row. At most so many times what bare Node has (a tenth more than was seen), or a commit before (`--base`). */
export type Row = Readonly<{ name: string; node?: number; before?: number }>;

/** A request, on a connection that stays open, or on a new one each time. */
export type Measured = Row & Readonly<{ way: keyof typeof WAYS; request: string; isConnecting: boolean }>;

const BROWSER = [
  'User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'Accept-Language: en-US,en;q=0.5', 'Accept-Encoding: gzip, deflate, br, zstd', 'Connection: keep-alive',
  'Upgrade-Insecure-Requests: 1', 'Sec-Fetch-Dest: document', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Site: none',
  'Sec-Fetch-User: ?1', 'Priority: u=0, i',
];
const COOKIE = `Cookie: session=${'x'.repeat(2_992)}`; // its value has 3,000 bytes

function measured(
  name: string, target: string, bounds: Omit<Row, 'name'>, way: keyof typeof WAYS = 'plain', fields: string[] = [],
): Measured {
  return { name, ...bounds, way, request: requestBytes('GET', target, fields), isConnecting: /connection/.test(name) };
}

export const REQUESTS: readonly Measured[] = [
  measured('health', '/health', { node: 1.95, before: 1.1 }),
  measured('status 200', TARGET, { node: 2.20, before: 1.1 }),
  measured('status 200, with a query', WITH_QUERY, { node: 2.15, before: 1.1 }),
  ...(INVALID === undefined ? [] : [measured('status 400', INVALID, { node: 2.35, before: 1.1 })]),
  measured('status 404', '/nope', { node: 1.95, before: 1.1 }),
  measured('a browser', TARGET, { before: 1.15 }, 'plain', BROWSER),
  measured('a browser with a cookie', TARGET, { before: 1.15 }, 'plain', [...BROWSER, COOKIE]),
  measured('a connection each', TARGET, { before: 1.15 }),
  measured('ACCESS_LOG=true', TARGET, { before: 1.1 }, 'logging'),
  measured('TLS', TARGET, { before: 1.15 }, 'tls'),
  measured('TLS, a connection each', TARGET, { before: 1.35 }, 'tls'),
];

/** What is measured of a process that has been started, and replied once; and after all requests. */
export const FIRST_REPLY: Row = { name: 'start: first reply, ms', node: 1.3, before: 1.1 };
export const IDLE: Row = { name: 'start: memory after that, MiB', node: 1.25, before: 1.05 };
export const USED: Row = { name: 'memory after all requests, MiB', node: 1.7, before: 1 };
