// Tests `npm run contract` as a process. Then tests that the contract detects mistakes: for a server with one mistake,
// exactly the rows on that mistake fail.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test, type TestContext } from 'node:test';
import { createSecureContext } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { secure } from '../../../src/server/tls.ts';
import { makeCertificate, temporaryFolder } from '../../support/certificates.ts';
import { startService } from '../../support/service.ts';
import { hold } from './hold.ts';
import { mistakes, mistakesInDevelopment, ROWS, WIRE_ROWS, wrongWires, type WrongWire } from './mistakes.ts';
import { readOptions } from './options.ts';
import { readReplies } from './reply.ts';
import { describeDifference } from './report.ts';
import type { Seen } from './row.ts';
import { specification } from './specification.ts';
import { isHead, talker, type Talk, type Talker } from './talk.ts';
import { lookAt, targetAt } from './target.ts';
import { answer, right, serve, throwingClock, type Behaviour } from './wrong-server.ts';

const MAIN = fileURLToPath(import.meta.url).replace(/main\.test(\.[jt]s)$/, 'main$1');

async function contract(...args: readonly string[]) {
  // The environment is empty, because that of `node --test` makes the inner test runner report to the outer one.
  const child = spawn(process.execPath, [MAIN, ...args], { env: {}, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

/** A server that listens at `path`, or on a free port of this machine, and replies to the first packet of each connection. */
async function listen(t: TestContext, replyTo: (bytes: Buffer) => Buffer | string, path?: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {}); // the client may close the connection first
    socket.once('data', (bytes: Buffer) => socket.end(replyTo(bytes)));
  });
  server.listen(path === undefined ? { port: 0, host: '127.0.0.1' } : { path });
  await once(server, 'listening');
  t.after(() => server.close());
  const address = server.address();
  return address === null || typeof address === 'string' ? `unix:${address}` : `http://127.0.0.1:${address.port}`;
}

const serverLike = (behaviour: Partial<Behaviour>) => (bytes: Buffer) => answer(bytes, { ...right, ...behaviour });

/** The sentences of the rows of the specification and the decisions that fail for a server. */
async function broken(behaviour: Behaviour, environment: keyof typeof ROWS): Promise<string[]> {
  const seen: Seen[] = [];
  const found: string[] = [];
  const development = environment === 'development';
  const ordinary = serve(behaviour, { development });
  const failing = serve(behaviour, { development, now: throwingClock });
  for (const row of ROWS[environment]) {
    const rowResult = await hold(row, { talk: row.needs === 'an exception' ? failing : ordinary, exact: false, seen });
    if (typeof rowResult === 'object') found.push(row.says);
  }
  return found;
}

async function brokenOnTheWire(talk: Talker): Promise<string[]> {
  const found: string[] = [];
  for (const row of WIRE_ROWS) if ((await hold(row, { talk, exact: false, seen: [] })) !== 'holds') found.push(row.says);
  return found;
}

/** Sends the same bytes only once, and then returns the same result again, to save time. */
function remembering(talk: Talker): Talker {
  const known = new Map<string, Talk>();
  return async (bytes) => {
    const talked = known.get(bytes) ?? await talk(bytes, Infinity);
    known.set(bytes, talked);
    return talked;
  };
}

function wrongly(talk: Talker, { request, reply }: WrongWire): Talker {
  return async (bytes, enough) => {
    const talked = await talk(request?.(bytes) ?? bytes, enough);
    const replied = reply === undefined ? talked.bytes : Buffer.from(reply(talked.bytes.toString('latin1')), 'latin1');
    return { ...talked, ...readReplies(replied, true, isHead(bytes)), bytes: replied };
  };
}

// The tests run at the same time, because the first ones wait for processes.
describe('the contract', { concurrency: true }, () => {
  test('for a server that meets the specification the exit code is 0, whatever the rows of the wire show', async (t) => {
    const url = await listen(t, serverLike({}), join(temporaryFolder(t), 'socket'));
    const { code, stdout, stderr } = await contract(url, '--decisions', '--production');
    assert.equal(code, 0);
    for (const line of ['✔ a name of 80 characters is greeted', '# differs, but --wire was not given', '# not checked: an exception cannot be provoked from outside']) {
      assert.ok(stdout.includes(line), line);
    }
    assert.match(stderr, new RegExp(`^\\n${url}: +hold +differ +not checked\\n  The specification +\\d+ +0 +8\\n  The decisions +\\d+ +0 +1\\n  The wire +\\d+ +\\d+ +0   \\(--wire makes these count, and shows the bytes\\)\\n$`));
  });

  test('for a server that does not, the exit code is 1, and the report has the bytes sent, the expectation and the bytes received', async (t) => {
    const url = await listen(t, serverLike({ maxLength: 81 }));
    const { code, stdout, stderr } = await contract(url, '--test-reporter=tap');
    assert.equal(code, 1);
    assert.match(stdout, /^TAP version 13\n/);
    const report = stdout.replace(/\n +/g, '\n');
    const at = report.indexOf('sent\n');
    assert.equal(report.slice(report.lastIndexOf('The specification, ', at), report.indexOf('\ncontent-type', at)), [
      'The specification, "GET /api/greetings"', 'sent', 'GET /api/greetings?name=(a × 81) HTTP/1.1', `Host: ${url.slice('http://'.length)}`, 'Connection: close',
      'expected', 'status 400', 'received', 'HTTP/1.1 200 Whatever',
    ].join('\n'));
    assert.match(stderr, /\n {4}✖ GET \/api\/greetings: a name of 81 characters is refused with 400\n/);
    assert.match(stderr, /The specification +\d+ +1 /);
  });

  test('for a URL at which no server answers, the exit code is 2, and the report is one line', async (t) => {
    const path = join(temporaryFolder(t), 'nobody');
    const { code, stdout, stderr } = await contract(`unix:${path}`);
    assert.deepEqual({ code, stdout, stderr }, { code: 2, stdout: '', stderr: `unix:${path} does not answer: ENOENT.\n` });
  });

  for (const environment of ['production', 'development'] as const) {
    test(`no row fails for a correct server, in ${environment}`, async () => {
      assert.deepEqual(await broken(right, environment), []);
    });
  }

  for (const [all, environment] of [[mistakes, 'production'], [mistakesInDevelopment, 'development']] as const) {
    for (const [wrong, behaviour, caught] of all) {
      test(`detected: ${wrong}`, async () => {
        assert.deepEqual(new Set(await broken({ ...right, ...behaviour }, environment)), new Set(caught));
      });
    }
  }

  test('detected: mistakes with illegal and unusual requests', async (t) => {
    const { port } = await startService(t);
    const talk = remembering(talker({ connect: () => connect({ port, host: '127.0.0.1' }), now: Date.now, patienceMs: () => 30_000 }));
    const anyhow = new Set(await brokenOnTheWire(talk)); // rows that fail for the service without a mistake, too
    for (const [wrong, wrongWire, caught] of wrongWires) {
      await t.test(wrong, async () => {
        const found = await brokenOnTheWire(wrongly(talk, wrongWire));
        assert.deepEqual(found.filter((says) => !anyhow.has(says)), caught.filter((says) => !anyhow.has(says)));
      });
    }
  });
});

test('a description that differs is reported with the path and the reason, and not with the whole document', async () => {
  const document = JSON.parse(JSON.stringify(right.document).replace('"maxLength":80', '"maxLength":81'));
  const row = ROWS.development.find(({ says }) => says.startsWith('the description of GET /api/greetings has '));
  const difference = row === undefined ? 'not checked' : await hold(row, { talk: serve({ ...right, document }, { development: true }), exact: false, seen: [] });
  assert.ok(typeof difference === 'object');
  assert.deepEqual(difference.expected, ['what endpoints.ts has, in any words', 'but GET /api/greetings: parameters name schema maxLength is 81, not 80']);
  const lines = describeDifference(difference).split('\n');
  const body = JSON.stringify(document);
  assert.ok(lines.includes(`  ${body.slice(0, 300)} (${body.length - 300} more characters)`));
});

test('each value that a description lists is tried: a row for each member of an enum, which says what the reply has', async () => {
  const parameters = [{ name: 'lang', in: 'query', required: false, schema: { type: 'string', enum: ['en', 'de AT'] } }] as const;
  const replies: Readonly<Record<string, string>> = { 'lang=en': 'Hello', 'lang=de%20AT': 'Hola' };
  let refused = '';
  const talk = serve({ ...right, edit: (reply, { path, query }) => (path === '/x' ? { ...reply, status: query === refused ? 400 : 200, body: JSON.stringify({ message: replies[query] }) } : reply) });
  async function wrongRows(listed: Readonly<Record<string, object>>): Promise<string[]> {
    const { sections } = specification({ isSecure: false, authority: 'localhost', environment: 'production' }, { '/x': { parameters, replies: {}, listed: { lang: listed } } });
    const rows = sections.find(({ heading }) => heading === 'GET /x: the values of lang')?.rows ?? [];
    assert.deepEqual(rows.map(({ says }) => says), ['en', 'de AT'].map((value) => `${value}, which the description lists for lang, is accepted, and the reply is the one for it`));
    const results = await Promise.all(rows.map((row) => hold(row, { talk, exact: false, seen: [] })));
    return results.flatMap((result) => (typeof result === 'string' ? [] : result.expected));
  }
  assert.deepEqual(await wrongRows({ en: { message: 'Hello' }, 'de AT': { message: 'Hola' } }), []);
  assert.deepEqual(await wrongRows({ en: { message: 'Hello' }, 'de AT': { message: 'Servus' } }), ['message in the JSON body: "Servus"']);
  refused = 'lang=en';
  assert.deepEqual(await wrongRows({ en: { message: 'Hello' }, 'de AT': { message: 'Hola' } }), ['status 200']);
  refused = '';
  assert.deepEqual(await wrongRows({ en: { message: 'Hello' } }), ['what `listed` in endpoints.ts must say of lang=de AT, and does not']);
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

test('a server that cannot be checked is reported in one sentence', async (t) => {
  async function lookAtServer(reply: Buffer | string): Promise<unknown> {
    const url = await listen(t, () => reply);
    const target = targetAt(url, false);
    if (typeof target === 'string') return target;
    const look = await lookAt(target);
    return typeof look === 'string' ? look.replace(url, 'URL') : look;
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
  async function look(url: string, insecure: boolean) {
    const target = targetAt(url, insecure);
    return typeof target === 'string' ? target : lookAt(target);
  }
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
