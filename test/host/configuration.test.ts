import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAlmostDevelopment, readConfiguration, type Configuration } from '../../src/host/configuration.ts';
import { StartError } from '../../src/host/start-error.ts';

const DEFAULTS = {
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

const PID = 1234;
const LINUX_22_12 = { pid: PID, platform: 'linux', version: 'v22.12.0' } as const;

function mistakesIn(env: Readonly<Record<string, string>>, runtime: Parameters<typeof readConfiguration>[1] = LINUX_22_12): unknown {
  try {
    return readConfiguration(env, runtime);
  } catch (error) {
    return error instanceof StartError && error.exitCode === 78 ? error.reasons : error;
  }
}

const tls = { TLS_CERT_FILE: 'c', TLS_KEY_FILE: 'k' };
const tlsFiles = { certFile: 'c', keyFile: 'k' };
const on = (port: number, host: string | undefined = '127.0.0.1', reusePort = false) => [{ host, port, reusePort }];
const LONGEST_NAME = `a${'b'.repeat(251)}c`;
const HOST_NAMES = [
  'localhost', 'LOCALHOST', 'my_container-1.example.com', 'a', '1a', '1.example', 'a1', 'node-7', '_a_', 'azAZ09', 'zaz', 'ZAZ', '0a9', '9a0', 'a..b', 'a-_.b', 'z', 'Z', LONGEST_NAME,
];

type Case = readonly [env: Readonly<Record<string, string>>, expected: Partial<Configuration>];
const VALUES: readonly (readonly [what: string, ...cases: readonly Case[]])[] = [
  ['every value has a default', [{}, {}]],
  ['an empty value counts as unset, except for NODE_ENV', [{
    HOST: '', PORT: '', HTTPS_PORT: '', HTTPS_REDIRECT_PORT: '', TLS_CERT_FILE: '', TLS_KEY_FILE: '', ALLOWED_HOSTS: '', ACCESS_LOG: '', KEEP_ALIVE_TIMEOUT_MS: '', MAX_CONNECTIONS: '',
    SHUTDOWN_DELAY_MS: '', SHUTDOWN_TIMEOUT_MS: '', REUSE_PORT: '', LISTEN_PID: '', LISTEN_FDS: '', LISTEN_FDNAMES: '', NODE_ENV: '',
  }, { environment: '' }]],
  ['each variable sets its value', [{
    NODE_ENV: 'Development', HOST: '::1', PORT: '0', HTTPS_PORT: '8443', HTTPS_REDIRECT_PORT: '443', ...tls, ALLOWED_HOSTS: 'a.example',
    ACCESS_LOG: 'true', KEEP_ALIVE_TIMEOUT_MS: '1', MAX_CONNECTIONS: '1000000', SHUTDOWN_DELAY_MS: '86400000', SHUTDOWN_TIMEOUT_MS: '0', REUSE_PORT: 'true',
  }, {
    environment: 'Development', http: on(0, '::1', true), https: on(8443, '::1', true), tlsFiles, redirectPort: 443, allowedHosts: ['a.example'],
    accessLog: true, keepAliveTimeoutMs: 1, maxConnections: 1_000_000, shutdownDelayMs: 86_400_000, shutdownTimeoutMs: 0,
  }]],
  ['false is the other value of a boolean variable', [{ ACCESS_LOG: 'false', REUSE_PORT: 'false' }, {}]],
  ['HOST is an IP address or a host name, and * means every interface',
    ...['0.0.0.0', '::', '2001:db8::7f', 'fe80::1%eth0', ...HOST_NAMES].map((name): Case => [{ HOST: name }, { http: on(8080, name) }]),
    [{ HOST: '*' }, { http: [{ host: undefined, port: 8080, reusePort: false }] }]],
  ['PORT is a number from 0 to 65535', ...[0, 1, 80, 65_535].flatMap((port) => [1, 10].map((digits): Case => [{ PORT: String(port).padStart(digits, '0') }, { http: on(port) }]))],
  ['ALLOWED_HOSTS has host names and IP addresses, IPv6 with or without brackets; * means every host',
    [{ ALLOWED_HOSTS: 'A.EXAMPLE, [::1],1a,a1,[2001:db8::7f],2001:DB8::1,10.0.0.1' }, { allowedHosts: ['A.EXAMPLE', '::1', '1a', 'a1', '2001:db8::7f', '2001:DB8::1', '10.0.0.1'] }],
    [{ ALLOWED_HOSTS: '*' }, {}]],
  ['plain HTTP is redirected to HTTPS_REDIRECT_PORT, or else to HTTPS_PORT, or else to the port that HTTPS really uses',
    [{ HTTPS_PORT: '443' }, { redirectPort: 443 }], // without TLS files nothing listens there
    [{ HTTPS_REDIRECT_PORT: '443' }, { redirectPort: 443 }],
    [{ HTTPS_PORT: '8443', HTTPS_REDIRECT_PORT: '443' }, { redirectPort: 443 }],
    [{ ...tls, HTTPS_PORT: '8443' }, { tlsFiles, https: on(8443), redirectPort: 8443 }],
    [{ ...tls, HTTPS_PORT: '0' }, { tlsFiles, https: on(0) }],
    [{ ...tls, HTTPS_PORT: '0', PORT: '0' }, { tlsFiles, https: on(0), http: on(0) }]], // two free ports are not the same port
];
for (const [what, ...cases] of VALUES) {
  test(what, () => {
    for (const [env, expected] of cases) assert.deepEqual(readConfiguration(env, LINUX_22_12), { ...DEFAULTS, ...expected });
  });
}

test('HTTPS_PORT and PORT cannot be the same port', () => {
  const mistake = 'HTTPS_PORT is "8080", but must be another port than PORT, which is for plain HTTP.';
  for (const env of [{ HTTPS_PORT: '8080' }, { ...tls, HTTPS_PORT: '8080', PORT: '8080' }]) assert.deepEqual(mistakesIn(env), [mistake]);
  const notANumber = 'PORT is "x", but must be a whole number from 0 to 65535.';
  assert.deepEqual(mistakesIn({ PORT: 'x', HTTPS_PORT: '8080' }), [notANumber], 'a PORT that is not valid is not the default');
});

const host = 'an IP address, a host name, or * for every interface';
const hosts = '*, or host names and IP addresses without port or zone, separated by commas';
const day = 'a whole number from 0 to 86400000';
const mistakes: readonly (readonly [variable: string, accepted: string, values: readonly string[]])[] = [
  ['HOST', host, [
    ...Array.from('/:@[`{', (next) => `a${next}b`), ...Array.from('/:@[`{-.', (next) => [`${next}ab`, `ab${next}`]).flat(), 'a'.repeat(254), 'a\nb', '1', '0.', 'a b', ' ',
    'http://a', 'a:80', '[::1]', '256.1.1.1', '1.2.3', '-a', 'a-', 'a/', '*.a', '1[::1]', '[2001:db8::7f]',
  ]],
  ['PORT', 'a whole number from 0 to 65535', ['x', '-1', '65536', '80.0', '1e3', '0x50', ' 80', '99999999999', '00000000080', '８０', '80\n']],
  ['HTTPS_PORT', 'a whole number from 1 to 65535', ['x', '0', '65536']],
  ['ALLOWED_HOSTS', hosts, [',', 'a,', 'a,,b', 'a:80', 'a b', 'http://a', '*,a', '[a]', '[::1]:80', '1[::1]', '[::1]1', 'fe80::1%eth0', '[fe80::1%eth0]', 'a;b', 'a/', '*.example.com']],
  ['ACCESS_LOG', 'true or false', ['yes', '1', 'TRUE', ' true']],
  ['KEEP_ALIVE_TIMEOUT_MS', 'a whole number from 1 to 86400000', ['0', '-1', '86400001', '75s']],
  ['HTTPS_REDIRECT_PORT', 'a whole number from 1 to 65535', ['x', '0', '65536']],
  ['MAX_CONNECTIONS', 'a whole number from 1 to 1000000', ['0', '-1', '1000001', '1e3']],
  ['SHUTDOWN_DELAY_MS', day, ['x', '-1', '86400001']],
  ['SHUTDOWN_TIMEOUT_MS', day, ['x', '-1', '10s', '86400001', '1.5']],
  ['REUSE_PORT', 'true or false', ['on']],
];
for (const [variable, accepted, values] of mistakes) {
  test(`a mistake in ${variable} names the variable, the value and what is accepted`, () => {
    for (const value of values) assert.deepEqual(mistakesIn({ [variable]: value }), [`${variable} is ${JSON.stringify(value)}, but must be ${accepted}.`]);
  });
}

test('TLS needs its certificate, its key and its port', () => {
  const noCert = 'TLS_KEY_FILE is set, so TLS_CERT_FILE must be set to the certificate file.';
  const noKey = 'TLS_CERT_FILE is set, so TLS_KEY_FILE must be set to the key file.';
  const noPort = 'TLS files are set, so HTTPS_PORT must be set to the port for HTTPS.';
  assert.deepEqual(mistakesIn({ TLS_CERT_FILE: 'c', HTTPS_PORT: '8443' }), [noKey]);
  assert.deepEqual(mistakesIn(tls), [noPort]);
  assert.deepEqual(mistakesIn({ TLS_CERT_FILE: 'c' }), [noKey, noPort]);
  assert.deepEqual(mistakesIn({ TLS_KEY_FILE: 'k' }), [noCert, noPort]);
});

test('HTTPS_PORT may be 0 only with TLS files', () => {
  const mistake = (accepted: string, value: string) => [`HTTPS_PORT is "${value}", but must be a whole number from ${accepted} to 65535.`];
  for (const value of ['0', '65536']) assert.deepEqual(mistakesIn({ HTTPS_PORT: value }), mistake('1', value));
  assert.deepEqual(mistakesIn({ ...tls, HTTPS_PORT: '65536' }), mistake('0', '65536'));
});

test('REUSE_PORT is a mistake where the system or the version of Node does not have it', () => {
  for (const version of ['v22.12.0', 'v22.23.3', 'v24.0.0', 'v26.10.0']) {
    assert.deepEqual(mistakesIn({ REUSE_PORT: 'true' }, { pid: PID, platform: 'linux', version }), { ...DEFAULTS, http: [{ ...DEFAULTS.http[0], reusePort: true }] });
  }
  for (const [platform, version] of [['linux', 'v20.19.0'], ['linux', 'v22.11.0'], ['darwin', 'v24.0.0'], ['win32', 'v24.0.0']] as const) {
    const mistake = `REUSE_PORT is "true", but needs Linux and Node 22.12 or later; this is Node ${version} on ${platform}.`;
    assert.deepEqual(mistakesIn({ REUSE_PORT: 'true' }, { pid: PID, platform, version }), [mistake]);
    for (const env of [{}, { REUSE_PORT: 'false' }]) assert.deepEqual(mistakesIn(env, { pid: PID, platform, version }), DEFAULTS);
  }
});

test('without a permission for the network, the service cannot start', () => {
  const denied = { has: (name: string) => name !== 'net' };
  const mistake = 'Node is run with --permission, so it needs --allow-net to listen.';
  for (const version of ['v25.0.0', 'v26.10.0']) assert.deepEqual(mistakesIn({}, { pid: PID, platform: 'linux', version, permission: denied }), [mistake]);
  const runtimes = [{ version: 'v24.21.0', permission: denied }, { version: 'v26.10.0', permission: { has: (name: string) => name === 'net' } }, { version: 'v26.10.0' }];
  for (const runtime of runtimes) assert.deepEqual(mistakesIn({}, { pid: PID, platform: 'linux', ...runtime }), DEFAULTS);
});

test('all mistakes are reported at once', () => {
  const env = { HOST: 'a b', PORT: 'x', SHUTDOWN_TIMEOUT_MS: 'y', TLS_CERT_FILE: 'c', REUSE_PORT: 'true' };
  assert.deepEqual(mistakesIn(env, { pid: PID, platform: 'linux', version: 'v20.19.0' }), [
    `HOST is "a b", but must be ${host}.`,
    'PORT is "x", but must be a whole number from 0 to 65535.',
    'TLS_CERT_FILE is set, so TLS_KEY_FILE must be set to the key file.',
    `SHUTDOWN_TIMEOUT_MS is "y", but must be ${day}.`,
    'TLS files are set, so HTTPS_PORT must be set to the port for HTTPS.',
    'REUSE_PORT is "true", but needs Linux and Node 22.12 or later; this is Node v20.19.0 on linux.',
  ]);
});

test('sockets that are handed over replace HOST, PORT and REUSE_PORT; HTTPS_PORT is then the port that clients see', () => {
  const env = { LISTEN_PID: String(PID), LISTEN_FDS: '2', LISTEN_FDNAMES: 'http:https', ...tls, HOST: '::1', PORT: '443', REUSE_PORT: 'true' };
  const configuration = { ...DEFAULTS, http: [{ fd: 3, name: 'http' }], https: [{ fd: 4, name: 'https' }], tlsFiles };
  const node20 = { pid: PID, platform: 'linux', version: 'v20.19.0' } as const;
  assert.deepEqual(readConfiguration(env, node20), configuration);
  assert.deepEqual(readConfiguration({ ...env, HTTPS_PORT: '443' }, node20), { ...configuration, redirectPort: 443 });
  assert.deepEqual(readConfiguration({ ...env, HTTPS_PORT: '0' }, node20), configuration, 'then clients see the port of the socket');
});

test('a socket for HTTPS needs TLS files, and TLS files need a socket for HTTPS', () => {
  const sockets = { LISTEN_PID: String(PID), LISTEN_FDS: '1' };
  assert.deepEqual(mistakesIn({ ...sockets, LISTEN_FDNAMES: 'https' }), ['LISTEN_FDNAMES gives a socket the name https, so TLS_CERT_FILE and TLS_KEY_FILE must be set.']);
  assert.deepEqual(mistakesIn({ ...sockets, ...tls }), ['TLS files are set, so LISTEN_FDNAMES must give one socket the name https.']);
  assert.deepEqual(mistakesIn({ ...sockets, LISTEN_FDS: '0', LISTEN_FDNAMES: 'https:ftp', PORT: 'x' }), [
    'PORT is "x", but must be a whole number from 0 to 65535.',
    'LISTEN_FDS is "0", but must be a whole number from 1 to 64.',
    'LISTEN_FDNAMES is "https:ftp", but must be names separated by colons: https for HTTPS; http, unknown, an empty name or a name that ends in .socket for plain HTTP.',
    'LISTEN_FDNAMES gives a socket the name https, so TLS_CERT_FILE and TLS_KEY_FILE must be set.',
  ]);
});

test('only a NODE_ENV that differs from Development in nothing but case or space is almost Development', () => {
  for (const environment of ['development', 'DEVELOPMENT', ' Development', 'Development\n']) assert.equal(isAlmostDevelopment(environment), true);
  for (const environment of [undefined, '', 'Development', 'Production', 'dev', 'developmental']) assert.equal(isAlmostDevelopment(environment), false);
});
