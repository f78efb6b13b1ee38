// What a client sends after the last reply is discarded.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { startServer } from '../support/server.ts';

test('what is sent after a refusal is discarded in one read for each turn of the event loop, whoever sends it', { timeout: 20_000 }, async (t) => {
  const { open } = await startServer(t);
  let reads = 0;
  for (let i = 0; i < 3; i += 1) {
    const { client, accepted } = await open();
    client.write('GET\r\n\r\n');
    client.write(Buffer.alloc(2_000_000));
    await once(accepted, 'finish'); // it is refused
    accepted.on('data', () => { reads += 1; });
  }
  let turns = 0;
  while (reads < 40) {
    await turn();
    turns += 1;
  }
  assert.ok(turns > 30, `${turns} turns`); // the turns of the test and of the service may be one apart
});
