import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readHandedSockets } from '../../src/host/handed-sockets.ts';

const PID = 1234;

function read(env: Readonly<Record<string, string>>) {
  const mistakes: string[] = [];
  const sockets = readHandedSockets({ LISTEN_PID: String(PID), ...env }, PID, (mistake) => mistakes.push(mistake));
  return { sockets, mistakes };
}

test('sockets begin at descriptor 3, and without LISTEN_FDNAMES all are for plain HTTP', () => {
  const unnamed = (fd: number) => ({ fd, name: undefined, scheme: 'http' });
  for (const count of ['2', '02', '002']) assert.deepEqual(read({ LISTEN_FDS: count }), { sockets: [unnamed(3), unnamed(4)], mistakes: [] });
  assert.equal(read({ LISTEN_FDS: '64' }).sockets?.length, 64);
});

test('a socket named https is for HTTPS; http, unknown, no name and the name of a socket unit are for plain HTTP', () => {
  const { sockets, mistakes } = read({ LISTEN_FDS: '7', LISTEN_FDNAMES: 'https:http:unknown::greeting.socket:https.socket:.socket' });
  assert.deepEqual(sockets?.map(({ scheme }) => scheme), ['https', 'http', 'http', 'http', 'http', 'http', 'http']);
  assert.deepEqual(sockets?.map(({ name }) => name), ['https', 'http', 'unknown', undefined, 'greeting.socket', 'https.socket', '.socket']);
  assert.deepEqual(mistakes, []);
});

test('variables for another process are ignored, and without LISTEN_PID or LISTEN_FDS there are no sockets', () => {
  const nothing = { sockets: undefined, mistakes: [] };
  assert.deepEqual(read({ LISTEN_FDS: '1', LISTEN_PID: String(PID + 1) }), nothing);
  assert.deepEqual(read({ LISTEN_FDS: '1', LISTEN_PID: '' }), nothing);
  assert.deepEqual(read({ LISTEN_FDS: 'x', LISTEN_PID: '1', LISTEN_FDNAMES: 'ftp' }), nothing);
  assert.deepEqual(read({ LISTEN_FDNAMES: 'https' }), nothing);
  assert.deepEqual(read({ LISTEN_FDS: '0' }).sockets, []);
  assert.equal(readHandedSockets({ LISTEN_FDS: '1' }, PID, () => assert.fail('this is no mistake')), undefined);
});

const pid = 'the id of the process that the sockets are meant for';
const count = 'a whole number from 1 to 64';
const names = 'names separated by colons: https for HTTPS; http, unknown, an empty name or a name that ends in .socket for plain HTTP';
for (const [what, env, expected] of [
  ...['x', `${PID}x`, `x${PID}`].map((value) => [`a LISTEN_PID of ${value}`, { LISTEN_PID: value, LISTEN_FDS: '1' }, [`LISTEN_PID is "${value}", but must be ${pid}.`]] as const),
  ...['1x', 'x1', '1.5', '0001', '0', '-1', '65'].map((value) => [`a LISTEN_FDS of ${value}`, { LISTEN_FDS: value }, [`LISTEN_FDS is "${value}", but must be ${count}.`]] as const),
  ['more sockets than names', { LISTEN_FDS: '2', LISTEN_FDNAMES: 'http' }, ['LISTEN_FDNAMES is "http", but must be as many names as LISTEN_FDS says, 2, separated by colons.']],
  ['more names than sockets', { LISTEN_FDS: '1', LISTEN_FDNAMES: 'http:' }, ['LISTEN_FDNAMES is "http:", but must be as many names as LISTEN_FDS says, 1, separated by colons.']],
  ['unknown names', { LISTEN_FDS: '3', LISTEN_FDNAMES: 'connection:http:HTTPS' }, [`LISTEN_FDNAMES is "connection:http:HTTPS", but must be ${names}.`]],
  ...['htt', 'ahttp', 'httpsa', 'aunknown', 'unknowna', 'socket', 'a.socketa', 'a.Socket'].map((name) => [`the name ${name}`, { LISTEN_FDS: '1', LISTEN_FDNAMES: name }, [`LISTEN_FDNAMES is "${name}", but must be ${names}.`]] as const),
  ['several mistakes', { LISTEN_PID: '-1', LISTEN_FDS: '0', LISTEN_FDNAMES: 'ftp' }, [`LISTEN_PID is "-1", but must be ${pid}.`, `LISTEN_FDS is "0", but must be ${count}.`, `LISTEN_FDNAMES is "ftp", but must be ${names}.`]],
] as const) {
  test(`each mistake is one sentence: ${what}`, () => assert.deepEqual(read(env).mistakes, expected));
}
