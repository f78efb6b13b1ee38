// The simulation finds each of the mutants, within the sequences of simulation.test.ts. A mutant is a change to one line of src, which the
// compiler leaves as it is.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { folderOfProcess } from '../../support/certificates.ts';
import { defaultSequences } from './exhaustive.ts';
import { run, type Run } from './run.ts';
import { loadCopy } from './service.ts';

const of = (file: string) => (name: string, text: string, replacement: string) => ({ name, change: { file, text, replacement } });
const [connection, server, room, limits, turns] = [of('connection'), of('server'), of('room'), of('limits'), of('turns')];
const [intake, valve, write, responder] = [of('intake'), of('tls'), of('write'), of('responder')];

const MUTANTS = [
  connection('a limit is never taken back', 'this.#stateMs = 0;', ''),
  connection('time does not pass', 'this.#stateMs += ms;', ''),
  connection('a request ends one byte too late', 'return end;', 'return end + 1;'),
  connection('it goes on before a reply is flushed', 'accepts: () => this.#isReading',
    "accepts: () => this.#isReading || this.#state === 'replying'"),
  connection('the end of the client is not passed on', 'this.#refuse(this.#reader.refusal(400));', ';'),
  connection('our side stays open', 'this.#socket.end();', ';'),
  connection('the linger is forgotten', "this.#enter('lingering')", 'this.#socket.destroy()'),
  connection('what waits is idle', '!this.#intake.isHolding() && ', ''),
  connection('what waits below TLS is idle', ' && !this.#below.intake.isHolding()', ''),
  connection('TLS ends without close_notify', "'encrypted' in this.#socket && this.#below", 'false && this.#below'),
  connection('an idle TLS connection stays', 'setImmediate(() => this.#socket.destroy());', ''),
  connection('empty lines are activity', "this.#state === 'idle' && this.#reader.hasBegun", "this.#state === 'idle'"),
  connection('a limit is twice as long', '+ limits.sweepMs', '+ 3 * limits.sweepMs'),
  connection('a status is not recorded', 'record.status = status;', ''),
  connection('a record is kept', 'this.#accessRecord = undefined;', ''),
  connection('every connection counts as cut', 'return isOwed;', 'return true;'),
  connection('draining is forgotten', ' || this.#context.isDraining()', ''),
  connection('a last request is forgotten', 'request.isLast || ', ''),
  limits('content has the time of a head', '? requestMs : headMs', '? headMs : headMs'),
  limits('an unread reply has the time to linger', 'replying: unreadMs', 'replying: lingerMs'),
  limits('an unread last reply has the time to linger', 'ending: unreadMs', 'ending: lingerMs'),
  limits('the time to linger is that of a reply', 'lingering: lingerMs', 'lingering: unreadMs'),
  intake('the pause is forgotten', 'stream.pause();', ''),
  intake('nobody reads on', 'stream.resume();', '{}'),
  intake('the rest is forgotten', ': bytes.subarray(count)', ': NOTHING'),
  intake('the rest is read again', ': bytes.subarray(count)', ': bytes'),
  intake('it does not wait for its turn', 'turns.wait(client, consumeNext, kind())',
    'process.nextTick(process.nextTick, consumeNext)'),
  intake('what is held is not known', 'rest.length > 0 || ', ''),
  intake('the end of the client is forgotten', 'end();', ';'),
  valve('it does not go on when TLS asks', 'this.#isAsked = true;', ''),
  valve('the end of the client does not pass', 'this.push(null)', '{}'),
  valve('the end of our side does not pass', 'this.#carrier.end();', ';'),
  valve('it does not close with the socket', '() => this.destroy()', '() => {}'),
  valve('the socket does not close with it', 'this.#carrier.destroy();', ';'),
  turns('setImmediate is forgotten', 'this.#next ??= this.#schedule(this.#run);', 'process.nextTick(process.nextTick, this.#run);'),
  write('a reply is flushed before the kernel takes it', 'writableLength === 0 && ', ''),
  write('a reply that cannot be sent is flushed', '!error && !socket.destroyed', 'true'),
  responder('a last reply does not say so', 'isLast ? LAST_REQUEST : REQUEST', 'REQUEST'),
  server('there is no bound', 'all.size >= maxConnections', 'false'),
  server('idle connections stay open at the stop', 'isClosing = true;', ''),
  server('the timer stays', 'clearInterval(timer);', ''),
  server('a closed connection is kept', 'all.delete(connection);', ''),
  server('a closed connection is counted for its client', 'group.size -= 1;', ';'),
  room('a connection is always idle', ' && connection.isExpendable', ''),
  room('a client with fewer connections gives one up', 'size < most', 'false'),
  room('the new connection does not count', '(own?.size ?? 0) + 1', '(own?.size ?? 0)'),
];

// Before the first `test`, as in simulation.test.ts.
const folder = folderOfProcess();
const runs: (readonly [string, Run])[] = [];
for (const { name, change } of MUTANTS) runs.push([name, await run(await loadCopy(join(folder, name), change), defaultSequences())]);

for (const [name, { failure, count }] of runs) {
  test(`found: ${name}`, (t) => {
    assert.notEqual(failure, undefined, `${count} sequences did not find it`);
    t.diagnostic(`${failure?.fault.invariant}, in sequence ${count}`);
  });
}
