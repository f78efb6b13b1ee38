// Tests `npm run contract` as a process, and its parts. That its rows find mistakes is in contract.test.ts.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../../support/certificates.ts';
import { tlsOptions } from '../../support/server.ts';
import { startService } from '../../support/service.ts';
import { describeLanguages, languagesOf } from './grammar.ts';
import { readOptions } from './options.ts';
import { lookAt, targetAt } from './target.ts';

const START = fileURLToPath(import.meta.url).replace(/(?:dist\/)?(test\/tools\/contract\/)main\.test\.[jt]s$/, '$1start.js');

async function contract(...args: readonly string[]) {
  const child = spawn(process.execPath, [START, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

const NO_ANSWER = (why: string) => `gives no answer: ${why}. (Is it http or https? --insecure accepts any certificate.)`;

/** Replies to what comes first. */
const replying = (reply: string) => (socket: Socket) => void socket.once('data', () => socket.end(reply));

/** A server that does this with each connection. */
async function listen(t: TestContext, accept: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => accept(socket.on('error', () => {}))); // the client may close the connection first
  const path = join(temporaryFolder(t), 'socket');
  await once(server.listen({ path }), 'listening');
  t.after(() => server.close());
  return `unix:${path}`;
}

// At the same time, because they wait for processes.
describe('npm run contract', { concurrency: true }, () => {
  test('the exit code is 0 when the specification and the parts that were asked for hold, and otherwise 1, with a report', async (t) => {
    const { port } = await startService(t, { now: Date.now });
    const url = await listen(t, (socket) => { // the service, with a wrong status
      const service = connect({ port, host: '127.0.0.1' }).setEncoding('latin1').on('error', () => {});
      socket.on('close', () => service.destroy()).pipe(service);
      service.on('data', (text: string) => socket.write(text.replace(' 501 ', ' 400 '), 'latin1')).on('end', () => socket.end());
    });
    const [held, differing] = await Promise.all([contract(url, '--production'), contract(url, '--production', '--all')]);
    assert.deepEqual([held.code, differing.code], [0, 1], held.stdout);
    assert.match(held.stdout, /✔ a name of 80 characters is greeted[^]*\(not checked: an exception/);
    assert.match(held.stderr, new RegExp([
      '^The specification: \\d+ hold, 0 differ, 8 not checked', 'The decisions: \\d+ hold, 1 differ, 1 not checked \\(--decisions makes .*',
      'The wire: \\d+ hold, \\d+ differ, 0 not checked \\(--wire .*\n$',
    ].join('\n')));
    assert.match(differing.stderr, /\nThe decisions: .*\n  ✖ 8: any other method .*: CONNECT is 501, and ends/);
    assert.match(differing.stdout.replace(/\n +/g, '\n'), new RegExp([
      '\nThe decisions, 8: .*[^]*\n✖ CONNECT is 501, and ends the connection',
      'sent', "'CONNECT a.example:80 HTTP/1.1'", "'Host: localhost'",
      'expected', 'status 501', 'received', "'HTTP/1.1 400 Not Implemented'", "'Content-Length: 0'\n",
    ].join('\n')));
  });

  test('for a URL at which no server answers, the exit code is 2, and the report is one line', async (t) => {
    const path = join(temporaryFolder(t), 'nobody');
    assert.deepEqual(await contract(`unix:${path}`), { code: 2, stdout: '', stderr: `unix:${path} ${NO_ANSWER('ENOENT')}\n` });
  });
});

test('--grammar finds no difference in this service, and in each rule some in a server that takes everything', async (t) => {
  const { port } = await startService(t, { now: Date.now });
  const own = await languagesOf(targetAt({ url: `http://127.0.0.1:${port}`, insecure: false }).connect, 40);
  assert.deepEqual(own.filter(({ tried, takes, refuses }) => tried === 0 || takes.length + refuses.length > 0), []);

  const url = await listen(t, replying('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
  const others = await languagesOf(targetAt({ url, insecure: false }).connect, 40);
  assert.deepEqual(others.filter(({ takes, refuses }) => takes.length === 0 || refuses.length > 0), []);
  assert.match(describeLanguages(others), /^rule +words +takes +refuses\nrequest-start +\d+ +\d+ +0   takes ".*"\n/);
});

test('Host is the authority of the URL, without the default port of its scheme; other URLs are refused in one sentence', () => {
  const refusal = 'cannot be checked: accepted are http://HOST[:PORT], https://HOST[:PORT] and unix:PATH';
  for (const [end, ...urls] of [
    ['.', 'localhost:8080', 'nonsense', 'ftp://localhost', 'unix:', 'http://'],
    [', with nothing before or after HOST[:PORT].', 'http://a/api', 'http://a/?a', 'http://a/#a', 'http://user@a/'],
  ] as const) {
    for (const url of urls) assert.throws(() => targetAt({ url, insecure: false }), { message: `${url} ${refusal}${end}` });
  }
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
    const url = await listen(t, replying(reply));
    await assert.rejects(look(url), { message: `${url} ${sentence}` });
  }
  const misdirected = await listen(t, replying('HTTP/1.1 421 Misdirected Request\r\nContent-Length: 0\r\n\r\n'));
  assert.deepEqual(await look(misdirected), { isDescribed: false, takesAnyHost: false });

  const tls = await tlsOptions(t);
  const { port } = await startService(t, { development: true, server: (app) => app.createHttpsListener(tls) });
  const url = `https://127.0.0.1:${port}`;
  await assert.rejects(look(url), { message: `${url} ${NO_ANSWER('DEPTH_ZERO_SELF_SIGNED_CERT')}` });
  assert.deepEqual(await look(url, true), { isDescribed: true, takesAnyHost: true });
});

test('each option is read, and a mistake on the command line is reported before the usage', () => {
  for (const [args, sentence] of [
    [[], 'One URL is checked at a time.'],
    [['http://a', 'http://b'], 'One URL is checked at a time.'],
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
