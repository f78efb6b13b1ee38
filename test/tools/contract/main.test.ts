// Tests `npm run contract` as a process, and its parts. How a row differs is in contract.test.ts.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../../support/certificates.ts';
import { tlsOptions } from '../../support/server.ts';
import { startService } from '../../support/service.ts';
import { describeLanguage, languageOf, RULES } from './grammar.ts';
import { CannotCheck, readOptions } from './options.ts';
import { lookAt, targetAt } from './target.ts';

const START = fileURLToPath(import.meta.url).replace(/(?:dist\/)?(test\/tools\/contract\/)main\.test\.[jt]s$/, '$1start.js');

async function contract(...args: readonly string[]) {
  const child = spawn(process.execPath, [START, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

const NO_ANSWER = (why: string) => `gives no answer: ${why}. (Is it http or https? --insecure accepts any certificate.)`;

/** A server that sends this, whatever it receives. */
async function startReplying(t: TestContext, reply: string): Promise<string> {
  const server = createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(reply)));
  const path = join(temporaryFolder(t), 'socket');
  await once(server.listen({ path }), 'listening');
  t.after(() => server.close());
  return `unix:${path}`;
}

test('the report has the rows that do not hold, and the exit code is 1 if one of the specification does not', async (t) => {
  const { port } = await startService(t, { development: true, now: Date.now });
  const { code, stdout, stderr } = await contract(`http://127.0.0.1:${port}`, '--production');
  assert.match(stderr, /^The specification: \d+ hold, 1 differ, 2 not checked\nThe decisions: \d+ hold, 0 differ, 1 .*\nThe wire: /);
  assert.match(stdout.replace(/\n +/g, '\n'), new RegExp([
    '^- The specification, Unexpected-error .*: an exception .* \\(not checked: an exception cannot .*\\)\n[^]*',
    '✖ The specification, GET /openapi/v1.json: outside Development .*', 'sent', "'GET /openapi/v1.json HTTP/1.1'\n[^]*",
    'expected', 'status 404', 'no body', 'received', "'HTTP/1.1 200 OK'\n[^]* more characters", '\\(the end .*: not awaited\\)',
    '- The decisions, 11: type of a 500: type of a 500 is absent \\(not checked: .*\\)\n$',
  ].join('\n')));
  assert.equal(code, 1);
});

test('for a URL at which no server answers, the exit code is 2, and the report is one line', async (t) => {
  const path = join(temporaryFolder(t), 'nobody');
  assert.deepEqual(await contract(`unix:${path}`), { code: 2, stdout: '', stderr: `unix:${path} ${NO_ANSWER('ENOENT')}\n` });
});

test('--grammar finds no difference in this service, and some in a server that takes everything', async (t) => {
  const { port } = await startService(t);
  const service = targetAt({ url: `http://127.0.0.1:${port}`, insecure: false });
  const other = targetAt({ url: await startReplying(t, 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'), insecure: false });
  for (const rule of RULES.filter(({ name }) => ['chunk-data', 'content-length'].includes(name))) {
    assert.match(describeLanguage(await languageOf(rule, service.connect, 40)), / \d\d words: takes 0; refuses 0$/);
    assert.match(describeLanguage(await languageOf(rule, other.connect, 40)), / \d\d words: takes [1-9]\d*, such as ".*"; refuses 0$/);
  }
});

test('Host is the authority of the URL, without the default port of its scheme; other URLs are refused', () => {
  for (const url of [
    'localhost:8080', 'nonsense', 'ftp://localhost', 'unix:', 'http://', 'http://a/api', 'http://a/?a', 'http://a/#a', 'http://user@a/',
  ]) assert.throws(() => targetAt({ url, insecure: false }), CannotCheck);
  for (const [url, authority] of [
    ['http://localhost', 'localhost'], ['http://localhost:80/', 'localhost'], ['https://a:443', 'a'], ['http://a:443', 'a:443'],
    ['https://[::1]:8443', '[::1]:8443'], ['unix:/a', 'localhost'],
  ] as const) assert.equal(targetAt({ url, insecure: false }).authority, authority);
});

test('a server that cannot be checked, or only with --insecure, is reported in one sentence', async (t) => {
  const look = async (url: string, insecure = false) => lookAt(targetAt({ url, insecure }));
  for (const [reply, sentence] of [
    ['220 smtp.example ESMTP\r\n', 'answers, but not with an HTTP/1.1 reply.'],
    ['', NO_ANSWER('it closes the connection')],
    ['HTTP/1.1 308 \r\nLocation: https://a/\r\nContent-Length: 0\r\n\r\n', 'redirects GET /health to https://a/: check the server there.'],
  ] as const) {
    const url = await startReplying(t, reply);
    await assert.rejects(look(url), { message: `${url} ${sentence}` });
  }
  const misdirected = await startReplying(t, 'HTTP/1.1 421 Misdirected Request\r\nContent-Length: 0\r\n\r\n');
  assert.deepEqual(await look(misdirected), { isDescribed: false, takesAnyHost: false });

  const tls = await tlsOptions(t);
  const { port } = await startService(t, { development: true, server: (app) => app.createHttpsListener(tls) });
  const url = `https://127.0.0.1:${port}`;
  await assert.rejects(look(url), { message: `${url} ${NO_ANSWER('DEPTH_ZERO_SELF_SIGNED_CERT')}` });
  assert.deepEqual(await look(url, true), { isDescribed: true, takesAnyHost: true });
});

test('each option is read, and a mistake on the command line is reported before the usage', () => {
  for (const [args, sentence] of [
    [[], 'One URL is checked at a time.'], [['http://a', 'http://b'], 'One URL is checked at a time.'],
    [['http://a', '--everything'], "Unknown option '--everything'"],
    [['http://a', '--development', '--production'], 'A server is in Development or in Production: give one of the two.'],
  ] as const) {
    assert.throws(() => readOptions(args), ({ message }: Error) => message.startsWith(sentence) && message.includes('\n\nUsage: '));
  }
  const defaults = { url: 'http://a', enforced: ['specification'], environment: undefined, grammar: false, insecure: false };
  for (const [option, changes] of [
    ['--all', { enforced: ['specification', 'decisions', 'wire'] }], ['--wire', { enforced: ['specification', 'wire'] }],
    ['--development', { environment: 'development' }], ['--insecure', { insecure: true }], ['--grammar', { grammar: true }],
  ] as const) assert.deepEqual(readOptions([option, 'http://a']), { ...defaults, ...changes });
});
