// The configuration: environment variables in, one typed value out, and every mistake at once.
import { StartError } from './last-words.ts';
import type { TlsFiles } from './tls-files.ts';

export type Configuration = {
  /** `NODE_ENV` as it is. Exactly `Development` switches the description on. */
  readonly environment: string | undefined;
  /** Undefined: every interface, IPv6 and IPv4. */
  readonly host: string | undefined;
  readonly port: number;
  readonly httpsPort: number | undefined;
  readonly tlsFiles: TlsFiles | undefined;
  /** Host names and IP addresses; undefined: all. */
  readonly allowedHosts: readonly string[] | undefined;
  readonly accessLog: boolean;
  readonly keepAliveTimeoutMs: number;
  readonly shutdownDelayMs: number;
  readonly shutdownTimeoutMs: number;
  readonly reusePort: boolean;
};

const net = process.getBuiltinModule('node:net'); // loaded already; an ES import of it would cost a few ms more

const MAX_PORT = 65_535;
const DAY_MS = 86_400_000;

type Environment = Readonly<Record<string, string | undefined>>;
type Runtime = Pick<NodeJS.Process, 'platform' | 'version'>;

/** Reads the configuration. An empty value counts as unset. Throws a StartError with every mistake. */
export function readConfiguration(env: Environment, runtime: Runtime = process): Configuration {
  const mistakes: string[] = [];

  function read<T>(name: string, accepted: string, parse: (text: string) => T | undefined): T | undefined {
    const text = env[name];
    if (text === undefined || text === '') return undefined;
    const value = parse(text);
    if (value === undefined) mistakes.push(`${name} is ${JSON.stringify(text)}, but must be ${accepted}.`);
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

  function readTls(): TlsFiles | undefined {
    const certFile = read('TLS_CERT_FILE', 'a file', String);
    const keyFile = read('TLS_KEY_FILE', 'a file', String);
    if (certFile === undefined && keyFile === undefined) return undefined;
    if (certFile === undefined) mistakes.push('TLS_KEY_FILE is set, so TLS_CERT_FILE must be set to the certificate file.');
    if (keyFile === undefined) mistakes.push('TLS_CERT_FILE is set, so TLS_KEY_FILE must be set to the key file.');
    if ((env['HTTPS_PORT'] ?? '') === '') mistakes.push('TLS files are set, so HTTPS_PORT must be set to the port for HTTPS.');
    return certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile };
  }

  const host = read('HOST', 'an IP address, a host name, or * for every interface', parseHost) ?? '127.0.0.1';
  const allowedHosts = read('ALLOWED_HOSTS', '*, or host names and IP addresses without a port, separated by commas', parseHosts) ?? ['*'];
  const tlsFiles = readTls();
  const configuration: Configuration = {
    environment: env['NODE_ENV'],
    host: host === '*' ? undefined : host,
    port: readInteger('PORT', 0, MAX_PORT) ?? 8080,
    // Nothing can be redirected to port 0; to listen there is to take a free port.
    httpsPort: readInteger('HTTPS_PORT', tlsFiles === undefined ? 1 : 0, MAX_PORT),
    tlsFiles,
    allowedHosts: allowedHosts.includes('*') ? undefined : allowedHosts,
    accessLog: readBoolean('ACCESS_LOG'),
    // Without an idle time-out (0, to node) a connection could be held for ever.
    keepAliveTimeoutMs: readInteger('KEEP_ALIVE_TIMEOUT_MS', 1, DAY_MS) ?? 75_000,
    shutdownDelayMs: readInteger('SHUTDOWN_DELAY_MS', 0, DAY_MS) ?? 0,
    shutdownTimeoutMs: readInteger('SHUTDOWN_TIMEOUT_MS', 0, DAY_MS) ?? 10_000,
    reusePort: readBoolean('REUSE_PORT'),
  };
  if (configuration.reusePort && !canReusePort(runtime)) {
    mistakes.push(`REUSE_PORT is "true", but needs Linux and Node 22.12 or later; this is Node ${runtime.version} on ${runtime.platform}.`);
  }
  if (mistakes.length > 0) throw new StartError(mistakes);
  return configuration;
}

// A host name: letters, digits, hyphens and dots (RFC 1123 2.1), and underscores, which containers
// use. Digits and dots only are not a name but an IP address with a mistake in it.
function parseHost(text: string): string | undefined {
  const isName = /^(?![\d.]+$)[a-z\d_](?:[a-z\d_.-]{0,251}[a-z\d_])?$/i.test(text);
  return text === '*' || net.isIP(text) !== 0 || isName ? text : undefined;
}

// IPv6 with or without its brackets. A `*` among others is a mistake: it is not what the others are for.
function parseHosts(text: string): readonly string[] | undefined {
  const hosts = text.split(',').map((host) => parseHost(host.trim().replace(/^\[(.*:.*)\]$/, '$1')));
  const known = hosts.filter((host) => host !== undefined);
  return known.length < hosts.length || (known.includes('*') && known.length > 1) ? undefined : known;
}

// Older versions ignore the option, and the second process would find the port in use.
function canReusePort({ platform, version }: Runtime): boolean {
  const [major = 0, minor = 0] = version.slice(1).split('.').map(Number);
  return platform === 'linux' && (major > 22 || (major === 22 && minor >= 12));
}

/**
 * What the person who set `NODE_ENV` should hear: a value that differs from `Development` only in
 * case or surrounding space leaves the description off, and looks as if it did not.
 */
export function environmentWarning(environment: string | undefined): string | undefined {
  if (environment === undefined || environment === 'Development') return undefined;
  if (environment.trim().toLowerCase() !== 'development') return undefined;
  return `NODE_ENV is ${JSON.stringify(environment)}, which is not Development: the API description is off.`;
}
