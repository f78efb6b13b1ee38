// What is compared of servers: requests, over which connections, and the bounds of this service.
import { tlsVariables } from '../../support/certificates.ts';
import { get } from '../../support/exchange.ts';
import { TARGET, WITH_QUERY } from '../api.ts';

export const WAYS = { plain: {}, logging: { ACCESS_LOG: 'true' }, tls: tlsVariables() };

/** A row: the service may have at most so many times what bare Node has, a tenth more than was seen. */
export type Row = Readonly<{ name: string; bound: number }>;

/** A request, on a connection that stays open, or on a new one each time. */
export type Measured = Row & Readonly<{ request: string; way?: keyof typeof WAYS; isConnecting?: boolean }>;

const BROWSER = [
  'User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'Accept-Language: en-US,en;q=0.5', 'Accept-Encoding: gzip, deflate, br, zstd', 'Connection: keep-alive',
  'Upgrade-Insecure-Requests: 1', 'Sec-Fetch-Dest: document', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Site: none',
  'Sec-Fetch-User: ?1', 'Priority: u=0, i',
];

export const REQUESTS: readonly Measured[] = [
  { name: 'status 200', request: get(TARGET), bound: 2.2 },
  { name: 'status 200, with a query', request: get(WITH_QUERY), bound: 2.15 },
  { name: 'a browser', request: get(TARGET, ...BROWSER), bound: 1.8 },
  { name: 'a connection each', request: get(TARGET), bound: 1.6, isConnecting: true },
  { name: 'ACCESS_LOG=true', request: get(TARGET), bound: 2.2, way: 'logging' },
  { name: 'TLS', request: get(TARGET), bound: 2.2, way: 'tls' },
  { name: 'TLS, a connection each', request: get(TARGET), bound: 1.6, way: 'tls', isConnecting: true },
];

/** What is measured of a process that has been started, and replied once; and after all requests. */
export const FIRST_REPLY: Row = { name: 'start: first reply, ms', bound: 1.3 };
export const IDLE: Row = { name: 'start: memory after that, MiB', bound: 1.25 };
export const USED: Row = { name: 'memory after all requests, MiB', bound: 1.7 };
