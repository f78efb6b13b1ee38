// Compares the texts with the code and with the running service.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readConfiguration } from '../src/host/configuration.ts';
import { EXIT_CODES } from '../src/host/start-error.ts';
import { portIn, spawnService } from './support/process.ts';
import { exchange, requestBytes } from './support/exchange.ts';

// Compiled tests are one folder deeper. The texts and the sources are not copied there.
const ROOT = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '..' : '../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const filesIn = (folder: string, end: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith(end));

const [readme, book, tests] = [read('README.md'), read('src/README.md'), read('test/README.md')];
const deploy = read('deploy/README.md');
const sources = new Map(filesIn('src', '.ts').map((path) => [path, read(`src/${path}`)]));

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

test('the picture of the layers has the imports of src, and no others', () => {
  const [picture = ''] = found(book, /^```mermaid\nflowchart TD\n(.*?)^```$/gms);
  const drawn = Array.from(picture.matchAll(/^ +(\w+)(?:\[.*?\])? -+> (\w+)/gm), ([, from, to]) => `${from} --> ${to}`);
  const layerOf = (path: string) => (path === 'start.ts' ? 'main' : path.replace(/[/.-].*/, ''));
  const imports = Array.from(sources).flatMap(([path, source]) =>
    found(source, /(?:from|import\()\s?'(\.[^']+)'/g).map((imported) => [layerOf(path), layerOf(join(dirname(path), imported))]));
  assert.deepEqual(sorted(drawn), sorted(imports.filter(([from, to]) => from !== to).map((edge) => edge.join(' --> '))));
});

test('each link leads to a file or a heading of this project, or elsewhere', () => {
  const anchorOf = (heading: string) => heading.toLowerCase().replace(/[^\w -]/g, '').replaceAll(' ', '-');
  const testTexts = filesIn('test', 'README.md').map((file) => `test/${file}`);
  for (const path of ['README.md', 'src/README.md', 'deploy/README.md', 'SECURITY.md', ...testTexts]) {
    for (const [link, target = '', anchor] of read(path).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)) {
      const linked = target === '' ? path : join(dirname(path), target);
      assert.ok(existsSync(join(ROOT, linked)), `${path}: ${link}`);
      if (anchor !== undefined) assert.ok(found(read(linked), /^#+ (.*)$/gm).map(anchorOf).includes(anchor), `${path}: ${link}`);
    }
  }
});

test('the book has every file of src once, and the functions that it names are in the file next to them', () => {
  assert.deepEqual(found(section(book, 'Every file, in reading order'), /\]\(([^)]+)\)/g).sort(), Array.from(sources.keys()).sort());
  const places = Array.from(book.matchAll(/((?:`\w+`(?:, | and )?)+) (?:in|of) \[?`([\w/-]+\.ts)`/g));
  assert.ok(places.length > 0);
  for (const [place, names, path = ''] of places) {
    for (const name of code(names)) assert.match(sources.get(path) ?? '', new RegExp(`\\b${name}\\b`), place);
  }
});

test('the README of the tests has every folder and every command, and names no file that does not exist', () => {
  const named = new Set(code(tests));
  const folders = ['test', 'test/tools'].flatMap((path) => readdirSync(join(ROOT, path), { withFileTypes: true }));
  assert.deepEqual(folders.filter((entry) => entry.isDirectory() && !named.has(entry.name)), []);
  const { scripts } = JSON.parse(read('package.json'));
  assert.deepEqual(sorted([...found(tests, /npm (?:run )?([\w:]+)/g), 'start']), sorted(Object.keys(scripts)));
  const files = Array.from(named).flatMap((span) => found(span, /(?:^| )([\w./-]+\.ts)$/g)).filter((path) => !path.startsWith('dist/'));
  assert.ok(files.length > 0);
  assert.deepEqual(files.filter((path) => !['.', 'src', 'test'].some((folder) => existsSync(join(ROOT, folder, path)))), []);
});

test('the configuration table has every variable that is read, with its default and its range', () => {
  const variables = new Set<string>();
  readConfiguration(new Proxy<Record<string, string>>({}, { get: (_target, name) => void variables.add(String(name)) }));
  const table = rows(section(readme, 'Configuration'));
  assert.deepEqual(sorted(table.flatMap(([names]) => code(names))), sorted(variables));
  const isDefault = (text: string) => !variables.has(text);
  const defaults = table.flatMap(([names, value]) => code(value).filter(isDefault).map((text) => [code(names)[0], text]));
  assert.ok(defaults.length > 0);
  assert.deepEqual(readConfiguration(Object.fromEntries(defaults)), readConfiguration({}));
  const ranges = table.flatMap(([names, , meaning = '']) => found(meaning, /(\d+ to \d+)/g).map((range) => [code(names)[0] ?? '', range]));
  assert.ok(ranges.length > 0);
  for (const [name = '', range] of ranges) {
    assert.throws(() => readConfiguration({ [name]: '?' }), { message: `${name} is "?", but must be a whole number from ${range}.` });
  }
  for (const [path, source] of sources) assert.ok(path === 'start.ts' || !source.includes('process.env'), path);
});

test('the tables have the log messages and the exit codes of the code', () => {
  const logged = /\b(?:log|accessLog)\((?:'(\w+)', '([^']+)')?/g;
  const calls = Array.from(sources.values()).flatMap((source) => Array.from(source.matchAll(logged)));
  const messages = rows(section(deploy, 'The log')).map(([level, message]) => `${level} ${code(message)}`);
  assert.deepEqual(sorted(messages), sorted(calls.map(([, level, message]) => `${level} ${message}`)));
  assert.deepEqual(sorted(rows(section(deploy, 'Exit codes')).map(([exitCode]) => exitCode)), sorted(Object.values(EXIT_CODES)));
});

/** Without what differs each time: dates, times, trace ids and the address. */
function masked(text: string): string {
  return text.replace(/\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT/g, 'now').replace(/\d{4}-\d\d-\d\dT[\d:.]{12}(?=Z|\+00:00)/g, '<time>')
    .replace(/00-[\da-f]{32}-[\da-f]{16}-00/g, '<traceId>').replace(/"http:[^"]+:\d+"/g, '"<address>"');
}

test('the service replies as in the transcript of the README, and logs what it says', { timeout: 60_000 }, async (t) => {
  const { child, nextLine, ended } = spawnService(t, { PORT: '0', NODE_ENV: 'Production' });
  const listening = await nextLine();
  const [transcript = '', firstLine = ''] = found(readme, /```(?:console|text)\n(.*?)\n```/gs);
  assert.equal(masked(JSON.stringify(listening)), masked(firstLine));
  for (const part of transcript.split('\n\n$ ')) {
    const [command = '', ...shown] = part.split('\n');
    const [, data] = /--data-urlencode 'name=([^']+)'/.exec(command) ?? [];
    const target = (/8080(.*)'$/.exec(command)?.[1] ?? '') + (data === undefined ? '' : `?name=${encodeURIComponent(data)}`);
    const { replies: [reply] } = await exchange(portIn(listening), requestBytes('GET', target, []) + requestBytes('GET', '/health'));
    assert.ok(reply !== undefined);
    const head = command.includes(' -i') ? `${[reply.statusLine, ...reply.headers].join('\n')}\n\n` : '';
    assert.equal(masked(head + reply.body), masked(shown.join('\n')));
  }
  child.kill('SIGINT');
  const { lines, code: exitCode } = await ended();
  assert.equal(exitCode, EXIT_CODES.stopped);
  assert.deepEqual(lines.map(({ message }) => message), code(section(readme, 'In a container').split('```')[2]));
});
