// With the sockets that handed-sockets.ts reads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAlmostDevelopment, readConfiguration } from '../../src/host/configuration.ts';
import { StartError } from '../../src/host/start-error.ts';

const NODE_22 = { pid: 1234, platform: 'linux', version: 'v22.12.0' } as const;
type Runtime = NonNullable<Parameters<typeof readConfiguration>[1]>;

/** The configuration, or the mistakes in it. */
function read(env: Readonly<Record<string, string>>, runtime: Runtime = NODE_22): unknown {
  try {
    return readConfiguration(env, runtime);
  } catch (error) {
    if (!(error instanceof StartError) || error.exitCode !== 78) throw error;
    assert.equal(error.message, error.reasons.join('\n'));
    return error.reasons;
  }
}

const on = (port: number, host: string | undefined = '127.0.0.1', reusePort = false) => [{ host, port, reusePort }];
const ON_ALL = [{ host: undefined, port: 8080, reusePort: false }];
const REUSED = on(8080, '127.0.0.1', true);
const TLS = { TLS_CERT_FILE: 'c', TLS_KEY_FILE: 'k' };
const tlsFiles = { certFile: 'c', keyFile: 'k' };

const DEFAULTS = {
  environment: null, http: on(8080), https: [], hasHandedSockets: false, tlsFiles: undefined, redirectPort: undefined,
  allowedHosts: undefined, accessLog: false, keepAliveTimeoutMs: 75_000, maxConnections: 1_000, isFair: true,
  shutdownDelayMs: 500, shutdownTimeoutMs: 10_000,
};

const LONGEST_HOST = `a${'b'.repeat(251)}c`;
const LEGAL_HOSTS = [
  '0.0.0.0', '::', '2001:db8::7f', 'fe80::1%eth0', 'my_container-1.example.com', 'a', 'Z', '1a', 'a1', '_a_', 'azAZ09',
  'zaz', '0a9', '9a0', 'a..b', 'a-_.b', 'svc.example.', 'a.', LONGEST_HOST, `${LONGEST_HOST}.`,
];
const ILLEGAL_HOSTS = [
  ...Array.from('/:@[`{', (next) => `a${next}b`), ...Array.from('/:@[`{-', (next) => [`${next}ab`, `ab${next}`]).flat(),
  'a'.repeat(254), '.ab', '.', 'ab..', 'ab-.', '127.0.0.1.', '::1.', 'a\nb', '1', '0.', 'a b', ' ', 'http://a', '[::1]',
  '256.1.1.1', '1.2.3', '*.a', '1[::1]',
];
const ILLEGAL_HOST_LISTS = [
  ',', 'a,', 'a:80', 'a b', '*,a', 'a,*', '*.a', '[a]', '[::1]:80', '1[::1]', '[::1]1', '[::1].', 'a..', '10.0.0.1.',
  'fe80::1%eth0', '[fe80::1%eth0]', 'a;b',
];
const ILLEGAL_NAMES = [
  'htt', 'ahttp', 'httpsa', 'aunknown', 'unknowna', 'HTTPS', 'socket', 'a.socketa', 'a.Socket', 'http:http',
];
const ILLEGAL_PORTS = ['x', '-1', '65536', '8.0', '1e3', '0x50', ' 80', '99999999999', '00000000080', '８０', '80\n'];
const BOOLEAN = 'true or false';
const NAMES = 'https for HTTPS; http, unknown, an empty name or one ending in .socket for plain HTTP';
const DAY = 'a whole number from 0 to 86400000';
const PORT = 'a whole number from 1 to 65535';

const HANDED = { LISTEN_PID: '1234' };
const ALL_FDS = Array.from({ length: 64 }, () => undefined);
const onNames = (...names: readonly (string | undefined)[]) =>
  ({ http: names.map((name, i) => ({ fd: 3 + i, name })), hasHandedSockets: true });

type Legal = readonly (readonly [text: string, set: object])[];
const REDIRECT_PORTS: Legal = [['1', { redirectPort: 1 }], ['65535', { redirectPort: 65_535 }]];
const HOST_LISTS: Legal = [
  ['*', {}], ['A.EXAMPLE', { allowedHosts: ['A.EXAMPLE'] }], ['a., b.example.', { allowedHosts: ['a.', 'b.example.'] }],
  ['[::1],[2001:db8::7f],2001:DB8::1,10.0.0.1', { allowedHosts: ['::1', '2001:db8::7f', '2001:DB8::1', '10.0.0.1'] }],
];
/** The least and the greatest value, which set `key`. */
const range = (key: string, ...ends: readonly number[]): Legal => ends.map((end) => [String(end), { [key]: end }]);

type Rules = readonly [name: string, legal: Legal, accepted: string, illegal: readonly string[], beside?: object];

/** Of each variable: legal values with what they set, then what is accepted, values that are not, and what is set. */
const VARIABLES: readonly Rules[] = [
  ['HOST', [...LEGAL_HOSTS.map((name): Legal[0] => [name, { http: on(8080, name) }]), ['*', { http: ON_ALL }]],
    'an IP address, a host name, or * for every interface', ILLEGAL_HOSTS],
  ['PORT', [['0', { http: on(0) }], ['65535', { http: on(65_535) }], ['0000000080', { http: on(80) }]],
    'a whole number from 0 to 65535', ILLEGAL_PORTS],
  ['REUSE_PORT', [['true', { http: REUSED }], ['false', {}]], BOOLEAN, ['on']],
  ['HTTPS_PORT', REDIRECT_PORTS, PORT, ['x', '0', '65536']],
  ['HTTPS_REDIRECT_PORT', REDIRECT_PORTS, PORT, ['x', '0', '65536']],
  ['ALLOWED_HOSTS', HOST_LISTS, '*, or host names and IP addresses without ports or zones, separated by commas',
    ILLEGAL_HOST_LISTS],
  ['ACCESS_LOG', [['true', { accessLog: true }], ['false', {}]], BOOLEAN, ['yes', '1', 'TRUE', ' true', 'false\n']],
  ['FAIR', [['true', {}], ['false', { isFair: false }]], BOOLEAN, ['no']],
  ['KEEP_ALIVE_TIMEOUT_MS', range('keepAliveTimeoutMs', 1, 86_400_000), DAY.replace('0', '1'), ['0', '75s']],
  ['MAX_CONNECTIONS', range('maxConnections', 2, 10_000), 'a whole number from 2 to 10000', ['1', '1000001']],
  ['SHUTDOWN_DELAY_MS', range('shutdownDelayMs', 0, 86_400_000), DAY, ['x', '86400001']],
  ['SHUTDOWN_TIMEOUT_MS', range('shutdownTimeoutMs', 0, 86_400_000), DAY, ['-1', '86400001']],
  ['LISTEN_FDS', [['1', onNames(undefined)], ['002', onNames(undefined, undefined)], ['64', onNames(...ALL_FDS)]],
    'a whole number from 1 to 64', ['1x', 'x1', '1.5', '0001', '0', '-1', '65', '999'], HANDED],
  ['LISTEN_FDNAMES', [['http', onNames('http')], ['a.socket', onNames('a.socket')], ['.socket', onNames('.socket')]],
    `1 names separated by colons: ${NAMES}`, ILLEGAL_NAMES, { ...HANDED, LISTEN_FDS: '1' }],
];

test('each variable sets its value, and a mistake in it names the variable, the value and what is accepted', () => {
  for (const [name, legal, accepted, illegal, beside] of VARIABLES) {
    for (const [text, set] of [...(beside ? [] : [['', {}] as const]), ...legal]) {
      assert.deepEqual(read({ ...beside, [name]: text }), { ...DEFAULTS, ...set }, text);
    }
    for (const text of illegal) {
      const mistake = `${name} is ${JSON.stringify(text)}, but must be ${accepted}.`;
      assert.deepEqual(read({ ...beside, [name]: text }), [mistake]);
    }
  }
});

const SAME_PORT = 'HTTPS_PORT and PORT must be different, but both are 8080.';
const NO_KEY = 'TLS_CERT_FILE is set, so TLS_KEY_FILE must be set.';
const NO_CERT = 'TLS_KEY_FILE is set, so TLS_CERT_FILE must be set.';
const NO_PORT = 'TLS files are set, so HTTPS_PORT must be set.';
const NOT_BOTH = 'Both or neither must be set: TLS files, and the name https for a socket in LISTEN_FDNAMES.';
const SOCKET = { ...HANDED, LISTEN_FDS: '1', HOST: '::1', PORT: '443', REUSE_PORT: 'true' };
const SOCKETS = { ...SOCKET, LISTEN_FDS: '2', LISTEN_FDNAMES: 'http:https', ...TLS };
const handed = { http: [{ fd: 3, name: 'http' }], https: [{ fd: 4, name: 'https' }], hasHandedSockets: true };

/** What variables mean together: what they set, or the mistakes. */
for (const [what, ...cases] of [
  ['an empty NODE_ENV does not count as unset; all mistakes are reported at once',
    [{ NODE_ENV: '', TLS_CERT_FILE: '' }, { environment: '' }],
    [{ ...SOCKET, PORT: 'x', TLS_CERT_FILE: 'c', LISTEN_FDS: '0' }, [
      'PORT is "x", but must be a whole number from 0 to 65535.',
      'LISTEN_FDS is "0", but must be a whole number from 1 to 64.', NO_KEY, NOT_BOTH,
    ]]],
  ['plain HTTP is redirected to HTTPS_REDIRECT_PORT, or else to HTTPS_PORT, or else to the port that HTTPS really uses',
    [{ HTTPS_PORT: '8443', HTTPS_REDIRECT_PORT: '443' }, { redirectPort: 443 }], // nothing listens on 8443
    [{ ...TLS, HTTPS_PORT: '8443' }, { tlsFiles, https: on(8443), redirectPort: 8443 }],
    [{ ...TLS, HTTPS_PORT: '0' }, { tlsFiles, https: on(0) }],
    [{ ...TLS, HTTPS_PORT: '0', PORT: '0' }, { tlsFiles, https: on(0), http: on(0) }]], // two free ports differ
  ['TLS needs its certificate, its key and its port, which can be 0 then and differs from PORT',
    [{ TLS_CERT_FILE: 'c', HTTPS_PORT: '8443' }, [NO_KEY]],
    [TLS, [NO_PORT]],
    [{ TLS_KEY_FILE: 'k' }, [NO_CERT, NO_PORT]],
    [{ ...TLS, HTTPS_PORT: '65536' }, ['HTTPS_PORT is "65536", but must be a whole number from 0 to 65535.']],
    [{ HTTPS_PORT: '8080' }, [SAME_PORT]],
    [{ ...TLS, HTTPS_PORT: '8080', PORT: '8080' }, [SAME_PORT]]],
  ['sockets that are handed over replace HOST, PORT and REUSE_PORT; HTTPS_PORT is then the port that clients see',
    [{ ...SOCKETS, HTTPS_PORT: '443' }, { ...handed, tlsFiles, redirectPort: 443 }],
    [{ ...SOCKETS, HTTPS_PORT: '0' }, { ...handed, tlsFiles }],
    [{ ...SOCKET, LISTEN_FDNAMES: 'https' }, [NOT_BOTH]],
    [{ ...SOCKET, ...TLS }, [NOT_BOTH]]],
  ['sockets begin at descriptor 3, and each has its name; variables for another process are ignored',
    [{ ...SOCKET, LISTEN_FDS: '3', LISTEN_FDNAMES: 'unknown::http' }, onNames('unknown', undefined, 'http')],
    [{ LISTEN_PID: '1', LISTEN_FDS: 'x', LISTEN_FDNAMES: 'ftp' }, {}],
    [{ LISTEN_FDS: '1', LISTEN_FDNAMES: 'ftp' }, {}],
    [{ LISTEN_PID: '1234', LISTEN_FDNAMES: 'ftp' }, {}]],
] as const) {
  test(what, () => {
    for (const [env, expected] of cases) {
      assert.deepEqual(read(env), Array.isArray(expected) ? expected : { ...DEFAULTS, ...expected });
    }
  });
}

test('where Node cannot share a port, REUSE_PORT is a mistake', () => {
  for (const [version, platform, isPossible] of [
    ['v22.12.0', 'linux', true], ['v22.23.3', 'linux', true], ['v100.0.0', 'linux', true],
    ['v22.11.9', 'linux', false], ['v22.2.0', 'linux', false], ['v9.0.0', 'linux', false], ['v24.0.0', 'darwin', false],
  ] as const) {
    const mistake = `REUSE_PORT needs Linux and Node 22.12 or later; this is Node ${version} on ${platform}.`;
    const runtime = { pid: 1, version, platform };
    assert.deepEqual(read({ REUSE_PORT: 'true' }, runtime), isPossible ? { ...DEFAULTS, http: REUSED } : [mistake]);
    assert.deepEqual(read({ REUSE_PORT: 'false' }, runtime), DEFAULTS);
  }
});

test('a NODE_ENV that has the letters of Development, but is not exactly that, is almost Development', () => {
  for (const text of ['development', ' DEVELOPMENT\n', '"Development"']) assert.ok(isAlmostDevelopment(text), text);
  for (const text of [null, '', 'Development', 'Production', 'developmental']) assert.ok(!isAlmostDevelopment(text));
});
