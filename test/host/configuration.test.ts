import assert from 'node:assert/strict';
import { test } from 'node:test';
import { environmentWarning, readConfiguration } from '../../src/host/configuration.ts';

const DEFAULTS = {
  environment: undefined,
  host: '127.0.0.1',
  port: 8080,
  httpsPort: undefined,
  tlsFiles: undefined,
  allowedHosts: undefined,
  accessLog: false,
  keepAliveTimeoutMs: 75_000,
  shutdownDelayMs: 0,
  shutdownTimeoutMs: 10_000,
  reusePort: false,
};

const LINUX_22_12 = { platform: 'linux', version: 'v22.12.0' } as const;

function mistakesIn(env: Readonly<Record<string, string>>, runtime: Parameters<typeof readConfiguration>[1] = LINUX_22_12): unknown {
  try {
    return readConfiguration(env, runtime);
  } catch (error) {
    return error instanceof Error && 'reasons' in error ? error.reasons : error;
  }
}

test('without variables the defaults hold', () => {
  assert.deepEqual(readConfiguration({}), DEFAULTS);
});

test('an empty value counts as unset, except for NODE_ENV', () => {
  const names = ['HOST', 'PORT', 'HTTPS_PORT', 'TLS_CERT_FILE', 'TLS_KEY_FILE', 'ALLOWED_HOSTS', 'ACCESS_LOG', 'KEEP_ALIVE_TIMEOUT_MS', 'SHUTDOWN_DELAY_MS', 'SHUTDOWN_TIMEOUT_MS', 'REUSE_PORT', 'NODE_ENV'];
  const env = Object.fromEntries(names.map((name) => [name, '']));
  assert.deepEqual(readConfiguration(env), { ...DEFAULTS, environment: '' });
});

test('each variable sets its value', () => {
  const env = {
    NODE_ENV: 'Development', HOST: '::1', PORT: '0', HTTPS_PORT: '0', TLS_CERT_FILE: 'c', TLS_KEY_FILE: 'k', ALLOWED_HOSTS: 'a.example, [::1],10.0.0.1',
    ACCESS_LOG: 'true', KEEP_ALIVE_TIMEOUT_MS: '1', SHUTDOWN_DELAY_MS: '86400000', SHUTDOWN_TIMEOUT_MS: '0', REUSE_PORT: 'true',
  };
  assert.deepEqual(readConfiguration(env, LINUX_22_12), {
    environment: 'Development', host: '::1', port: 0, httpsPort: 0, tlsFiles: { certFile: 'c', keyFile: 'k' }, allowedHosts: ['a.example', '::1', '10.0.0.1'],
    accessLog: true, keepAliveTimeoutMs: 1, shutdownDelayMs: 86_400_000, shutdownTimeoutMs: 0, reusePort: true,
  });
});

test('HOST is an address or a host name, and * is every interface', () => {
  for (const host of ['0.0.0.0', '::', 'localhost', 'my_container-1.example.com', 'a']) {
    assert.equal(readConfiguration({ HOST: host }).host, host);
  }
  assert.equal(readConfiguration({ HOST: '*' }).host, undefined);
});

test('ALLOWED_HOSTS=* is every host', () => {
  assert.equal(readConfiguration({ ALLOWED_HOSTS: '*' }).allowedHosts, undefined);
});

test('PORT is 0 to 65535', () => {
  for (const port of [0, 1, 80, 65_535]) assert.equal(readConfiguration({ PORT: String(port) }).port, port);
});

const host = 'an IP address, a host name, or * for every interface';
const hosts = '*, or host names and IP addresses without a port, separated by commas';
const day = 'a whole number from 0 to 86400000';
const mistakes: readonly (readonly [variable: string, accepted: string, values: readonly string[]])[] = [
  ['HOST', host, ['a b', ' ', 'http://a', 'a:80', '[::1]', '256.1.1.1', '1.2.3', '-a', 'a/b', '*.a']],
  ['PORT', 'a whole number from 0 to 65535', ['x', '-1', '65536', '80.0', '1e3', '0x50', ' 80', '99999999999', '８０']],
  ['HTTPS_PORT', 'a whole number from 1 to 65535', ['x', '0', '65536']],
  ['ALLOWED_HOSTS', hosts, [',', 'a,', 'a,,b', 'a:80', 'a b', 'http://a', '*,a', '[a]', '[::1]:80', 'a;b', '*.example.com']],
  ['ACCESS_LOG', 'true or false', ['yes', '1', 'TRUE', ' true']],
  ['KEEP_ALIVE_TIMEOUT_MS', 'a whole number from 1 to 86400000', ['0', '-1', '86400001', '75s']],
  ['SHUTDOWN_DELAY_MS', day, ['x', '-1', '86400001']],
  ['SHUTDOWN_TIMEOUT_MS', day, ['x', '-1', '10s', '86400001', '1.5']],
  ['REUSE_PORT', 'true or false', ['on']],
];
for (const [variable, accepted, values] of mistakes) {
  test(`a mistake in ${variable} names the variable, the value and what is accepted`, () => {
    for (const value of values) {
      assert.deepEqual(mistakesIn({ [variable]: value }), [`${variable} is ${JSON.stringify(value)}, but must be ${accepted}.`]);
    }
  });
}

test('TLS needs its certificate, its key and its port', () => {
  const noCert = 'TLS_KEY_FILE is set, so TLS_CERT_FILE must be set to the certificate file.';
  const noKey = 'TLS_CERT_FILE is set, so TLS_KEY_FILE must be set to the key file.';
  const noPort = 'TLS files are set, so HTTPS_PORT must be set to the port for HTTPS.';
  assert.deepEqual(mistakesIn({ TLS_CERT_FILE: 'c', HTTPS_PORT: '8443' }), [noKey]);
  assert.deepEqual(mistakesIn({ TLS_KEY_FILE: 'k', HTTPS_PORT: '8443' }), [noCert]);
  assert.deepEqual(mistakesIn({ TLS_CERT_FILE: 'c', TLS_KEY_FILE: 'k' }), [noPort]);
  assert.deepEqual(mistakesIn({ TLS_CERT_FILE: 'c' }), [noKey, noPort]);
});

test('REUSE_PORT is a mistake where there is no such thing', () => {
  for (const version of ['v22.12.0', 'v22.23.3', 'v24.0.0', 'v26.10.0']) {
    assert.deepEqual(mistakesIn({ REUSE_PORT: 'true' }, { platform: 'linux', version }), { ...DEFAULTS, reusePort: true });
  }
  for (const [platform, version] of [['linux', 'v20.19.0'], ['linux', 'v22.11.0'], ['darwin', 'v24.0.0'], ['win32', 'v24.0.0']] as const) {
    const mistake = `REUSE_PORT is "true", but needs Linux and Node 22.12 or later; this is Node ${version} on ${platform}.`;
    assert.deepEqual(mistakesIn({ REUSE_PORT: 'true' }, { platform, version }), [mistake]);
  }
});

test('all mistakes are reported at once', () => {
  assert.deepEqual(mistakesIn({ HOST: 'a b', PORT: 'x', SHUTDOWN_TIMEOUT_MS: 'y', TLS_CERT_FILE: 'c', REUSE_PORT: 'true' }, { platform: 'linux', version: 'v20.19.0' }), [
    `HOST is "a b", but must be ${host}.`,
    'TLS_CERT_FILE is set, so TLS_KEY_FILE must be set to the key file.',
    'TLS files are set, so HTTPS_PORT must be set to the port for HTTPS.',
    'PORT is "x", but must be a whole number from 0 to 65535.',
    `SHUTDOWN_TIMEOUT_MS is "y", but must be ${day}.`,
    'REUSE_PORT is "true", but needs Linux and Node 22.12 or later; this is Node v20.19.0 on linux.',
  ]);
});

test('a NODE_ENV that differs from Development only in case or space deserves a warning', () => {
  for (const environment of ['development', 'DEVELOPMENT', ' Development', 'Development\n']) {
    const warning = `NODE_ENV is ${JSON.stringify(environment)}, which is not Development: the API description is off.`;
    assert.equal(environmentWarning(environment), warning);
  }
  for (const environment of [undefined, '', 'Development', 'Production', 'dev', 'developmental']) {
    assert.equal(environmentWarning(environment), undefined);
  }
});
