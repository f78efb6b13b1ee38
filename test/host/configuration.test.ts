// With the sockets that handed-sockets.ts reads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectionsIn, isAlmostDevelopment, readConfiguration } from '../../src/host/configuration.ts';

const LINUX = { pid: 1234, platform: 'linux', version: 'v22.12.0' } as const;
const HANDED = { LISTEN_PID: '1234' }; // as `pid`
const TLS = { TLS_CERT_FILE: 'c', TLS_KEY_FILE: 'k' };
const tlsFiles = { certFile: 'c', keyFile: 'k' };
const on = (port: number, host = '127.0.0.1', reusePort = false) => [{ host, port, reusePort }];
const SHARED = on(8080, '127.0.0.1', true);

const DEFAULTS = {
  environment: null, http: on(8080), https: [], hasHandedSockets: false, tlsFiles: undefined, redirectPort: undefined,
  allowedHosts: undefined, accessLog: false, keepAliveTimeoutMs: 75_000, maxConnections: 1_000, isBalancer: undefined,
  isTrustedProxy: undefined, shutdownDelayMs: 500, shutdownTimeoutMs: 10_000,
};

/** The configuration must differ from the default one in `expected`; or, if that is an array, have these mistakes. */
function check(env: NodeJS.ProcessEnv, expected: object, runtime: Parameters<typeof readConfiguration>[1] = LINUX) {
  const read = () => readConfiguration(env, runtime);
  if (!Array.isArray(expected)) return assert.deepEqual([env, read()], [env, { ...DEFAULTS, ...expected }]);
  assert.throws(read, { message: expected.join('\n'), reasons: expected, exitCode: 78 }, JSON.stringify(env));
}

function checkMistakes(name: string, values: readonly string[], accepted: string, beside: object = {}): void {
  for (const text of values) {
    check({ ...beside, [name]: text }, [`${name} is ${JSON.stringify(text)}, but must be ${accepted}.`]);
  }
}

test('a number is a whole one with one to ten digits, between two others', () => {
  const key = (name: string) => (value: number) => ({ [name]: value });
  for (const [name, least, most, set] of [
    ['PORT', 0, 65_535, (port: number) => ({ http: on(port) })],
    ['HTTPS_PORT', 1, 65_535, key('redirectPort')], // nothing listens on it
    ['HTTPS_REDIRECT_PORT', 1, 65_535, key('redirectPort')],
    ['KEEP_ALIVE_TIMEOUT_MS', 1, 86_400_000, key('keepAliveTimeoutMs')],
    ['MAX_CONNECTIONS', 2, 10_000, key('maxConnections')],
    ['SHUTDOWN_DELAY_MS', 0, 86_400_000, key('shutdownDelayMs')],
    ['SHUTDOWN_TIMEOUT_MS', 0, 86_400_000, key('shutdownTimeoutMs')],
  ] as const) {
    check({ [name]: String(least).padStart(10, '0') }, set(least));
    check({ [name]: String(most) }, set(most));
    const illegal = ['x', '8.0', '1e3', '0x50', ' 80', '75s', '99999999999', '00000000080', '８０', '80\n'];
    checkMistakes(name, [...illegal, String(least - 1), String(most + 1)], `a whole number from ${least} to ${most}`);
  }
});

test('what is on or off is true or false', () => {
  for (const [name, set] of [['REUSE_PORT', { http: SHARED }], ['ACCESS_LOG', { accessLog: true }]] as const) {
    check({ [name]: 'false' }, {});
    check({ [name]: 'true' }, set);
    checkMistakes(name, ['yes', '1', 'TRUE', ' true', 'false\n'], 'true or false');
  }
});

test('a host is an IP address or a name; in a list, addresses have no zone', () => {
  const longest = `a${'b'.repeat(251)}c`;
  for (const host of [
    '0.0.0.0', '::', 'fe80::1%eth0', 'a', '_a_', 'azAZ09', 'zaz', '0a9', '9a0', 'a-_..b', longest, `${longest}.`,
  ]) check({ HOST: host }, { http: on(8080, host) });
  check({ HOST: '*' }, { http: [{ host: undefined, port: 8080, reusePort: false }] });
  checkMistakes('HOST', [
    ...Array.from('/:@[`{', (next) => [`a${next}b`, `${next}ab`, `ab${next}`]).flat(), '-ab', 'ab-', '.ab', '.', 'ab..',
    'ab-.', 'a'.repeat(254), '127.0.0.1.', '::1.', 'a\nb', '1', '0.', 'a b', ' ', '[::1]', '256.1.1.1', '*.a',
  ], 'an IP address, a host name, or * for every interface');
  for (const [text, allowedHosts] of [
    ['*', undefined], ['A.EXAMPLE', ['A.EXAMPLE']], ['a., b.example.', ['a.', 'b.example.']],
    ['[::1],[2001:db8::7f],2001:DB8::1,10.0.0.1', ['::1', '2001:db8::7f', '2001:DB8::1', '10.0.0.1']],
  ] as const) check({ ALLOWED_HOSTS: text }, { allowedHosts });
  checkMistakes('ALLOWED_HOSTS', [
    'a,', 'a:80', 'a b', '*,a', 'a,*', '[a]', '[::1]:80', '1[::1]', '[::1]1', '10.0.0.1.', 'fe80::1%eth0',
  ], '*, or host names and IP addresses without ports or zones, separated by commas');
});

test('sockets begin at descriptor 3, and each has its name; variables for another process are ignored', () => {
  for (const [LISTEN_FDS, LISTEN_FDNAMES, ...names] of [
    ['64', '', ...new Array<undefined>(64)], ['002', 'unknown:', 'unknown', undefined],
    ['1', '', undefined], ['1', 'http', 'http'], ['2', '.socket:a.socket', '.socket', 'a.socket'],
  ] as const) {
    const http = names.map((name, i) => ({ fd: 3 + i, name }));
    check({ ...HANDED, LISTEN_FDS, LISTEN_FDNAMES }, { http, hasHandedSockets: true });
  }
  checkMistakes('LISTEN_FDS', ['1x', 'x1', '1.5', '0001', '0', '-1', '65'], 'a whole number from 1 to 64', HANDED);
  const kinds = 'https for HTTPS; http, unknown, an empty name or one ending in .socket for plain HTTP';
  checkMistakes('LISTEN_FDNAMES', [
    'htt', 'ahttp', 'httpsa', 'aunknown', 'unknowna', 'HTTPS', 'socket', 'a.socketa', 'a.Socket', 'http:http',
  ], `1 names separated by colons: ${kinds}`, { ...HANDED, LISTEN_FDS: '1' });
  for (const env of [{ LISTEN_PID: '1', LISTEN_FDS: 'x' }, { LISTEN_FDS: '1' }, HANDED]) {
    check({ ...env, LISTEN_FDNAMES: 'ftp' }, {});
  }
});

test('sockets that are handed over replace HOST, PORT and REUSE_PORT; HTTPS_PORT is then what clients see', () => {
  const one = { ...HANDED, LISTEN_FDS: '1', HOST: '::1', PORT: '443', REUSE_PORT: 'true' };
  const two = { ...one, ...TLS, LISTEN_FDS: '2', LISTEN_FDNAMES: 'http:https' };
  const set = { http: [{ fd: 3, name: 'http' }], https: [{ fd: 4, name: 'https' }], hasHandedSockets: true, tlsFiles };
  check({ ...two, HTTPS_PORT: '443' }, { ...set, redirectPort: 443 });
  check({ ...two, HTTPS_PORT: '0' }, set);
  const mistakes = ['Both or neither must be set: TLS files, and the name https for a socket in LISTEN_FDNAMES.'];
  check({ ...one, LISTEN_FDNAMES: 'https' }, mistakes);
  check({ ...one, ...TLS }, mistakes);
});

test('TLS needs its certificate, its key and its port, which can be 0 then, and differs from PORT', () => {
  check({ ...TLS, HTTPS_PORT: '8443', HTTPS_REDIRECT_PORT: '1' }, { tlsFiles, https: on(8443), redirectPort: 1 });
  const noPort = 'TLS files are set, so HTTPS_PORT must be set.';
  check(TLS, [noPort]);
  const noPair = 'TLS_CERT_FILE and TLS_KEY_FILE must both be set, or neither.';
  check({ TLS_KEY_FILE: 'k' }, [noPair, noPort]);
  check({ TLS_CERT_FILE: 'c', HTTPS_PORT: '1' }, [noPair]);
  check({ ...TLS, HTTPS_PORT: '0', PORT: '0' }, { tlsFiles, https: on(0), http: on(0) }); // two free ports differ
  checkMistakes('HTTPS_PORT', ['65536'], 'a whole number from 0 to 65535', TLS);
  check({ HTTPS_PORT: '8080' }, ['HTTPS_PORT and PORT must be different, but both are 8080.']);
});

test('load balancers and proxies are IP addresses, networks, and those on a Unix socket', () => {
  for (const [text, listed, others] of [
    ['192.0.2.7,10.1.2.3/8 , 2001:DB8::/32,::1,fe80::/10', [
      '192.0.2.7', '10.0.0.0', '10.255.255.255', '2001:db8:ffff::', '::1', '::ffff:10.0.0.1', 'fe80::1%eth0',
    ], ['192.0.2.6', '192.0.2.8', '9.255.255.255', '11.0.0.0', '2001:db9::', '::2', '::ffff:11.0.0.1', undefined]],
    [' unix ', [undefined], ['::', '0.0.0.0']], ['192.0.2.7,unix', ['192.0.2.7', undefined], ['192.0.2.8']],
  ] as const) {
    const { isBalancer, isTrustedProxy } = readConfiguration({ PROXY_PROTOCOL: text, TRUSTED_PROXIES: text });
    for (const isListed of [isBalancer, isTrustedProxy]) {
      assert.deepEqual([...listed, ...others].filter((one) => isListed?.(one)), listed);
    }
  }
  for (const name of ['PROXY_PROTOCOL', 'TRUSTED_PROXIES']) checkMistakes(name, [
    '*', '192.0.2.7/33', '::/129', '::/1000', '10.0.0.0/08', '10/8', '10.0.0.0/', '10.0.0.0/255.0.0.0', '256.0.0.1',
    '::1%lo', '[::1]', 'a.example', '::1,', '::1 ::2', 'x::1', '::1x', 'Unix', 'unix:/run/a',
  ], 'IP addresses, networks such as 10.0.0.0/8 or 2001:db8::/32, and unix for Unix sockets, separated by commas');
});

test('where Node cannot share a port, REUSE_PORT is a mistake', () => {
  for (const [version, platform, isPossible] of [
    ['v22.12.0', 'linux', true], ['v22.23.3', 'linux', true], ['v100.0.0', 'linux', true], ['v24.0.0', 'darwin', false],
    ['v22.11.9', 'linux', false], ['v22.2.0', 'linux', false], ['v9.0.0', 'linux', false],
  ] as const) {
    const mistake = `REUSE_PORT needs Linux and Node 22.12 or later; this is Node ${version} on ${platform}.`;
    check({ REUSE_PORT: 'true' }, isPossible ? { http: SHARED } : [mistake], { pid: 1, version, platform });
    check({ REUSE_PORT: 'false' }, {}, { pid: 1, version, platform });
  }
});

test('an empty value counts as unset, except in NODE_ENV, which may be Development, or nearly that', () => {
  const names = ['HOST', 'PORT', 'HTTPS_PORT', 'TLS_CERT_FILE', 'ALLOWED_HOSTS', 'PROXY_PROTOCOL', 'NODE_ENV'];
  check(Object.fromEntries(names.map((name) => [name, ''])), { environment: '' });
  for (const text of ['development', ' DEVELOPMENT\n', '"Development"']) assert.ok(isAlmostDevelopment(text), text);
  for (const text of [null, '', 'Development', 'Production', 'developmental']) assert.ok(!isAlmostDevelopment(text));
});

test('as many connections fit as heap and memory both hold, and none is too small to start', () => {
  for (const [heapMiB, memoryMiB, fit] of [
    [16, 1_000, 2], [64, 1_000, 438], [128, 1_000, 1_024], [259, 64, 2], [259, 256, 655], [64, 256, 438],
  ] as const) assert.equal(connectionsIn(heapMiB * 2 ** 20, memoryMiB * 2 ** 20), fit);
});
