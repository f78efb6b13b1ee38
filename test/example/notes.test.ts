import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfiguration } from '../../src/host/configuration.ts';
import { temporaryFolder } from '../support/certificates.ts';
import { listenOnPort } from '../support/sockets.ts';
import { createNotes } from './notes.ts';

test('the example keeps notes of those who have the token, and stops when the last request is answered', async (t) => {
  const journalFile = join(temporaryFolder(t), 'journal');
  const none = () => {};
  const reports = { failed: assert.fail, refused: none, ended: none, dropped: none, finished: undefined };
  const notes = await createNotes(journalFile, 'a', { ...readConfiguration({}), reports });
  const url = `http://127.0.0.1:${await listenOnPort(notes.listener)}`;
  const post = (body: string, token = 'a') =>
    fetch(`${url}/notes`, { method: 'POST', body, headers: { Authorization: `Bearer ${token}` } });

  const text = 'Grüße, 😀';
  const added = await post(JSON.stringify({ text, other: 1 }));
  const location = added.headers.get('location');
  assert.deepEqual(await (await fetch(url + location)).json(), { text });
  for (const [response, status] of [
    [added, 201], [await post('{"text":"b"}', 'b'), 401], [await fetch(`${url}/notes`, { method: 'POST' }), 401],
    [await post('{"text":1}'), 400], [await post('null'), 400], [await post(''), 400],
    [await post('x'.repeat(5000)), 413], [await fetch(`${url}/notes/a`), 404],
  ] as const) assert.equal(response.status, status);

  const last = post('{"text":"last"}');
  notes.startDraining();
  const health = await fetch(`${url}/health`);
  assert.deepEqual([health.status, health.headers.get('connection'), (await last).status], [503, 'close', 201]);
  await notes.close();
  assert.deepEqual(readFileSync(journalFile, 'utf8').match(/"text":".+"/g), [`"text":"${text}"`, '"text":"last"']);
});
