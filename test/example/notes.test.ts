import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { readConfiguration } from '../../src/host/configuration.ts';
import { temporaryFolder } from '../support/certificates.ts';
import { keepReports } from '../support/service.ts';
import { listenOnPort, until } from '../support/sockets.ts';
import { createNotes } from './notes.ts';

/** Starts it, with another service that answers by `translate`. */
async function start(t: TestContext, translate: (response: ServerResponse) => void, maxNotes = 10) {
  const translator = createServer((_request, response) => translate(response));
  const translatorUrl = `http://127.0.0.1:${await listenOnPort(translator)}`;
  const { reports, ...reported } = keepReports();
  const journalFile = join(temporaryFolder(t), 'journal');
  const options = { ...readConfiguration({}), reports, journalFile, token: 'a', maxNotes, translatorUrl };
  const notes = await createNotes(options);
  t.after(() => Promise.all([notes.close(), notes.closeAll(), translator.close(), translator.closeAllConnections()]));
  const url = `http://127.0.0.1:${await listenOnPort(notes.httpServer)}`;
  const ask = (method: string, path: string, headers: Readonly<Record<string, string>> = {}, body?: string) =>
    fetch(url + path, { method, headers: { Authorization: 'Bearer a', ...headers }, ...(body && { body }) });
  const post = (body: string, type = 'application/json', Authorization = 'bearer  a') =>
    ask('POST', '/notes', { 'Content-Type': type, Authorization }, body);
  return { notes, ...reported, journalFile, url, ask, post };
}

test('the example keeps notes of those who have the token, and stops when the last request is answered', async (t) => {
  const { notes, journalFile, ask, post } = await start(t, () => {}, 2);
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

test('it asks another service: 502 if that fails, 504 after a second, and not if the client has gone', async (t) => {
  const waiting: ServerResponse[] = [];
  let expire = () => {};
  t.mock.method(AbortSignal, 'timeout', (ms: number) => { // so that nothing here depends on time
    assert.equal(ms, 1_000);
    const timeout = new AbortController();
    expire = () => timeout.abort();
    return timeout.signal;
  });
  const answers: ((response: ServerResponse) => void)[] = [
    (response) => response.end('Salut'), (response) => response.writeHead(500).end(), (response) => response.destroy(),
    (response) => response.write('S', () => expire()), (response) => waiting.push(response),
  ];
  const { records, reported, ends, url, ask, post } = await start(t, (response) => answers.shift()?.(response));
  const location = (await post('{"text":"Hello"}')).headers.get('location') ?? assert.fail();
  const translated = await ask('GET', `${location}/translation`);
  assert.deepEqual([translated.status, await translated.text()], [200, 'Salut']);
  for (const [path, status] of [[location, 502], [location, 502], [location, 504], ['/notes/a', 404]] as const) {
    assert.equal((await ask('GET', `${path}/translation`)).status, status);
  }
  const leaving = new AbortController();
  const left = fetch(`${url}${location}/translation`, { signal: leaving.signal });
  await until(() => waiting.length === 1);
  leaving.abort();
  await assert.rejects(left, { name: 'AbortError' });
  const [response = assert.fail()] = waiting;
  await until(() => response.closed); // the question is taken back
  await until(() => records.length === 7);
  assert.deepEqual([reported, ends.includes('handlerAborted')], [[], true], 'nothing has failed');
});
