import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAlmostDevelopment, readConfiguration } from '../../src/host/configuration.ts';
import { StartError } from '../../src/host/start-error.ts';

const DEFAULTS = {
  server: 'strict',
  environment: undefined,
  http: [{ host: '127.0.0.1', port: 8080, reusePort: false }],
  https: [],
  tlsFiles: undefined,
  redirectPort: undefined,
  allowedHosts: undefined,
  accessLog: false,
  keepAliveTimeoutMs: 75_000,
  maxConnections: 1_000,
  shutdownDelayMs: 0,
  shutdownTimeoutMs: 10_000,
};

const NODE_22 = { pid: 1234, platform: 'linux', version: 'v22.12.0' } as const;

/** The configuration, or the mistakes in it. */
function read(env: Readonly<Record<string, string>>, runtime: Parameters<typeof readConfiguration>[1] = NODE_22): unknown {
  try {
    return readConfiguration(env, runtime);
  } catch (error) {
    return error instanceof StartError && error.exitCode === 78 && error.message === error.reasons.join('\n') ? error.reasons : error;
  }
}

const on = (port: number, host: string | undefined = '127.0.0.1', reusePort = false) => [{ host, port, reusePort }];
const ON_ALL = [{ host: undefined, port: 8080, reusePort: false }];
const REUSED = on(8080, '127.0.0.1', true);
const TLS = { TLS_CERT_FILE: 'c', TLS_KEY_FILE: 'k' };
const tlsFiles = { certFile: 'c', keyFile: 'k' };

const LEGAL_HOSTS = [
  '0.0.0.0', '::', '2001:db8::7f', 'fe80::1%eth0', 'localhost', 'my_container-1.example.com', 'a', 'Z', '1a', 'a1', '_a_',
  'azAZ09', 'zaz', '0a9', '9a0', 'a..b', 'a-_.b', `a${'b'.repeat(251)}c`, 'svc.example.', 'a.', `a${'b'.repeat(251)}c.`,
];
const ILLEGAL_HOSTS = [
  ...Array.from('/:@[`{', (next) => `a${next}b`), ...Array.from('/:@[`{-', (next) => [`${next}ab`, `ab${next}`]).flat(), 'a'.repeat(254),
  '.ab', '.', 'ab..', 'ab-.', '127.0.0.1.', '::1.', 'a\nb', '1', '0.', 'a b', ' ', 'http://a', '[::1]', '256.1.1.1', '1.2.3', '*.a',
  '1[::1]',
];
const DAY = 'a whole number from 0 to 86400000';
const PORT = 'a whole number from 1 to 65535';

type Legal = readonly (readonly [text: string, set: object])[];
const REDIRECT_PORTS: Legal = [['1', { redirectPort: 1 }], ['65535', { redirectPort: 65_535 }]];

/** Of each variable: legal values with what they set, then what is accepted, and values that are not. */
const VARIABLES: readonly (readonly [name: string, legal: Legal, accepted: string, illegal: readonly string[]])[] = [
  ['SERVER', [['strict', {}], ['node', { server: 'node' }]], 'strict or node', ['Node', 'node:http', ' node']],
  ['HOST', [...LEGAL_HOSTS.map((name): Legal[0] => [name, { http: on(8080, name) }]), ['*', { http: ON_ALL }]],
    'an IP address, a host name, or * for every interface', ILLEGAL_HOSTS],
  ['PORT', [['0', { http: on(0) }], ['65535', { http: on(65_535) }], ['0000000080', { http: on(80) }]],
    'a whole number from 0 to 65535', ['x', '-1', '65536', '80.0', '1e3', '0x50', ' 80', '99999999999', '00000000080', '８０', '80\n']],
  ['REUSE_PORT', [['true', { http: REUSED }], ['false', {}]], 'true or false', ['on']],
  ['HTTPS_PORT', REDIRECT_PORTS, PORT, ['x', '0', '65536']],
  ['HTTPS_REDIRECT_PORT', REDIRECT_PORTS, PORT, ['x', '0', '65536']],
  ['ALLOWED_HOSTS', [
    ['*', {}], ['A.EXAMPLE', { allowedHosts: ['A.EXAMPLE'] }], ['a., b.example.', { allowedHosts: ['a.', 'b.example.'] }],
    ['a, [::1],[2001:db8::7f],2001:DB8::1,10.0.0.1', { allowedHosts: ['a', '::1', '2001:db8::7f', '2001:DB8::1', '10.0.0.1'] }],
  ], '*, or host names and IP addresses without ports or zones, separated by commas',
    [',', 'a,', 'a:80', 'a b', '*,a', 'a,*', '*.a', '[a]', '[::1]:80', '1[::1]', '[::1]1', '[::1].', 'a..', '10.0.0.1.', 'fe80::1%eth0',
      '[fe80::1%eth0]', 'a;b']],
  ['ACCESS_LOG', [['true', { accessLog: true }], ['false', {}]], 'true or false', ['yes', '1', 'TRUE', ' true']],
  ['KEEP_ALIVE_TIMEOUT_MS', [['1', { keepAliveTimeoutMs: 1 }], ['86400000', { keepAliveTimeoutMs: 86_400_000 }]],
    'a whole number from 1 to 86400000', ['0', '-1', '86400001', '75s']],
  ['MAX_CONNECTIONS', [['2', { maxConnections: 2 }], ['1000000', { maxConnections: 1_000_000 }]],
    'a whole number from 2 to 1000000', ['1', '1000001']],
  ['SHUTDOWN_DELAY_MS', [['0', {}], ['86400000', { shutdownDelayMs: 86_400_000 }]], DAY, ['x', '-1', '86400001']],
  ['SHUTDOWN_TIMEOUT_MS', [['0', { shutdownTimeoutMs: 0 }], ['86400000', { shutdownTimeoutMs: 86_400_000 }]], DAY, ['x', '-1', '86400001']],
];
for (const [name, legal, accepted, illegal] of VARIABLES) {
  test(`${name} sets its value, and a mistake in it names the variable, the value and what is accepted`, () => {
    for (const [text, set] of [['', {}] as const, ...legal]) assert.deepEqual(read({ [name]: text }), { ...DEFAULTS, ...set }, text);
    for (const text of illegal) assert.deepEqual(read({ [name]: text }), [`${name} is ${JSON.stringify(text)}, but must be ${accepted}.`]);
  });
}

const SAME_PORT = 'HTTPS_PORT is "8080", but must be a different port from PORT, which is for plain HTTP.';
const NO_KEY = 'TLS_CERT_FILE is set, so TLS_KEY_FILE must be set to the key file.';
const NO_PORT = 'TLS files are set, so HTTPS_PORT must be set to the port for HTTPS.';
const NO_SOCKET = 'TLS files are set, so LISTEN_FDNAMES must give one socket the name https.';
const SOCKET = { LISTEN_PID: '1234', LISTEN_FDS: '1' };
const SOCKETS = { ...SOCKET, LISTEN_FDS: '2', LISTEN_FDNAMES: 'http:https', ...TLS, HOST: '::1', PORT: '443', REUSE_PORT: 'true' };
const ON_SOCKETS = { http: [{ fd: 3, name: 'http' }], https: [{ fd: 4, name: 'https' }], tlsFiles };

/** What variables mean together: what they set, or the mistakes. */
for (const [what, ...cases] of [
  ['an empty NODE_ENV does not count as unset', [{ NODE_ENV: '', TLS_CERT_FILE: '', TLS_KEY_FILE: '' }, { environment: '' }]],
  ['plain HTTP is redirected to HTTPS_REDIRECT_PORT, or else to HTTPS_PORT, or else to the port that HTTPS really uses',
    [{ HTTPS_PORT: '8443', HTTPS_REDIRECT_PORT: '443' }, { redirectPort: 443 }], // without TLS files nothing listens there
    [{ ...TLS, HTTPS_PORT: '8443' }, { tlsFiles, https: on(8443), redirectPort: 8443 }],
    [{ ...TLS, HTTPS_PORT: '0' }, { tlsFiles, https: on(0) }],
    [{ ...TLS, HTTPS_PORT: '0', PORT: '0' }, { tlsFiles, https: on(0), http: on(0) }]], // two free ports are not the same port
  ['TLS needs its certificate, its key and its port, which can be 0 then',
    [{ TLS_CERT_FILE: 'c', HTTPS_PORT: '8443' }, [NO_KEY]],
    [TLS, [NO_PORT]],
    [{ TLS_KEY_FILE: 'k' }, ['TLS_KEY_FILE is set, so TLS_CERT_FILE must be set to the certificate file.', NO_PORT]],
    [{ ...TLS, HTTPS_PORT: '65536' }, ['HTTPS_PORT is "65536", but must be a whole number from 0 to 65535.']]],
  ['HTTPS_PORT and PORT cannot be the same port',
    [{ HTTPS_PORT: '8080' }, [SAME_PORT]],
    [{ ...TLS, HTTPS_PORT: '8080', PORT: '8080' }, [SAME_PORT]],
    [{ PORT: 'x', HTTPS_PORT: '8080' }, ['PORT is "x", but must be a whole number from 0 to 65535.']]], // it is not the default then
  ['sockets that are handed over replace HOST, PORT and REUSE_PORT; HTTPS_PORT is then the port that clients see',
    [{ ...SOCKETS, HTTPS_PORT: '443' }, { ...ON_SOCKETS, redirectPort: 443 }],
    [{ ...SOCKETS, HTTPS_PORT: '0' }, ON_SOCKETS],
    [{ ...SOCKET, LISTEN_FDNAMES: 'https' },
      ['LISTEN_FDNAMES names a socket https, so TLS_CERT_FILE and TLS_KEY_FILE must be set.']]],
  ['all mistakes are reported at once',
    [{ PORT: 'x', TLS_CERT_FILE: 'c', ...SOCKET, LISTEN_FDS: '0', SHUTDOWN_DELAY_MS: 'y' }, [
      'PORT is "x", but must be a whole number from 0 to 65535.', NO_KEY, 'LISTEN_FDS is "0", but must be a whole number from 1 to 64.',
      `SHUTDOWN_DELAY_MS is "y", but must be ${DAY}.`, NO_SOCKET,
    ]]],
] as const) {
  test(what, () => {
    for (const [env, expected] of cases) assert.deepEqual(read(env), Array.isArray(expected) ? expected : { ...DEFAULTS, ...expected });
  });
}

const needs = (node: string) => [`REUSE_PORT is "true", but needs Linux and Node 22.12 or later; this is Node ${node}.`];
test('where Node cannot share a port, REUSE_PORT is a mistake', () => {
  for (const [runtime, reusing] of [
    ...['v22.12.0', 'v22.23.3', 'v24.0.0', 'v100.0.0'].map((version) => [{ version }, { ...DEFAULTS, http: REUSED }] as const),
    ...['v22.11.9', 'v22.2.0', 'v9.0.0'].map((version) => [{ version }, needs(`${version} on linux`)] as const),
    [{ platform: 'darwin', version: 'v24.0.0' }, needs('v24.0.0 on darwin')],
  ] as const) {
    assert.deepEqual(read({ REUSE_PORT: 'true' }, { ...NODE_22, ...runtime }), reusing);
    assert.deepEqual(read({ REUSE_PORT: 'false' }, { ...NODE_22, ...runtime }), DEFAULTS);
  }
});

test('only a NODE_ENV that differs from Development in nothing except case or space is almost Development', () => {
  for (const environment of ['development', 'DEVELOPMENT', ' Development', 'Development\n']) assert.ok(isAlmostDevelopment(environment));
  for (const environment of [undefined, '', 'Development', 'Production', 'developmental']) assert.ok(!isAlmostDevelopment(environment));
});
