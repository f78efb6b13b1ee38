import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfiguration } from '../../src/host/configuration.ts';
import { temporaryFolder } from '../support/certificates.ts';
import { keepReports } from '../support/service.ts';
import { listenOnPort } from '../support/sockets.ts';
import { createNotes } from './notes.ts';

test('the example keeps notes of those who have the token, and stops when the last request is answered', async (t) => {
  const journalFile = join(temporaryFolder(t), 'journal');
  const { reports } = keepReports();
  const notes = await createNotes({ ...readConfiguration({}), reports, journalFile, token: 'a', maxNotes: 2 });
  t.after(() => Promise.all([notes.close(), notes.closeAll()]));
  const url = `http://127.0.0.1:${await listenOnPort(notes.httpServer)}`;
  const ask = (method: string, path: string, headers: Readonly<Record<string, string>> = {}, body?: string) =>
    fetch(url + path, { method, headers: { Authorization: 'Bearer a', ...headers }, ...(body && { body }) });
  const post = (body: string, type = 'application/json', Authorization = 'bearer  a') =>
    ask('POST', '/notes', { 'Content-Type': type, Authorization }, body);
  const text = 'Grüße, 😀';
  const added = await post(JSON.stringify({ text, other: 1 }), 'Application/JSON; charset=utf-8');
  const location = added.headers.get('location') ?? assert.fail();
  assert.deepEqual(await (await ask('GET', location)).json(), { text });
  const json = 'application/json';
  for (const [response, status] of [
    [added, 201], [await post('{}', json, 'Bearer b'), 401], [await post('{}', json, 'Basic a'), 401],
    [await ask('DELETE', location, { Authorization: '' }), 401], [await ask('PUT', location), 405],
    [await ask('POST', '/notes', {}, '{}'), 415], [await post('', 'application/jsonx'), 415],
    [await post('{"text":1}'), 400], [await post('null'), 400], [await post(''), 400],
    [await post('x'.repeat(5000)), 413], [await ask('GET', '/notes/a'), 404], [await ask('GET', '/health'), 204],
    [await post('{"text":"second"}'), 201], [await post('{"text":"third"}'), 507],
    [await ask('DELETE', location), 204], [await ask('DELETE', location), 404], [await ask('GET', location), 404],
  ] as const) assert.equal(response.status, status);

  const last = post('{"text":"last"}');
  notes.startDraining();
  const health = await ask('GET', '/health');
  assert.deepEqual([health.status, health.headers.get('connection'), (await last).status], [503, 'close', 201]);
  await notes.close();
  const texts = readFileSync(journalFile, 'utf8').match(/"text":".+"/g);
  assert.deepEqual(texts, [`"text":"${text}"`, '"text":"second"', '"text":"last"']);
});
