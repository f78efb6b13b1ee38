// Compares the texts with the code and with the running service.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Server } from 'node:net';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readConfiguration } from '../src/host/configuration.ts';
import { EXIT_CODES } from '../src/host/start-error.ts';
import { REFUSALS } from '../src/http/refusals.ts';
import { exchange, request, requestBytes } from './support/exchange.ts';
import { portIn, spawnService } from './support/process.ts';

// Compiled tests are one folder deeper. The texts and the sources are not copied there.
const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
const ROOT = fileURLToPath(new URL(extension === '.ts' ? '..' : '../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const filesIn = (folder: string, end: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith(end));

const TEXTS = [
  'README.md', 'src/README.md', 'SECURITY.md', 'deploy/README.md', 'test/README.md',
  'test/tools/contract/README.md', 'test/tools/bench/README.md',
];
const [readme = '', book = '', security = '', deploy = '', tests = ''] = TEXTS.map(read);

const found = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([, group = '']) => group);
const code = (text = '') => found(text, /`([^`]+)`/g);
const sorted = (values: Iterable<unknown>) => Array.from(new Set(values), String).sort();

/** The part of a text under a heading of the second level. */
function section(text: string, heading: string): string {
  const [, after] = text.split(`\n## ${heading}\n`);
  assert.ok(after !== undefined, heading);
  return after.split('\n## ')[0] ?? '';
}

/** The cells of each row of the first table in a text, without its header. */
function rows(text: string): string[][] {
  const [, ...lines] = text.split('\n').filter((line) => /^\| (?!---)/.test(line));
  return lines.map((line) => line.split('|').slice(1, -1).map((cell) => cell.trim()));
}

test('each link leads to a file or a heading of this project, or elsewhere', () => {
  const anchorOf = (heading: string) => heading.toLowerCase().replace(/[^\w -]/g, '').replaceAll(' ', '-');
  for (const path of TEXTS) {
    for (const [link, target = '', anchor] of read(path).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)) {
      const linked = target === '' ? path : join(dirname(path), target);
      assert.ok(existsSync(join(ROOT, linked)), `${path}: ${link}`);
      const anchors = anchor === undefined ? [] : found(read(linked), /^#+ (.*)$/gm).map(anchorOf);
      assert.ok(anchor === undefined || anchors.includes(anchor), `${path}: ${link}`);
    }
  }
});

test('the book lists every file of src once', () => {
  const listed = found(section(book, 'Every file, in reading order'), /\]\(([^)]+)\)/g);
  assert.deepEqual(listed.sort(), filesIn('src', '.ts').sort());
});

test('the lines of the book that put turns under another server do so', async (t) => {
  const [lines = ''] = found(section(book, '`src/turns` under another server'), /```ts\n(.*?)```/gs);
  const script = lines.replaceAll('./turns/', new URL('../src/turns/', import.meta.url).href)
    .replaceAll(".ts'", `${extension}'`).replace('8080', "0, '127.0.0.1'");
  const module = `data:text/javascript,${encodeURIComponent(`${script}\nexport { listener };`)}`;
  const { listener }: { readonly listener: Server } = await import(module);
  t.after(() => listener.close());
  await once(listener, 'listening');
  const address = listener.address();
  assert.ok(address !== null && typeof address === 'object');
  assert.equal((await request(address.port, 'GET', '/')).body, 'Hello');
});

test('the README of the tests has every folder and every command, and names no file that does not exist', () => {
  const named = new Set(code(tests));
  const folders = ['test', 'test/tools'].flatMap((path) => readdirSync(join(ROOT, path), { withFileTypes: true }));
  assert.deepEqual(folders.filter((entry) => entry.isDirectory() && !named.has(entry.name)), []);
  const { scripts } = JSON.parse(read('package.json'));
  assert.deepEqual(sorted([...found(tests, /npm (?:run )?([\w:]+)/g), 'start']), sorted(Object.keys(scripts)));
  const spans = [tests, book, security].flatMap(code);
  const files = spans.flatMap((span) => found(span, /(?:^| )([\w./-]+\.ts)$/g));
  const isFile = (path: string) => ['.', 'src', 'test'].some((folder) => existsSync(join(ROOT, folder, path)));
  assert.deepEqual(files.filter((path) => !isFile(path)), []);
});

test('the configuration table has every variable that is read, with its default and its range', () => {
  const variables = new Set<string>();
  const record = (_target: object, name: string | symbol) => void variables.add(String(name));
  readConfiguration(new Proxy<Record<string, string>>({}, { get: record }));
  const table = rows(section(readme, 'Configuration'));
  assert.deepEqual(sorted(table.flatMap(([names]) => code(names))), sorted(variables));
  const defaults = table.flatMap(([names, value]) =>
    code(value).filter((text) => !variables.has(text)).map((text) => [code(names)[0], text]));
  assert.ok(defaults.length > 0);
  assert.deepEqual(readConfiguration(Object.fromEntries(defaults)), readConfiguration({}));
  const ranges = table.flatMap(([names, , meaning = '']) =>
    found(meaning, /(\d+ to \d+)/g).map((range) => [code(names)[0] ?? '', range]));
  assert.ok(ranges.length > 0);
  for (const [name = '', range] of ranges) {
    const message = `${name} is "?", but must be a whole number from ${range}.`;
    assert.throws(() => readConfiguration({ [name]: '?' }), { message });
  }
});

test('the tables have the log messages, the exit codes and the reasons of the code', () => {
  const logged = /\b(?:log|logLine)\('(\w+)', '([^']+)'/g;
  const calls = filesIn('src', '.ts').flatMap((path) => Array.from(read(`src/${path}`).matchAll(logged)));
  const messages = rows(section(deploy, 'The log')).map(([level, message]) => `${level} ${code(message)}`);
  assert.deepEqual(sorted(messages), sorted(calls.map(([, level, message]) => `${level} ${message}`)));
  const exitCodes = rows(section(deploy, 'Exit codes')).map(([exitCode]) => exitCode);
  assert.deepEqual(sorted(exitCodes), sorted(Object.values(EXIT_CODES)));
  const reasons = rows(section(security, 'What is refused'))
    .map(([reason, , status]) => [...code(reason), status]);
  const expected = Object.entries(REFUSALS).map(([reason, status]) => [reason, String(status)]);
  assert.deepEqual(reasons, expected);
});

/** Without what differs each time: dates, times, trace ids and the address. */
function masked(text: string): string {
  return text.replace(/\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT/g, 'now')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]{12}(?=Z|\+00:00)/g, '<time>')
    .replace(/00-[\da-f]{32}-[\da-f]{16}-00/g, '<traceId>').replace(/"http:[^"]+:\d+"/g, '"<address>"');
}

test('the service replies as in the transcript, and logs what the README says', { timeout: 60_000 }, async (t) => {
  const { child, nextLine, ended } = spawnService(t, { PORT: '0', NODE_ENV: 'Production' });
  const listening = await nextLine();
  const [transcript = '', firstLine = ''] = found(readme, /```(?:console|text)\n(.*?)\n```/gs);
  assert.equal(masked(JSON.stringify(listening)), masked(firstLine));
  for (const part of transcript.split('\n\n$ ')) {
    const [command = '', ...shown] = part.split('\n');
    const [, path = ''] = /8080(.*)'$/.exec(command) ?? [];
    const [, data = ''] = /--data-urlencode 'name=([^']+)'/.exec(command) ?? [];
    const bytes = requestBytes('GET', data === '' ? path : `${path}?name=${encodeURIComponent(data)}`, []);
    const { replies: [reply] } = await exchange(portIn(listening), bytes + requestBytes('GET', '/health'));
    assert.ok(reply !== undefined);
    const head = command.includes(' -i') ? `${[reply.statusLine, ...reply.headers].join('\n')}\n\n` : '';
    assert.equal(masked(head + reply.body), masked(shown.join('\n')));
  }
  child.kill('SIGINT');
  const { lines, code: exitCode } = await ended();
  assert.equal(exitCode, EXIT_CODES.stopped);
  assert.deepEqual(lines.map(({ message }) => message), code(section(readme, 'In a container').split('```')[2]));
});
