// Reads the configuration from environment variables, and reports all mistakes in it at once.
import net from 'node:net';
import { readHandedSockets, type Environment } from './handed-sockets.ts';
import type { ListenTarget, Scheme } from './listen.ts';
import { EXIT_CODES, mistakeIn, StartError } from './start-error.ts';

export type Configuration = ReturnType<typeof readConfiguration>;

const MAX_PORT = 65_535;
const DAY_MS = 86_400_000;

type Runtime = Pick<NodeJS.Process, 'pid' | 'platform' | 'version'> & Partial<Pick<NodeJS.Process, 'permission'>>;

/** Reads the configuration. An empty value counts as unset, except in `NODE_ENV`. Throws a StartError with all mistakes. */
export function readConfiguration(env: Environment, runtime: Runtime = process) {
  const mistakes: string[] = [];

  function textOf(name: string): string | undefined { return env[name] || undefined; }

  function read<T>(name: string, accepted: string, parse: (text: string) => T | undefined): T | undefined {
    const text = textOf(name);
    if (text === undefined) return undefined;
    const value = parse(text);
    if (value === undefined) mistakes.push(mistakeIn(name, text, accepted));
    return value;
  }

  function readInteger(name: string, min: number, max: number): number | undefined {
    return read(name, `a whole number from ${min} to ${max}`, (text) => {
      const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? value : undefined;
    });
  }

  function readBoolean(name: string): boolean {
    return read(name, 'true or false', (text) => (text === 'true' || text === 'false' ? text : undefined)) === 'true';
  }

  const host = read('HOST', 'an IP address, a host name, or * for every interface', parseHost) ?? '127.0.0.1';
  const port = readInteger('PORT', 0, MAX_PORT) ?? (textOf('PORT') === undefined ? 8080 : undefined);
  const reusePort = readBoolean('REUSE_PORT');
  const [certFile, keyFile] = [textOf('TLS_CERT_FILE'), textOf('TLS_KEY_FILE')];
  const tlsFiles = certFile !== undefined && keyFile !== undefined ? { certFile, keyFile } : undefined;
  const hasTlsFiles = (certFile ?? keyFile) !== undefined;
  if (hasTlsFiles && certFile === undefined) mistakes.push('TLS_KEY_FILE is set, so TLS_CERT_FILE must be set to the certificate file.');
  if (hasTlsFiles && keyFile === undefined) mistakes.push('TLS_CERT_FILE is set, so TLS_KEY_FILE must be set to the key file.');
  const handed = readHandedSockets(env, runtime.pid, (mistake) => mistakes.push(mistake));
  // Port 0 means any free port, so the service can listen on it, but a request cannot be redirected to it.
  const httpsPort = readInteger('HTTPS_PORT', hasTlsFiles ? 0 : 1, MAX_PORT);

  /** Where to listen for a scheme: on the sockets that were handed over, if any, or else on `ownPort`. */
  function targets(scheme: Scheme, ownPort: number | undefined): readonly ListenTarget[] {
    if (handed !== undefined) return handed.filter((socket) => socket.scheme === scheme).map(({ fd, name }) => ({ fd, name }));
    return ownPort === undefined ? [] : [{ host: host === '*' ? undefined : host, port: ownPort, reusePort }];
  }

  const acceptedHosts = '*, or host names and IP addresses without port or zone, separated by commas';
  const allowedHosts = read('ALLOWED_HOSTS', acceptedHosts, parseHosts) ?? ['*'];
  const configuration = {
    environment: env['NODE_ENV'], // only `Development`, in this spelling, switches the API description on
    http: targets('http', port), // where to listen for plain HTTP
    https: targets('https', tlsFiles && httpsPort), // where to listen for HTTPS. Without TLS files it is empty.
    tlsFiles,
    /** The HTTPS port that clients see. Undefined: the port that the service listens on for HTTPS, if it does. */
    redirectPort: readInteger('HTTPS_REDIRECT_PORT', 1, MAX_PORT) ?? (httpsPort === 0 ? undefined : httpsPort),
    /** The host names and IP addresses that `Host` may name. Undefined: any. */
    allowedHosts: allowedHosts.includes('*') ? undefined : allowedHosts,
    accessLog: readBoolean('ACCESS_LOG'),
    // 0 is not accepted: to node's own option it means no time-out, here it would close each connection within a second.
    keepAliveTimeoutMs: readInteger('KEEP_ALIVE_TIMEOUT_MS', 1, DAY_MS) ?? 75_000,
    maxConnections: readInteger('MAX_CONNECTIONS', 1, 1_000_000) ?? 1_000, // how many connections may be open at once, on each server
    shutdownDelayMs: readInteger('SHUTDOWN_DELAY_MS', 0, DAY_MS) ?? 0,
    shutdownTimeoutMs: readInteger('SHUTDOWN_TIMEOUT_MS', 0, DAY_MS) ?? 10_000,
  };

  if (handed === undefined) {
    if (hasTlsFiles && !textOf('HTTPS_PORT')) mistakes.push('TLS files are set, so HTTPS_PORT must be set to the port for HTTPS.');
    if (httpsPort !== undefined && httpsPort === port && port !== 0) {
      mistakes.push(mistakeIn('HTTPS_PORT', String(httpsPort), 'another port than PORT, which is for plain HTTP'));
    }
    if (reusePort && !canReusePort(runtime)) {
      const { version, platform } = runtime;
      mistakes.push(`REUSE_PORT is "true", but needs Linux and Node 22.12 or later; this is Node ${version} on ${platform}.`);
    }
  } else {
    const hasHttps = handed.some(({ scheme }) => scheme === 'https');
    if (hasTlsFiles && !hasHttps) mistakes.push('TLS files are set, so LISTEN_FDNAMES must give one socket the name https.');
    if (hasHttps && !hasTlsFiles) {
      mistakes.push('LISTEN_FDNAMES gives a socket the name https, so TLS_CERT_FILE and TLS_KEY_FILE must be set.');
    }
  }
  if (isNetworkDenied(runtime)) mistakes.push('Node is run with --permission, so it needs --allow-net to listen.');
  if (mistakes.length > 0) throw new StartError(mistakes, EXIT_CODES.configuration);
  return configuration;
}

// A host name has letters, digits, hyphens and dots (RFC 1123 2.1), and underscores, which container names use.
// A value of digits and dots only that is not an IP address is a mistyped IP address, and is refused.
function parseHost(text: string): string | undefined {
  const isName = /^(?![\d.]+$)[a-z\d_](?:[a-z\d_.-]{0,251}[a-z\d_])?$/i.test(text);
  return text === '*' || net.isIP(text) !== 0 || isName ? text : undefined;
}

// IPv6 addresses may be in brackets. They may not have a zone, because no Host has one (RFC 3986 3.2.2). A `*`
// beside other hosts is refused, because it would make them meaningless.
function parseHosts(text: string): readonly string[] | undefined {
  const hosts = text.split(',').map((host) => (host.includes('%') ? undefined : parseHost(host.trim().replace(/^\[(.*:.*)\]$/, '$1'))));
  const known = hosts.filter((host) => host !== undefined);
  return known.length < hosts.length || (known.includes('*') && known.length > 1) ? undefined : known;
}

// Older versions of Node ignore the option, and the second process would find the port in use.
function canReusePort({ platform, version }: Runtime): boolean {
  const [major, minor] = versionNumbers(version);
  return platform === 'linux' && (major > 22 || (major === 22 && minor >= 12));
}

// From Node 25 on, --permission also denies the network. When the service listens, node throws for that where nothing can catch it.
function isNetworkDenied({ permission, version }: Runtime): boolean {
  return versionNumbers(version)[0] >= 25 && permission?.has('net') === false;
}

function versionNumbers(version: string): readonly [major: number, minor: number] {
  const [major = 0, minor = 0] = version.slice(1).split('.').map(Number);
  return [major, minor];
}

/** Whether `NODE_ENV` is `Development` but for case or white space around it, so that its author probably wanted the API description. */
export function isAlmostDevelopment(environment: string | undefined): boolean {
  return environment !== 'Development' && environment?.trim().toLowerCase() === 'development';
}
