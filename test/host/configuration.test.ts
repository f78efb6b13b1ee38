import assert from 'node:assert/strict';
import { test } from 'node:test';
import { environmentWarning, readConfiguration } from '../../src/host/configuration.ts';

const DEFAULTS = { environment: undefined, host: '127.0.0.1', port: 8080, shutdownTimeoutMs: 10_000 };

test('without variables the defaults hold', () => {
  assert.deepEqual(readConfiguration({}), DEFAULTS);
});

test('an empty value counts as unset, except for NODE_ENV', () => {
  assert.deepEqual(readConfiguration({ HOST: '', PORT: '', SHUTDOWN_TIMEOUT_MS: '', NODE_ENV: '' }), { ...DEFAULTS, environment: '' });
});

test('each variable sets its value', () => {
  const env = { NODE_ENV: 'Development', HOST: '::1', PORT: '0', SHUTDOWN_TIMEOUT_MS: '0' };
  assert.deepEqual(readConfiguration(env), { environment: 'Development', host: '::1', port: 0, shutdownTimeoutMs: 0 });
});

test('HOST is an address or a host name, and * is every interface', () => {
  for (const host of ['0.0.0.0', '::', 'localhost', 'my_container-1.example.com', 'a']) {
    assert.equal(readConfiguration({ HOST: host }).host, host);
  }
  assert.equal(readConfiguration({ HOST: '*' }).host, undefined);
});

test('PORT is 0 to 65535', () => {
  for (const port of [0, 1, 80, 65_535]) assert.equal(readConfiguration({ PORT: String(port) }).port, port);
});

const mistakes: readonly (readonly [variable: string, accepted: string, values: readonly string[]])[] = [
  ['HOST', 'an IP address, a host name, or * for every interface', ['a b', ' ', 'http://a', 'a:80', '[::1]', '256.1.1.1', '1.2.3', '-a', 'a/b', '*.a']],
  ['PORT', 'a whole number from 0 to 65535', ['x', '-1', '65536', '80.0', '1e3', '0x50', ' 80', '99999999999', '８０']],
  ['SHUTDOWN_TIMEOUT_MS', 'a whole number from 0 to 2147483647', ['x', '-1', '10s', '2147483648', '1.5']],
];
for (const [variable, accepted, values] of mistakes) {
  test(`a mistake in ${variable} names the variable, the value and what is accepted`, () => {
    for (const value of values) {
      assert.throws(() => readConfiguration({ [variable]: value }), {
        reasons: [`${variable} is ${JSON.stringify(value)}, but must be ${accepted}.`],
      });
    }
  });
}

test('all mistakes are reported at once', () => {
  assert.throws(() => readConfiguration({ HOST: 'a b', PORT: 'x', SHUTDOWN_TIMEOUT_MS: 'y' }), (error: unknown) => {
    assert.ok(error instanceof Error && 'reasons' in error && Array.isArray(error.reasons));
    assert.equal(error.reasons.length, 3);
    return true;
  });
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
