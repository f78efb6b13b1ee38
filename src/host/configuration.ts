// Reads the configuration from environment variables, and reports all mistakes in it together.
import { BlockList, isIP, isIPv4 } from 'node:net';
import { readHandedSockets } from './handed-sockets.ts';
import type { HandedTarget, ListenTarget } from './listen.ts';
import { mistakeIn, StartError } from './start-error.ts';

export type Configuration = ReturnType<typeof readConfiguration>;
type Runtime = Pick<NodeJS.Process, 'pid' | 'platform' | 'version'>;
const MAX_PORT = 65_535;
const DAY_MS = 86_400_000;
const ACCEPTED_HOSTS = '*, or host names and IP addresses without ports or zones, separated by commas';
const ACCEPTED_NETWORKS =
  'IP addresses, networks such as 10.0.0.0/8 or 2001:db8::/32, and unix for Unix sockets, separated by commas';

// What the service takes without connections, and for each one at most: with as many handlers left behind. Names alone
// in a head and trailers took 51 KiB of the heap, twice; and 195 KiB of memory over TLS, and 51 more.
const [SERVICE_HEAP_KIB, CONNECTION_HEAP_KIB] = [16 * 1024, 2 * 56];
const [SERVICE_KIB, CONNECTION_KIB] = [64 * 1024, 300];

/** Reads the configuration. An empty value counts as unset, except in `NODE_ENV`. Throws a StartError for mistakes. */
export function readConfiguration(env: NodeJS.ProcessEnv, { pid, platform, version }: Runtime = process) {
  const mistakes: string[] = [];
  // `parse` returns undefined for what is not accepted.
  function read<T>(name: string, accepted: string, parse: (text: string) => T | undefined): T | undefined {
    const text = env[name] ?? '';
    const value = text === '' ? undefined : parse(text);
    if (text !== '' && value === undefined) mistakes.push(mistakeIn(name, text, accepted));
    return value;
  }

  const readInteger = (name: string, min: number, max: number) =>
    read(name, `a whole number from ${min} to ${max}`, (text) => {
      const value = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
      return value >= min && value <= max ? value : undefined;
    });
  const readBoolean = (name: string) =>
    read(name, 'true or false', (text) => (/^(true|false)$/.test(text) ? text === 'true' : undefined)) ?? false;
  const readNetworks = (name: string) => read(name, ACCEPTED_NETWORKS, networksIn);

  const host = read('HOST', 'an IP address, a host name, or * for every interface',
    (text) => (text === '*' || isHost(text) ? text : undefined)) ?? '127.0.0.1';
  const port = readInteger('PORT', 0, MAX_PORT) ?? 8080;
  const reusePort = readBoolean('REUSE_PORT');
  const { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile } = env;
  const tlsFiles = certFile && keyFile ? { certFile, keyFile } : undefined;
  const wantsTls = Boolean(certFile || keyFile);
  // Port 0 means any free port, so the service can listen on it, but a request cannot be redirected to it.
  const httpsPort = readInteger('HTTPS_PORT', wantsTls ? 0 : 1, MAX_PORT);
  const allowedHosts = read('ALLOWED_HOSTS', ACCEPTED_HOSTS, (text) => (text === '*' ? text : hostsIn(text)));
  const handed = readHandedSockets(env, pid, (mistake) => mistakes.push(mistake));
  const isForHttps = ({ name }: HandedTarget) => name === 'https';
  const on = (ownPort: number): ListenTarget => ({ host: host === '*' ? undefined : host, port: ownPort, reusePort });

  const configuration = {
    environment: env['NODE_ENV'] ?? null, // null, because the log shows it; only `Development` shows the description
    http: handed?.filter((socket) => !isForHttps(socket)) ?? [on(port)], // where to listen without TLS
    https: handed?.filter(isForHttps) ?? (tlsFiles && httpsPort !== undefined ? [on(httpsPort)] : []),
    hasHandedSockets: handed !== undefined,
    tlsFiles,
    // The HTTPS port that clients see. Undefined: the port that the service listens on for HTTPS, if it does.
    redirectPort: readInteger('HTTPS_REDIRECT_PORT', 1, MAX_PORT) ?? (httpsPort === 0 ? undefined : httpsPort),
    allowedHosts: allowedHosts === '*' ? undefined : allowedHosts, // what `Host` may name; undefined: any host
    isBalancer: readNetworks('PROXY_PROTOCOL'), // which sends its header
    isTrustedProxy: readNetworks('TRUSTED_PROXIES'), // on HTTP, which says whom a request is from
    accessLog: readBoolean('ACCESS_LOG'),
    keepAliveTimeoutMs: readInteger('KEEP_ALIVE_TIMEOUT_MS', 1, DAY_MS) ?? 75_000, // for Node, 0 means no limit
    // With 1, one client could keep others out. With more than 10,000, each new connection would take more than 1 ms.
    maxConnections: readInteger('MAX_CONNECTIONS', 2, 10_000) ?? 1_000,
    shutdownDelayMs: readInteger('SHUTDOWN_DELAY_MS', 0, DAY_MS) ?? 500,
    shutdownTimeoutMs: readInteger('SHUTDOWN_TIMEOUT_MS', 0, DAY_MS) ?? 10_000,
  };
  if (wantsTls && tlsFiles === undefined) mistakes.push('TLS_CERT_FILE and TLS_KEY_FILE must both be set, or neither.');
  if (handed === undefined) {
    if (wantsTls && !env['HTTPS_PORT']) mistakes.push('TLS files are set, so HTTPS_PORT must be set.');
    if (httpsPort === port && port !== 0) mistakes.push(`HTTPS_PORT and PORT must be different, but both are ${port}.`);
    const isOld = version.localeCompare('v22.12', 'en', { numeric: true }) < 0; // such a version ignores the option
    if (reusePort && (platform !== 'linux' || isOld)) {
      mistakes.push(`REUSE_PORT needs Linux and Node 22.12 or later; this is Node ${version} on ${platform}.`);
    }
  } else if (wantsTls !== handed.some(isForHttps)) {
    mistakes.push('Both or neither must be set: TLS files, and the name https for a socket in LISTEN_FDNAMES.');
  }
  if (mistakes.length > 0) throw new StartError(mistakes);
  return configuration;
}

/** How many connections fit into a heap and a memory of so many bytes, whatever their clients send. */
export function connectionsIn(heapBytes: number, memoryBytes: number): number {
  const inHeap = (heapBytes / 1024 - SERVICE_HEAP_KIB) / CONNECTION_HEAP_KIB;
  const inMemory = (memoryBytes / 1024 - SERVICE_KIB) / CONNECTION_KIB;
  return Math.max(2, Math.floor(Math.min(inHeap, inMemory)));
}

// Letters, digits, hyphens and dots (RFC 1123 2.1), also at the end (RFC 1034 3.1), and underscores, which container
// names use. Only digits and dots, but no IP address, are probably a mistyped one.
function isHost(text: string): boolean {
  return isIP(text) !== 0 || /^(?![\d.]+$)[a-z\d_](?:[a-z\d_.-]{0,251}[a-z\d_])?\.?$/i.test(text);
}

// Hosts; undefined if one of them is illegal. IPv6 addresses may be in brackets.
function hostsIn(text: string): string[] | undefined {
  const hosts = text.split(',').map((host) => host.trim().replace(/^\[(.*:.*)\]$/, '$1'));
  return hosts.every((host) => isHost(host) && !host.includes('%')) ? hosts : undefined;
}

// Says which addresses are listed, undefined being that of a Unix socket; or is undefined if the list is illegal.
function networksIn(text: string): ((address: string | undefined) => boolean) | undefined {
  const networks = new BlockList();
  const entries = text.split(',').map((entry) => entry.trim());
  for (const network of entries.filter((entry) => entry !== 'unix')) {
    const [, address = '', length] = /^([\da-f.:]+)(?:\/(0|[1-9]\d{0,2}))?$/i.exec(network) ?? [];
    const [bits, family] = isIPv4(address) ? [32, 'ipv4'] as const : [128, 'ipv6'] as const;
    const prefix = Number(length ?? bits);
    if (isIP(address) === 0 || prefix > bits) return undefined;
    networks.addSubnet(address, prefix, family);
  }
  const hasUnix = entries.includes('unix');
  return (address) => (address === undefined ? hasUnix : networks.check(address, isIPv4(address) ? 'ipv4' : 'ipv6'));
}

/** Whether `NODE_ENV` has the letters of `Development`, but is not exactly that: probably it was meant to be. */
export function isAlmostDevelopment(environment: string | null): boolean {
  return environment !== 'Development' && environment?.replace(/[^a-z]/gi, '').toLowerCase() === 'development';
}
