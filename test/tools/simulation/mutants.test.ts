// The simulation finds each of the mutants, within the sequences of simulation.test.ts. A mutant is the service with another text in
// place of one in a file of src, which the compiler leaves as it is.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { stopCoverage } from 'node:v8';
import { folderOfProcess } from '../../support/certificates.ts';
import { defaultSequences, run } from './run.ts';
import { CODE, type Code } from './service.ts';

const of = (file: string) => (name: string, text: string, replacement: string) => ({ name, file, text, replacement });
const [connection, states, server, room] = [of('server/connection'), of('server/states'), of('server/server'), of('server/room')];
const [intake, turns, write] = [of('transport/intake'), of('transport/turns'), of('transport/transport')];
const [valve, tls] = [of('transport/valve'), of('transport/tls')];

const MUTANTS = [
  states('a limit is never taken back', 'this.#ms = 0;', ';'),
  states('an empty line is activity, if it arrives in parts', 'this.#ms += this.#idleMs;', 'this.#ms = 0;'),
  states('time does not pass', 'this.#ms += ms;', ''),
  connection('a request ends one byte too late', 'return end;', 'return end + 1;'),
  connection('the end of the client is not passed on', "this.#refuse(this.#reader.refusal('cutShort'));", ';'),
  connection('our side stays open', 'this.#transport.socket.end();', ';'),
  connection('the linger is forgotten', "this.#enter('lingering')", 'this.#transport.socket.destroy()'),
  connection('what has begun is idle', ' && !this.#transport.isHolding()', ''),
  connection('empty lines are activity', "this.state.name === 'idle' && hasBegun", "this.state.name === 'idle'"),
  states('a limit is twice as long', '+ limits.sweepMs', '+ 3 * limits.sweepMs'),
  connection('a status is not recorded', 'record.status = reply.status;', ''),
  connection('a record is kept', 'this.#record = undefined;', ''),
  connection('draining is forgotten', ' || isDraining()', ''),
  connection('a last request is forgotten', 'request.isLast || ', ''),
  states('it goes on before a flush', "consumes: false, isIdle: false, next: ['idle'", "consumes: true, isIdle: false, next: ['idle'"),
  states('it is idle while a head arrives', "'headTooSlow', consumes: true, isIdle: false", "'headTooSlow', consumes: true, isIdle: true"),
  states('content has time of its own', "next !== 'content'", 'true'),
  states('content has the time of a head', "content: { limit: 'requestMs'", "content: { limit: 'headMs'"),
  states('an unread reply has the time to linger', "replying: { limit: 'unreadMs'", "replying: { limit: 'lingerMs'"),
  states('an unread last reply has the time to linger', "ending: { limit: 'unreadMs'", "ending: { limit: 'lingerMs'"),
  states('the time to linger is that of a reply', "lingering: { limit: 'lingerMs'", "lingering: { limit: 'unreadMs'"),
  intake('the pause is forgotten', 'stream.pause();', ''),
  intake('what waits is not put back', 'stream.unshift(rest);', ''),
  intake('nobody reads on', 'stream.resume()', 'true'),
  intake('the rest is forgotten', 'rest.subarray(count) : NOTHING', 'NOTHING : NOTHING'),
  intake('the rest is read again', 'rest.subarray(count) : NOTHING', 'rest : NOTHING'),
  intake('it does not wait for its turn', 'return own.enqueue(queue, takeTurn);', 'return process.nextTick(process.nextTick, takeTurn);'),
  intake('what is short does not wait for its turn', 'hasHadTurn = false', 'hasHadTurn = true'),
  intake('what is held is not known', 'rest.length + stream.readableLength', 'stream.readableLength'),
  intake('the end of the client is forgotten', '? ended() :', '? undefined :'),
  valve('it does not go on when TLS asks', 'isAsked = true;', ''),
  valve('a record that has begun is not known', ' || records.hasBegun', ''),
  valve('the end of the client does not pass', 'stream.push(null);', ''),
  valve('the end of our side does not pass', 'carrier.end();', ''),
  valve('it does not close with the socket', '() => stream.destroy()', '() => {}'),
  valve('the socket does not close with it', 'carrier.destroy(); done', 'done'),
  tls('it ends without close_notify', 'socket.end();', ''),
  tls('an idle connection stays', 'setImmediate(() => socket.destroy());', ''),
  turns('setImmediate is forgotten', 'next ??= schedule(run);', 'process.nextTick(process.nextTick, run);'),
  turns('an iteration has no budget', 'spent >= budget', 'false'),
  intake('what is taken costs nothing', 'own.spend(PIECE_COST + count);', ''),
  turns('the others of a queue are forgotten', 'queues.set(queue, tasks);', ';'),
  write('a reply is flushed before the kernel takes it', 'writableLength === 0 && ', ''),
  write('a reply that cannot be sent is flushed', '!error && !socket.destroyed', 'true'),
  connection('a last reply does not say so', 'request.method, isLast)', 'request.method, false)'),
  server('there is no bound', 'all.size >= maxConnections', 'false'),
  server('idle connections stay open at the stop', 'isClosing = true;', ''),
  server('it accepts connections after the cut', 'stopListening();', ''),
  server('the timer stays', 'clearInterval(timer)', 'undefined'),
  server('a closed connection is kept', 'all.delete(connection);', ''),
  server('a closed connection is counted for its client', 'group?.delete(connection) === true', 'false'),
  room('a connection is always idle', ' && connection.isExpendable', ''),
];

const EXTENSION = import.meta.url.slice(-3); // .ts, or .js when it has been compiled
const SOURCE = fileURLToPath(new URL('../../../src', import.meta.url));

/** Loads a copy of the service, in `folder`, with this change. What cannot be changed is loaded only once. */
async function load(folder: string, { file, text, replacement }: typeof MUTANTS[number]): Promise<Code> {
  const [copied, linked] = file.startsWith('server') ? [['server'], ['transport', 'http']] : [['server', 'transport'], ['http']];
  for (const name of copied) {
    mkdirSync(join(folder, name), { recursive: true });
    const files = readdirSync(join(SOURCE, name)).filter((each) => each.endsWith(EXTENSION));
    for (const each of files) copyFileSync(join(SOURCE, name, each), join(folder, name, each));
  }
  for (const name of linked) symlinkSync(join(SOURCE, name), join(folder, name));
  copyFileSync(new URL(import.meta.resolve('#package')), join(folder, 'package.json')); // it says that the files are modules
  const path = join(folder, file + EXTENSION);
  const before = readFileSync(path, 'utf8');
  assert.ok(before.includes(text), `${file} does not have the text ${text}: change the text that is to be replaced`);
  writeFileSync(path, before.replaceAll(text, replacement));
  const files = ['server/server', 'transport/transport', 'transport/tls', 'transport/turns'];
  return Object.assign({}, CODE, ...await Promise.all(files.map((name) => import(pathToFileURL(join(folder, name + EXTENSION)).href))));
}

// Before the first `test`, as in simulation.test.ts.
stopCoverage(); // it takes time, and the copies do not count
const folder = folderOfProcess();
const faults = new Map<string, string | undefined>();
for (const mutant of MUTANTS) {
  const failure = await run(await load(join(folder, mutant.name), mutant), defaultSequences());
  faults.set(mutant.name, failure?.fault);
}

for (const [name, fault] of faults) test(`found: ${name}`, () => assert.notEqual(fault, undefined));
