import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readHandedSockets } from '../../src/host/handed-sockets.ts';

const PID = 1234;

function read(env: NodeJS.ProcessEnv) {
  const mistakes: string[] = [];
  const sockets = readHandedSockets({ LISTEN_PID: String(PID), ...env }, PID, (mistake) => mistakes.push(mistake));
  return { sockets, mistakes };
}

test('sockets begin at descriptor 3, and each has its name; variables for another process, or without one, are ignored', () => {
  const unnamed = [{ fd: 3, name: undefined }, { fd: 4, name: undefined }];
  for (const count of ['2', '02', '002']) assert.deepEqual(read({ LISTEN_FDS: count }), { sockets: unnamed, mistakes: [] });
  assert.equal(read({ LISTEN_FDS: '64' }).sockets?.length, 64);
  const { sockets, mistakes } = read({ LISTEN_FDS: '6', LISTEN_FDNAMES: 'https:http:unknown::greeting.socket:.socket' });
  const names = sockets?.map(({ name }) => name);
  assert.deepEqual([names, mistakes], [['https', 'http', 'unknown', undefined, 'greeting.socket', '.socket'], []]);
  const other = { LISTEN_FDS: 'x', LISTEN_PID: '1', LISTEN_FDNAMES: 'ftp' };
  for (const env of [other, { LISTEN_FDS: '1', LISTEN_PID: '' }, { LISTEN_FDS: '1', LISTEN_PID: undefined }, { LISTEN_FDNAMES: 'https' }]) {
    assert.deepEqual(read(env), { sockets: undefined, mistakes: [] });
  }
});

for (const [variable, accepted, values, env = {}] of [
  ['LISTEN_PID', 'the id of the process that the sockets are meant for', ['x', `${PID}x`, `x${PID}`]],
  ['LISTEN_FDS', 'a whole number from 1 to 64', ['1x', 'x1', '1.5', '0001', '0', '-1', '65']],
  ['LISTEN_FDNAMES',
    'names separated by colons: https for HTTPS; http, unknown, an empty name or one ending in .socket for plain HTTP',
    ['htt', 'ahttp', 'httpsa', 'aunknown', 'unknowna', 'HTTPS', 'socket', 'a.socketa', 'a.Socket']],
  ['LISTEN_FDNAMES', 'as many names as LISTEN_FDS says, 2, separated by colons', ['http', 'http:https:'], { LISTEN_FDS: '2' }],
] as const) {
  test(`a mistake in ${variable} is one sentence: it must be ${accepted}`, () => {
    for (const value of values) {
      const { mistakes } = read({ LISTEN_FDS: '1', ...env, [variable]: value });
      assert.deepEqual(mistakes, [`${variable} is "${value}", but must be ${accepted}.`]);
    }
  });
}
