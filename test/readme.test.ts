// Compares README.md and deploy/README.md with the code: they list everything that the code has, and nothing else.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readConfiguration } from '../src/host/configuration.ts';
import { EXIT_CODES } from '../src/host/start-error.ts';

// Compiled tests are one folder deeper. The texts and the sources are not copied there.
const ROOT = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '..' : '../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const readme = read('README.md');
const deploy = read('deploy/README.md');
const sources = new Map(
  readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts'))
    .map((path) => [path, read(`src/${path}`)]),
);

/** The part of a text under a heading, up to the next heading of the same or a higher level. */
function section(text: string, heading: string): string {
  const [level = ''] = heading.split(' ');
  const [, ...after] = text.split(`\n${heading}\n`);
  assert.equal(after.length, 1, `one heading "${heading}"`);
  return after.join().split(new RegExp(`\n#{1,${level.length}} `))[0] ?? '';
}

/** The cells of the rows of the tables in a text, without the header of each. */
function rows(text: string): string[][] {
  const lines = text.split('\n');
  return lines
    .filter((line, i) => line.startsWith('| ') && !line.startsWith('| ---') && !lines[i + 1]?.startsWith('| ---'))
    .map((line) => line.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim()));
}

function all(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([, found = '']) => found);
}

const code = (text = '') => all(text, /`([^`]+)`/g);
const linkedFiles = (text: string) => all(text, /\]\(src\/([^)]+)\)/g);
const sorted = (values: Iterable<string>) => Array.from(new Set(values)).sort();

function withoutComments(source: string): string {
  return source.replace(/\/\*.*?\*\//gs, '').replace(/(?<![:'])\/\/.*/g, '');
}

const readingOrder = linkedFiles(section(readme, '### Every file, in reading order'));
const story = section(readme, '### The life of one request: `GET /api/greetings?name=Ada`');
const life = section(readme, '### The life of a connection');

test('the README has 200 lines or fewer', () => {
  assert.ok(readme.trimEnd().split('\n').length <= 200);
});

test('the reading list has every file of src, each once', () => {
  assert.deepEqual(readingOrder.toSorted(), Array.from(sources.keys()).toSorted());
});

test('the life of a request names the files in the order of the reading list', () => {
  const met = Array.from(new Set(linkedFiles(story)));
  assert.deepEqual(met, readingOrder.filter((path) => met.includes(path)));
  assert.ok(met.length > 10);
});

test('a link shows the path that it leads to, and every relative link leads to a file', () => {
  for (const [folder, text] of [['.', readme], ['deploy', deploy]] as const) {
    for (const [, shown = '', path = ''] of text.matchAll(/\[`([^`\]]+)`\]\(src\/([^)]+)\)/g)) assert.equal(shown, path);
    for (const target of all(text, /\]\((?!https?:)([^)#]+)/g)) assert.ok(existsSync(join(ROOT, folder, target)), target);
  }
});

test('a link to a heading leads to one', () => {
  for (const [folder, text] of [['.', readme], ['deploy', deploy]] as const) {
    for (const [, path = '', anchor] of text.matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)) {
      const headings = all(path === '' ? text : read(join(folder, path)), /^#+ (.*)$/gm);
      assert.ok(headings.some((heading) => heading.toLowerCase().replace(/[^\w -]/g, '').replaceAll(' ', '-') === anchor), anchor);
    }
  }
});

test('the functions of the life of a request are in the files beside them', () => {
  const places = Array.from(story.matchAll(/`(\w+)`(?: in| of) \[`([^`]+)`\]/g));
  assert.ok(places.length > 10);
  for (const [place, name = '', path = ''] of places) assert.match(declarations(path), new RegExp(`\\b${name}\\b`), place);
});

test('each function that decides the end of a connection is in the file beside it', () => {
  const ends = rows(life);
  assert.deepEqual(ends.map(([number]) => number), ends.map((_, i) => String(i + 1)));
  for (const [number, , , decided = ''] of ends) {
    const [names = '', path = ''] = decided.split(' in ');
    assert.ok(names !== '' && path !== '', number);
    for (const name of code(names)) assert.match(declarations(code(path)[0] ?? ''), new RegExp(`(?<!\\w)${name}\\b`), decided);
  }
});

/** The lines of a source that declare a function, a method, a property or a class. */
function declarations(path: string): string {
  const names = /^ *(?:export )?(?:async )?(?:function|class|get|const) +(\w+)|^ *(#?\w+)(?:\(.*\).* \{$|: (?:async )?\(.*=> )/gm;
  return Array.from(withoutComments(sources.get(path) ?? '').matchAll(names), ([, declared, method]) => declared ?? method).join('\n');
}

test('the states of a connection are those of its class, and closed', () => {
  const [states = ''] = all(sources.get('http/connection.ts') ?? '', /#state: (.*) = /g);
  const drawn = all(life, /^ {2}(\w+) -->/gm).concat(all(life, /--> (\w+)/g));
  assert.deepEqual(sorted(drawn), sorted([...all(states, /'(\w+)'/g), 'closed']));
  // The diagram has the same changes of state as the class.
  const made = all(sources.get('http/connection.ts') ?? '', /\/\/ (\w.*→ \w+)$/gm).flatMap((change) => {
    const [from = '', to] = change.split(' → ');
    return from.split(', ').map((state) => `${state} --> ${to}`);
  });
  assert.deepEqual(sorted(all(life, /^ {2}(\w+ --> (?!closed)\w+)/gm)), sorted(made));
});

test('the configuration table has every variable that is read, and its default', () => {
  const names = new Set<string>();
  const env = new Proxy<Record<string, string>>({}, {
    get: (_target, name) => void names.add(String(name)),
  });
  readConfiguration(env);
  const table = rows(section(readme, '## Configuration'));
  assert.deepEqual(table.flatMap(([variables]) => code(variables)).toSorted(), Array.from(names).toSorted());
  const defaults = table.filter(([, value = '']) => value !== 'none' && !names.has(code(value)[0] ?? ''));
  assert.deepEqual(readConfiguration(Object.fromEntries(defaults.map(([variable, value]) => [code(variable)[0], code(value)[0]]))), readConfiguration({}));
  assert.deepEqual(sorted(defaults.map(([variable]) => code(variable)[0] ?? '')), [
    'ACCESS_LOG', 'ALLOWED_HOSTS', 'HOST', 'KEEP_ALIVE_TIMEOUT_MS', 'MAX_CONNECTIONS', 'PORT', 'REUSE_PORT', 'SHUTDOWN_DELAY_MS', 'SHUTDOWN_TIMEOUT_MS',
  ]);
});

test('the ranges in the configuration table are those that are accepted', () => {
  for (const [variable, , meaning = ''] of rows(section(readme, '## Configuration'))) {
    const [, min, max] = /(\d+) to (\d+)/.exec(meaning) ?? [];
    if (min === undefined || max === undefined) continue;
    const name = code(variable)[0] ?? '';
    const isAccepted = (value: number) => doesNotThrow(() => readConfiguration({ [name]: String(value) }));
    assert.deepEqual([Number(min) - 1, Number(min), Number(max), Number(max) + 1].map(isAccepted), [false, true, true, false], name);
  }
});

function doesNotThrow(action: () => void): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}

test('the environment is read in one place', () => {
  const readers = Array.from(sources).filter(([, source]) => withoutComments(source).includes('.env'));
  assert.deepEqual(readers.map(([path]) => path), ['start.ts']);
});

test('the texts name no other variable', () => {
  const known = new Set(rows(section(readme, '## Configuration')).flatMap(([variables]) => code(variables)));
  known.add('EX_CONFIG'); // the name of an exit code
  known.add('SOURCE_DATE_EPOCH'); // a variable of the build
  for (const text of [readme, deploy]) {
    const named = all(text, /`([A-Z]+(?:_[A-Z]+)+)(?:=[^`]*)?`/g);
    for (const name of named) assert.ok(known.has(name), name);
  }
});

test('the table of the log has every message, with its level', () => {
  const called = Array.from(sources).flatMap(([, source]) => Array.from(withoutComments(source).matchAll(/(?<!function )\b(?:log|accessLog)\((?:'(\w+)', '([^']+)')?/g)));
  for (const [call, level] of called) assert.ok(level !== undefined, `${call}…: the message must be a constant`);
  const messages = called.map(([, level, message]) => `${level} ${message}`);
  const table = rows(section(deploy, '## The log')).map(([level, message]) => `${level} ${code(message).join()}`);
  assert.deepEqual(table.toSorted(), messages.toSorted());
});

test('the table of exit codes has every one, and no other is named', () => {
  const codes = Object.values(EXIT_CODES).map(String);
  assert.deepEqual(rows(section(deploy, '## Exit codes')).map(([exitCode]) => exitCode).toSorted(), codes.toSorted());
  for (const exitCode of all(`${section(readme, '## Configuration')}${deploy}`, /exit code (\d+)/gi)) assert.ok(codes.includes(exitCode), exitCode);
  for (const [path, source] of sources) assert.ok(!/process\.exit\((?!exitCode\))|exitCode = \d/.test(source), path);
});

// Statuses that are not refusals: the redirect, an unknown path, an unknown method, and an error in the service.
const ORDINARY = ['307', '404', '405', '500'];

test('the table of refusals has every status that src/http can reply with, except the ordinary ones', () => {
  const statuses = Array.from(sources).filter(([path]) => path.startsWith('http/'))
    .flatMap(([, source]) => all(withoutComments(source), /(?<![\w.])([345]\d\d)(?![\w.])/g))
    .filter((status) => STATUS_CODES[status] !== undefined);
  const refusals = rows(section(readme, '## Security')).map(([, status = '']) => status);
  assert.deepEqual([...refusals, ...ORDINARY].toSorted(), sorted(statuses));
  for (const status of ORDINARY) assert.ok(readme.includes(` ${status}`), status);
});

/** The number that the sources give to a constant or a property of this name, such as `headMs: 10_000`. */
function numberNamed(name: string): number {
  const definition = new RegExp(`\\b${name}(?:: number)?(?: =|:) (\\d[\\d_ *]*)[,;]`, 'g');
  const found = sorted(Array.from(sources.values()).flatMap((source) => all(withoutComments(source), definition)));
  assert.equal(found.length, 1, `src has one value of ${name}`);
  return found.join().replaceAll('_', '').split('*').map(Number).reduce((product, factor) => product * factor);
}

/** A number as the texts write it: its name says whether it is a time, a size or a count. */
function written(name: string): string {
  const number = numberNamed(name);
  if (/ms$/i.test(name)) return number < 1000 ? `${number} ms` : { 1000: 'a second', 60_000: 'a minute' }[number] ?? `${number / 1000} s`;
  if (/bytes$|size$/i.test(name)) return number % 2 ** 20 === 0 ? `${number / 2 ** 20} MiB` : `${number / 1024} KiB`;
  return number.toLocaleString('en');
}

// Phrases with numbers of the code in them, by the name that each number has there.
const README_PHRASES = [
  'longer than {MAX_NAME_LENGTH} characters', '{MAX_NAME_LENGTH} emoji of one code point each are {MAX_NAME_LENGTH} characters',
  'The name is empty: 1 to {MAX_NAME_LENGTH} characters are accepted.',
  'more than {MAX_CONTENT_BYTES} of content', 'more than {MAX_HEADER_LINES} header lines, or {MAX_HEAD_BYTES} or more of target, field names and values together, or {MAX_HEAD_BYTES} or more of trailers', 'or has more than {MAX_HEAD_BYTES}, the reply is 400',
  'a request head; a whole request | {headMs}; {requestMs} |', 'this is checked again every {headMs} |', 'checked once {sweepMs}', '| {unreadMs} in which none of its unread replies can be written',
  'on their connection | {maxBacklog} on a server;', '| {MAX_REQUESTS_AFTER_LAST} that Node has parsed |', 'on all connections of a server | {maxBacklog}, counted', 'or more than {maxBacklog} requests', 'field, or more than {MAX_HEADER_LINES} lines', 'keeps these requests until it has closed | {maxKeptRequests} on a server',
  'the client ends its side, {lingerMs} has passed', 'More than {MAX_CONTENT_BYTES} of chunked content arrive', 'received no byte is closed after {silentMs}',
  'none of them can be written for {unreadMs}. Or', 'records without data | {tlsOverheadBytes} in {sweepMs}, plus {BYTES_PER_DATA_BYTE} bytes for each byte of data', 'More than {maxBacklog} replies are queued on its server', 'Node has parsed more than {MAX_REQUESTS_AFTER_LAST} requests behind the last request',
  'handshake fails, or takes more than {headMs}',
];
const DEPLOY_PHRASES = [
  'have sent nothing are closed after {silentMs}', 'waits up to {FLUSH_TIMEOUT_MS} until the log has been written', 'Its default, {DEFAULT_MAX_CONNECTIONS} on each server',
  'The first socket is descriptor {FIRST_FD}', 'at most once {MINUTE_MS}', 'More than {MAX_WAITING_BYTES} were waiting', 'at most {BATCH_MS} late',
];

test('the numbers in the texts are those of the code', () => {
  for (const [text, phrases] of [[readme, README_PHRASES], [deploy, DEPLOY_PHRASES]] as const) {
    for (const phrase of phrases) assert.ok(text.includes(inNumbers(phrase)), inNumbers(phrase));
  }
});

test('no limit in the README is missing among those numbers', () => {
  const rest = README_PHRASES.map(inNumbers).reduce((text, phrase) => text.replaceAll(phrase, ''), readme);
  assert.deepEqual(rest.match(/\b\d[\d,]* (?:s|ms|[KM]iB|characters|connections|header lines|replies|requests)\b/g) ?? [], []);
});

function inNumbers(phrase: string): string {
  return phrase.replace(/\{(\w+)\}/g, (_braces, name: string) => written(name));
}

test('the times until a stop is forced, and how often a start is tried, are those in the files of deploy', () => {
  const unit = read('deploy/greeting.service');
  const setting = (text: string, pattern: RegExp) => all(text, pattern).join();
  const times = [['compose.yaml', /^ +stop_grace_period: (\d+)s/gm], ['deploy/kubernetes.yaml', /terminationGracePeriodSeconds: (\d+)/g], ['deploy/greeting.service', /^TimeoutStopSec=(\d+)s/gm]] as const;
  const [compose, kubernetes, systemd] = times.map(([path, pattern]) => `${setting(read(path), pattern)} s in \`${path.replace('deploy/', '')}\``);
  assert.ok(deploy.includes(`${compose}, ${kubernetes}, ${systemd}`));
  const [burst, interval] = [setting(unit, /^StartLimitBurst=(\d+)/gm), setting(unit, /^StartLimitIntervalSec=(\d+)s/gm)];
  assert.ok(deploy.includes(`when ${burst} such starts have failed within ${interval} s`));
});
