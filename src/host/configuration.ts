// The configuration: environment variables in, one typed value out, and every mistake at once.
import { isIP } from 'node:net';
import { StartError } from './start-error.ts';

export type Configuration = {
  /** `NODE_ENV` as it is. Exactly `Development` switches the description on. */
  readonly environment: string | undefined;
  /** Undefined: every interface, IPv6 and IPv4. */
  readonly host: string | undefined;
  readonly port: number;
  readonly shutdownTimeoutMs: number;
};

type Environment = Readonly<Record<string, string | undefined>>;

const MAX_TIMER_MS = 2_147_483_647; // the longest delay that node's timers can hold

/** Reads the configuration. An empty value counts as unset. Throws a StartError with every mistake. */
export function readConfiguration(env: Environment): Configuration {
  const mistakes: string[] = [];

  function read<T>(name: string, fallback: T, accepted: string, parse: (text: string) => T | undefined): T {
    const text = env[name];
    if (text === undefined || text === '') return fallback;
    const value = parse(text);
    if (value === undefined) mistakes.push(`${name} is ${JSON.stringify(text)}, but must be ${accepted}.`);
    return value ?? fallback;
  }

  function readInteger(name: string, fallback: number, max: number): number {
    return read(name, fallback, `a whole number from 0 to ${max}`, (text) => {
      const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
      return value <= max ? value : undefined;
    });
  }

  const host = read('HOST', '127.0.0.1', 'an IP address, a host name, or * for every interface', parseHost);
  const configuration = {
    environment: env['NODE_ENV'],
    host: host === '*' ? undefined : host,
    port: readInteger('PORT', 8080, 65_535),
    shutdownTimeoutMs: readInteger('SHUTDOWN_TIMEOUT_MS', 10_000, MAX_TIMER_MS),
  };
  if (mistakes.length > 0) throw new StartError(mistakes);
  return configuration;
}

// A host name: letters, digits, hyphens and dots (RFC 1123 2.1), and underscores, which containers
// use. Digits and dots only are not a name but an IP address with a mistake in it.
function parseHost(text: string): string | undefined {
  const isName = /^(?![\d.]+$)[a-z\d_](?:[a-z\d_.-]{0,251}[a-z\d_])?$/i.test(text);
  return text === '*' || isIP(text) !== 0 || isName ? text : undefined;
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
