// Errors thrown by what a server calls, the handler and the reports, and faults of ours. All errors of a handler are in answer.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as iteration } from 'node:timers/promises';
import { requestBytes } from '../support/exchange.ts';
import { readReplies, startServer, type Options } from '../support/server.ts';
import { closed } from '../support/sockets.ts';

const get = requestBytes('GET', '/', []);
const last = requestBytes('GET', '/');
const noHost = 'GET / HTTP/1.1\r\n\r\n';
const failure = new Error('It failed.');
const fail = () => { throw failure; };

type Case = readonly [whose: string, options: Options, bytes: string, statuses: readonly number[], failures: number];
const cases: readonly Case[] = [
  ['a handler leaves the connection open', { handler: fail }, get + last, [500, 500], 2],
  ['the report of an error ends nothing', { handler: fail, reports: { failed: fail, finished: fail } }, get + last, [500, 500], 0],
  ['the report of a refusal is reported, and the refusal is sent', { reports: { refused: fail } }, noHost, [400], 1],
  ['the report of a request is reported, and the replies are sent', { reports: { finished: fail } }, get + noHost, [200, 400], 2],
];
for (const [whose, options, bytes, statuses, failures] of cases) {
  test(`an error thrown by ${whose}`, { timeout: 60_000 }, async (t) => {
    const server = await startServer(t, options);
    assert.deepEqual(await server.statusesFor(bytes), statuses);
    assert.equal(server.failures.length, failures);
    assert.deepEqual(server.records.map(({ status }) => status), options.reports?.finished === undefined ? statuses : []);
  });
}

test('an error in the report of the end of a connection is reported, and the new connection is served', { timeout: 60_000 }, async (t) => {
  const server = await startServer(t, { maxConnections: 1, reports: { dropped: fail, ended: fail } });
  await server.open();
  const { client } = await server.open();
  client.write(`${get}GET`);
  await readReplies(client, 1);
  client.resetAndDestroy();
  await server.close();
  assert.deepEqual(server.failures, [failure, failure]);
});

test('a change of state that is not in the table is reported, and ends the connection alone', { timeout: 60_000 }, async (t) => {
  const { openInMemory, failures } = await startServer(t);
  const accepted = openInMemory();
  await iteration();
  accepted.emit('finish'); // as if our side had ended
  await closed(accepted);
  assert.deepEqual(failures, [new Error('A connection cannot go from idle to lingering.')]);
});
