// Compares the texts with the code and with the running service.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { test } from 'node:test';
import { readConfiguration } from '../src/host/configuration.ts';
import { EXIT_CODES } from '../src/host/start-error.ts';
import { REFUSALS } from '../src/http/refusals.ts';
import { createRoutes } from '../src/routes.ts';
import { exchange, request, requestBytes } from './support/exchange.ts';
import { NO_SIGNALS, portIn, ROOT, spawnService } from './support/process.ts';
import { appOptions, startService } from './support/service.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts')).map((path) => path.replaceAll(sep, '/'));

const TEXTS = ['README.md', 'src/README.md', 'src/turns/README.md', 'src/RECIPES.md', 'SECURITY.md', 'deploy/README.md',
  'test/README.md', 'test/tools/contract/README.md', 'test/tools/bench/README.md'];
const [readme = '', book = '', ofTurns = '', , security = '', deploy = ''] = TEXTS.map(read);

const found = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([, group = '']) => group);
const code = (text = '') => found(text, /`([^`]+)`/g);
const sorted = (values: Iterable<unknown>) => Array.from(new Set(values), String).sort();

function section(text: string, heading: string): string {
  const [, after = assert.fail(heading)] = text.split(`\n## ${heading}\n`);
  return after.split('\n## ')[0] ?? '';
}

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
      const headings = anchor === undefined ? [] : found(read(linked), /^#+ (.*)$/gm);
      assert.ok(anchor === undefined || headings.some((one) => anchorOf(one) === anchor), `${path}: ${link}`);
    }
  }
});

test('the table of requests has all routes, each with a request and the status of its reply', async (t) => {
  const routes = createRoutes({ ...appOptions(), isDevelopment: true }, () => false);
  const existing = Object.entries(routes).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`));
  const replies = rows(section(readme, 'What to send, and what comes back'));
  const table = replies.filter(([asked = '']) => asked.startsWith('`'));
  const asked = table.map(([cell]) => String(code(cell)));
  assert.deepEqual(sorted(asked.map((text) => text.replace(/\?.*/, ''))), sorted(existing));
  const { port } = await startService(t, { isDevelopment: true });
  for (const [i, text] of asked.entries()) {
    const [method = '', target = ''] = text.split(' ');
    assert.equal((await request(port, method, target)).status, Number.parseInt(table[i]?.[1] ?? '', 10), text);
  }
});

test('the two books list every file of src', () => {
  const listed = (text: string) => found(section(text, 'Every file, in reading order'), /\]\(([\w/-]+\.ts)\)/g);
  const all = [...listed(book), ...listed(ofTurns).map((name) => `turns/${name}`)];
  assert.deepEqual(all.sort(), sources.toSorted());
});

test('the tables have what the code has: variables, defaults, ranges, log messages, exit codes and reasons', () => {
  const variables = new Set<string>();
  const record = (_target: object, name: string | symbol) => void variables.add(String(name));
  readConfiguration(new Proxy<Record<string, string>>({}, { get: record }));
  const table = rows(section(readme, 'Configuration'));
  assert.deepEqual(sorted(table.flatMap(([names]) => code(names))), sorted(variables));
  for (const [names, value = '', meaning = ''] of table) {
    const [name = ''] = code(names);
    const [byDefault] = code(value).filter((text) => !variables.has(text));
    assert.deepEqual(readConfiguration({ [name]: byDefault }), readConfiguration({}), name);
    const [range] = found(meaning, /(\d+ to \d+)/g);
    assert.ok(range !== undefined || !/^`\d+`$/.test(value), name);
    const message = `${name} is "?", but must be a whole number from ${range}.`;
    if (range !== undefined) assert.throws(() => readConfiguration({ [name]: '?' }), { message });
  }

  const logged = /\b(?:log|logLine|count)\('(\w+)', '([^']+)'/g;
  const calls = sources.flatMap((path) => Array.from(read(`src/${path}`).matchAll(logged)));
  const messages = rows(section(deploy, 'The log')).map(([level, message]) => `${level} ${code(message)}`);
  assert.deepEqual(sorted(messages), sorted(calls.map(([, level, message]) => `${level} ${message}`)));
  const exitCodes = rows(section(deploy, 'Exit codes')).map(([exitCode]) => exitCode);
  assert.deepEqual(sorted(exitCodes), sorted(Object.values(EXIT_CODES)));
  const reasons = rows(section(security, 'What is refused'));
  assert.deepEqual(reasons.map(([reason, , status]) => [...code(reason), Number(status)]), Object.entries(REFUSALS));
});

const TIME = /(\d{4}-\d\d-\d\dT[\d:.]{12})(?=Z|\+00:00)/g;

function masked(text: string): string {
  return text.replace(/\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT/g, 'now')
    .replace(TIME, '<time>')
    .replace(/00-[\da-f]{32}-[\da-f]{16}-00/g, '<traceId>').replace(/"http:[^"]+:\d+"/g, '"<address>"');
}

test('the service replies as in the transcript, and logs what the README says', async (t) => {
  const { child, nextLine, ended } = spawnService(t, { PORT: '0', NODE_ENV: 'Production' });
  const listening = await nextLine();
  const [transcript = '', firstLine = ''] = found(readme, /```(?:console|text)\n(.*?)\n```/gs);
  assert.equal(masked(JSON.stringify(listening)), masked(firstLine));
  for (const part of transcript.split('\n\n$ ')) {
    const [command = '', ...shown] = part.split('\n');
    const [, path = ''] = /8080(.*)'$/.exec(command) ?? [];
    const [, data] = /--data-urlencode '([^']+)'/.exec(command) ?? [];
    const bytes = requestBytes('GET', data === undefined ? path : `${path}?${new URLSearchParams(data)}`, []);
    const [reply] = await exchange(portIn(listening), bytes + requestBytes('GET', '/health'));
    assert.ok(reply);
    for (const time of found(reply.body, TIME)) assert.ok(Math.abs(Date.parse(`${time}Z`) - Date.now()) < 60_000, time);
    const head = command.includes(' -i') ? `${[reply.statusLine, ...reply.headers].join('\n')}\n\n` : '';
    assert.equal(masked(head + reply.body), masked(shown.join('\n')));
  }
  if (NO_SIGNALS) return t.skip(NO_SIGNALS);
  child.kill('SIGINT');
  const { lines } = await ended();
  assert.deepEqual(lines.map(({ message }) => message), code(section(readme, 'In a container').split('```')[2]));
});
