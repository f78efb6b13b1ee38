// Reads the configuration from environment variables, and reports all mistakes in it together.
import net from 'node:net';
import { readHandedSockets } from './handed-sockets.ts';
import type { HandedTarget, ListenTarget } from './listen.ts';
import { EXIT_CODES, mistakeIn, StartError } from './start-error.ts';

const MAX_PORT = 65_535, DAY_MS = 86_400_000;

/** Reads the configuration. An empty value counts as unset, except in `NODE_ENV`. Throws a StartError with all mistakes. */
export function readConfiguration(env: NodeJS.ProcessEnv, runtime: Pick<NodeJS.Process, 'pid' | 'platform' | 'version'> = process) {
  const mistakes: string[] = [];
  const textOf = (name: string): string | undefined => env[name] || undefined;

  function read(name: string, accepted: string, isAccepted: (text: string) => boolean): string | undefined {
    const text = textOf(name);
    if (text === undefined || isAccepted(text)) return text;
    mistakes.push(mistakeIn(name, text, accepted));
    return undefined;
  }

  function readInteger(name: string, min: number, max: number): number | undefined {
    const isInRange = (text: string) => /^\d{1,10}$/.test(text) && Number(text) >= min && Number(text) <= max;
    const text = read(name, `a whole number from ${min} to ${max}`, isInRange);
    return text === undefined ? undefined : Number(text);
  }

  const readBoolean = (name: string) => read(name, 'true or false', (text) => text === 'true' || text === 'false') === 'true';

  const host = read('HOST', 'an IP address, a host name, or * for every interface', (text) => text === '*' || isHost(text)) ?? '127.0.0.1';
  const port = readInteger('PORT', 0, MAX_PORT) ?? (textOf('PORT') === undefined ? 8080 : undefined);
  const reusePort = readBoolean('REUSE_PORT');
  const [certFile, keyFile] = [textOf('TLS_CERT_FILE'), textOf('TLS_KEY_FILE')];
  const tlsFiles = certFile !== undefined && keyFile !== undefined ? { certFile, keyFile } : undefined;
  const hasTlsFiles = (certFile ?? keyFile) !== undefined;
  if (hasTlsFiles && certFile === undefined) mistakes.push('TLS_KEY_FILE is set, so TLS_CERT_FILE must be set to the certificate file.');
  if (hasTlsFiles && keyFile === undefined) mistakes.push('TLS_CERT_FILE is set, so TLS_KEY_FILE must be set to the key file.');
  // Port 0 means any free port, so the service can listen on it, but a request cannot be redirected to it.
  const httpsPort = readInteger('HTTPS_PORT', hasTlsFiles ? 0 : 1, MAX_PORT);
  const handed = readHandedSockets(env, runtime.pid, (mistake) => mistakes.push(mistake));
  const isForHttps = ({ name }: HandedTarget) => name === 'https';
  const targetsFor = (ownPort: number | undefined): readonly ListenTarget[] =>
    (ownPort === undefined ? [] : [{ host: host === '*' ? undefined : host, port: ownPort, reusePort }]);

  const isNode = read('SERVER', 'strict or node', (text) => text === 'strict' || text === 'node') === 'node';
  const isHostList = (text: string) => hostsIn(text).every((each) => isHost(each) && !each.includes('%')); // RFC 3986 3.2.2: no zones
  const acceptedHosts = '*, or host names and IP addresses without ports or zones, separated by commas';
  const allowed = read('ALLOWED_HOSTS', acceptedHosts, (text) => text === '*' || isHostList(text)) ?? '*';
  const configuration = {
    server: isNode ? 'node' as const : 'strict' as const, // see `loadServer` in app.ts
    environment: env['NODE_ENV'], // only `Development`, spelled exactly like this, switches the API description on
    http: handed?.filter((socket) => !isForHttps(socket)) ?? targetsFor(port), // where to listen for plain HTTP
    https: handed?.filter(isForHttps) ?? targetsFor(tlsFiles && httpsPort), // where to listen for HTTPS
    tlsFiles,
    /** The HTTPS port that clients see. Undefined: the port that the service listens on for HTTPS, if it does. */
    redirectPort: readInteger('HTTPS_REDIRECT_PORT', 1, MAX_PORT) ?? (httpsPort === 0 ? undefined : httpsPort),
    /** The host names and IP addresses that `Host` may name. Undefined: any. */
    allowedHosts: allowed === '*' ? undefined : hostsIn(allowed),
    accessLog: readBoolean('ACCESS_LOG'),
    // Not 0: for Node's own option that means no timeout, and here it would close each connection within a second.
    keepAliveTimeoutMs: readInteger('KEEP_ALIVE_TIMEOUT_MS', 1, DAY_MS) ?? 75_000,
    // How many connections may be open at once, on each server. With one, whoever has it would keep the others out.
    maxConnections: readInteger('MAX_CONNECTIONS', 2, 1_000_000) ?? 1_000,
    shutdownDelayMs: readInteger('SHUTDOWN_DELAY_MS', 0, DAY_MS) ?? 0,
    shutdownTimeoutMs: readInteger('SHUTDOWN_TIMEOUT_MS', 0, DAY_MS) ?? 10_000,
  };

  if (handed === undefined) {
    if (hasTlsFiles && !textOf('HTTPS_PORT')) mistakes.push('TLS files are set, so HTTPS_PORT must be set to the port for HTTPS.');
    if (httpsPort !== undefined && httpsPort === port && port !== 0) {
      mistakes.push(mistakeIn('HTTPS_PORT', String(httpsPort), 'a different port from PORT, which is for plain HTTP'));
    }
    // Older versions of Node ignore the option, and the second process would find the port in use.
    const { platform, version } = runtime;
    if (reusePort && (platform !== 'linux' || !isAtLeast(version, 'v22.12'))) {
      mistakes.push(`REUSE_PORT is "true", but needs Linux and Node 22.12 or later; this is Node ${version} on ${platform}.`);
    }
  } else if (hasTlsFiles !== handed.some(isForHttps)) {
    mistakes.push(hasTlsFiles ? 'TLS files are set, so LISTEN_FDNAMES must give one socket the name https.'
      : 'LISTEN_FDNAMES names a socket https, so TLS_CERT_FILE and TLS_KEY_FILE must be set.');
  }
  if (mistakes.length > 0) throw new StartError(mistakes, EXIT_CODES.configuration);
  return configuration;
}

// A host name has letters, digits, hyphens and dots (RFC 1123 2.1), also one at its end (RFC 1034 3.1), and underscores, which container
// names use. A value of only digits and dots that is not an IP address is taken for a mistyped one, and refused.
function isHost(text: string): boolean {
  return net.isIP(text) !== 0 || /^(?![\d.]+$)[a-z\d_](?:[a-z\d_.-]{0,251}[a-z\d_])?\.?$/i.test(text);
}

// IPv6 addresses may be in brackets.
const hostsIn = (text: string) => text.split(',').map((host) => host.trim().replace(/^\[(.*:.*)\]$/, '$1'));

/** Whether `NODE_ENV` differs from `Development` only in case or white space: whoever set it probably wanted the API description. */
export function isAlmostDevelopment(environment: string | undefined): boolean {
  return environment !== 'Development' && environment?.trim().toLowerCase() === 'development';
}

/** Whether a version is `least` or later: `22.12.0` is at least `22.12`, and `22.9.0` is not. */
export function isAtLeast(version: string, least: string): boolean {
  return version.localeCompare(least, 'en', { numeric: true }) >= 0;
}
