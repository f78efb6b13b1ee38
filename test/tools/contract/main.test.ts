// Tests `npm run contract` as a process, and its parts. That the rows find mistakes is in mistakes.test.ts.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test, type TestContext } from 'node:test';
import { createSecureContext } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { secure } from '../../../src/server/tls.ts';
import { makeCertificate, temporaryFolder } from '../../support/certificates.ts';
import { repliesIn } from '../../support/replies.ts';
import { startService } from '../../support/service.ts';
import { DESCRIPTION, GREETINGS } from './endpoints.ts';
import { hold } from './hold.ts';
import { talkerTo } from './in-process.ts';
import { listedValues } from './listed-values.ts';
import { wrongly, type Wrong } from './mistakes.ts';
import { shapeMisfits } from './openapi.ts';
import { readOptions } from './options.ts';
import { describeDifference } from './report.ts';
import { lookAt, targetAt } from './target.ts';

const MAIN = fileURLToPath(import.meta.url).replace(/main\.test(\.[jt]s)$/, 'main$1');

async function contract(...args: readonly string[]) {
  // The environment is empty, because that of `node --test` makes the inner test runner report to the outer one.
  const child = spawn(process.execPath, [MAIN, ...args], { env: {}, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

/** A server that listens at `path`, or on a free port of this machine, and replies to the first packet of each connection. */
async function listen(t: TestContext, replyTo: (bytes: Buffer) => Promise<Buffer | string>, path?: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {}); // the client may close the connection first
    socket.once('data', (bytes: Buffer) => void replyTo(bytes).then((reply) => socket.end(reply)));
  });
  server.listen(path === undefined ? { port: 0, host: '127.0.0.1' } : { path });
  await once(server, 'listening');
  t.after(() => server.close());
  const address = server.address();
  return address === null || typeof address === 'string' ? `unix:${address}` : `http://127.0.0.1:${address.port}`;
}

/** This project's service with a mistake. */
async function serverWith(t: TestContext, wrong: Wrong): Promise<(bytes: Buffer) => Promise<Buffer>> {
  const { port } = await startService(t, { now: Date.now });
  const talk = wrongly(talkerTo(port), wrong);
  return async (bytes) => (await talk(bytes.toString('latin1'), Infinity)).bytes;
}

// At the same time, because they wait for processes.
describe('npm run contract', { concurrency: true }, () => {
  test('for a server that meets the specification the exit code is 0, whatever the rows of the wire show', async (t) => {
    const url = await listen(t, await serverWith(t, { reply: (bytes) => bytes.replaceAll(' 413 ', ' 400 ') }), join(temporaryFolder(t), 'socket'));
    const { code, stdout, stderr } = await contract(url, '--decisions', '--production');
    assert.equal(code, 0, stdout);
    for (const line of ['✔ a name of 80 characters is greeted', '# differs, but --wire was not given', '# not checked: an exception cannot be provoked from outside']) {
      assert.ok(stdout.includes(line), line);
    }
    assert.match(stderr, new RegExp(`^\\n${url}: +hold +differ +not checked\\n  The specification +\\d+ +0 +8\\n  The decisions +\\d+ +0 +1\\n  The wire +\\d+ +\\d+ +0   \\(--wire makes these count, and shows the bytes\\)\\n$`));
  });

  test('for a server that does not, the exit code is 1, and the report has the bytes sent, the expectation and the bytes received', async (t) => {
    const url = await listen(t, await serverWith(t, { request: (bytes) => bytes.replace(/=a{81} /, '=a ') }));
    const { code, stdout, stderr } = await contract(url, '--test-reporter=tap');
    assert.equal(code, 1);
    assert.match(stdout, /^TAP version 13\n/);
    const report = stdout.replace(/\n +/g, '\n');
    const at = report.indexOf('sent\n');
    assert.equal(report.slice(report.lastIndexOf('The specification, ', at), report.indexOf('\nContent-Type', at)), [
      'The specification, "GET /api/greetings"', 'sent', 'GET /api/greetings?name=(a × 81) HTTP/1.1', `Host: ${url.slice('http://'.length)}`, 'Connection: close',
      'expected', 'status 400', 'received', 'HTTP/1.1 200 OK',
    ].join('\n'));
    assert.match(stderr, /\n {4}✖ GET \/api\/greetings: a name of 81 characters is refused with 400\n/);
    assert.match(stderr, /The specification +\d+ +1 /);
  });

  test('for a URL at which no server answers, the exit code is 2, and the report is one line', async (t) => {
    const path = join(temporaryFolder(t), 'nobody');
    assert.deepEqual(await contract(`unix:${path}`), { code: 2, stdout: '', stderr: `unix:${path} does not answer: ENOENT.\n` });
  });
});

test('a description that differs is reported with the path and the reason, and a long line is cut', async (t) => {
  const { port } = await startService(t, { development: true });
  const send = `GET ${DESCRIPTION} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
  const talk = await talkerTo(port)(send, 1);
  const body = talk.replies[0]?.body ?? '';
  assert.deepEqual(shapeMisfits(JSON.parse(body.replace('"maxLength":80', '"maxLength":81')), GREETINGS), ['GET /api/greetings: parameters name schema maxLength is 81, not 80']);
  assert.ok(describeDifference({ send, expected: [], talk }).split('\n').includes(`  ${body.slice(0, 300)} (${body.length - 300} more characters)`));
});

test('each value that a description lists is tried, and one that it does not list: the rows say what the reply has', async () => {
  const parameters = [{ name: 'lang', in: 'query', required: false, schema: { type: 'string', enum: ['en', 'de AT'] } }] as const;
  async function differences(listed: Readonly<Record<string, object>>, replies: Readonly<Record<string, string>>): Promise<unknown> {
    const [section] = listedValues({ authority: 'a', isSecure: false, environment: undefined }, { '/x': { parameters, replies: {}, listed: { lang: listed } } });
    const results = await Promise.all(section?.rows.map((row) => hold(row, async (bytes) => {
      const message = replies[/lang=(\S+)/.exec(bytes)?.[1] ?? ''];
      const content = JSON.stringify(message === undefined ? { errors: { lang: ['No.'] } } : { message });
      const reply = Buffer.from(`HTTP/1.1 ${message === undefined ? 400 : 200} \r\nContent-Length: ${content.length}\r\n\r\n${content}`);
      return { ...repliesIn(reply), bytes: reply, end: 'closed', error: undefined, sentAt: 0, receivedAt: 0 };
    }, [])) ?? []);
    return results.map((result) => (typeof result === 'string' ? result : result.expected));
  }
  const listed = { en: { message: 'Hello' }, 'de AT': { message: 'Servus' } };
  const replies = { en: 'Hello', 'de%20AT': 'Servus' };
  assert.deepEqual(await differences(listed, replies), ['holds', 'holds', 'holds']);
  assert.deepEqual(await differences(listed, { ...replies, 'de%20AT': 'Hola' }), ['holds', ['message in the JSON body: "Servus"'], 'holds']);
  assert.deepEqual(await differences(listed, { en: 'Hello' }), ['holds', ['status 200', 'message in the JSON body: "Servus"'], 'holds']);
  assert.deepEqual(await differences(listed, { ...replies, 'ende%20AT-': 'Hello' }), ['holds', 'holds', ['status 400', 'errors.lang in the JSON body: an array of strings']]);
  assert.deepEqual(await differences({ en: { message: 'Hello' } }, replies), ['holds', ['what `listed` in endpoints.ts must say of lang=de AT, and does not'], 'holds']);
});

test('a URL that cannot be checked is reported in one sentence', () => {
  for (const url of ['localhost:8080', 'nonsense', 'ftp://localhost', 'unix:', 'http://']) {
    assert.equal(targetAt(url, false), `${url} cannot be checked: accepted are http://HOST[:PORT], https://HOST[:PORT] and unix:PATH.`);
  }
  for (const url of ['http://localhost/api', 'http://localhost/?a', 'http://localhost/#a', 'http://user@localhost/']) {
    assert.equal(targetAt(url, false), `${url} cannot be checked: accepted are http://HOST[:PORT], https://HOST[:PORT] and unix:PATH, with nothing before or after HOST[:PORT].`);
  }
});

test('Host is the authority of the URL, without the default port of its scheme', () => {
  for (const [url, authority] of [
    ['http://localhost', 'localhost'], ['http://localhost:80/', 'localhost'], ['https://a:443', 'a'], ['http://a:443', 'a:443'], ['https://[::1]:8443', '[::1]:8443'], ['unix:/a', 'localhost'],
  ] as const) {
    const target = targetAt(url, false);
    assert.equal(typeof target === 'string' ? target : target.authority, authority);
  }
});

async function look(url: string, insecure: boolean): Promise<unknown> {
  const target = targetAt(url, insecure);
  return typeof target === 'string' ? target : lookAt(target);
}

test('a server that cannot be checked is reported in one sentence', async (t) => {
  async function lookAtServer(reply: string): Promise<unknown> {
    const url = await listen(t, async () => reply);
    const seen = await look(url, false);
    return typeof seen === 'string' ? seen.replace(url, 'URL') : seen;
  }
  assert.equal(await lookAtServer('220 smtp.example ESMTP\r\n'), 'URL answers, but not with an HTTP/1.1 reply.');
  assert.equal(await lookAtServer(''), 'URL closes the connection without an answer. (Is it https, perhaps?)');
  assert.equal(
    await lookAtServer('HTTP/1.1 308 Permanent Redirect\r\nLocation: https://a/health\r\nContent-Length: 0\r\n\r\n'),
    'URL redirects GET /health to https://a/health: check the server there.',
  );
  assert.deepEqual(await lookAtServer('HTTP/1.1 421 Misdirected Request\r\nContent-Length: 0\r\n\r\n'), { described: false, anyHost: false });
});

test('a TLS certificate that is not trusted is reported, and accepted with --insecure', async (t) => {
  const { certFile, keyFile } = makeCertificate(temporaryFolder(t), 'localhost');
  const secureContext = createSecureContext({ cert: readFileSync(certFile), key: readFileSync(keyFile) });
  const { port } = await startService(t, { development: true, server: (app) => app.createSecureServer((...carrier) => secure(secureContext, ...carrier)) });
  const url = `https://127.0.0.1:${port}`;
  assert.equal(await look(url, false), `${url} has a certificate that is not trusted: DEPTH_ZERO_SELF_SIGNED_CERT. (--insecure accepts any; NODE_EXTRA_CA_CERTS=FILE makes node trust those in a PEM file.)`);
  assert.deepEqual(await look(url, true), { described: true, anyHost: true });
  const plain = await startService(t);
  assert.match(String(await look(`https://127.0.0.1:${plain.port}`, true)), /does not speak TLS that node understands: .*\(Is it http, perhaps\?\)$/);
});

test('each mistake on the command line is reported in one sentence', () => {
  assert.equal(readOptions([]), 'No URL was given.');
  assert.equal(readOptions(['http://a', 'http://b']), 'One URL is checked at a time; given were http://a and http://b.');
  assert.equal(readOptions(['http://a', '--everything']), 'The option --everything is not known.');
  assert.equal(readOptions(['http://a', '--development', '--production']), 'A server is in Development or in Production: give one of the two.');
  assert.deepEqual(readOptions(['--all', 'http://a', '--development', '--insecure', '--test-reporter=tap']), {
    url: 'http://a', enforced: ['specification', 'decisions', 'wire'], environment: 'development', insecure: true, runnerFlags: ['--test-reporter=tap'],
  });
  assert.deepEqual(readOptions(['http://a']), { url: 'http://a', enforced: ['specification'], environment: undefined, insecure: false, runnerFlags: [] });
});
