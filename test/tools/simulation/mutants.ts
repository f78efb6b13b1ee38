// Faults that the simulation must find: each is a change to a file of src, which stands on one line there, also when it is compiled.

import type { Change } from './load-copy.ts';

export type Mutant = Change & { readonly name: string };

const of = (file: string) => (name: string, text: string, replacement: string): Mutant => ({ name, file, text, replacement });
const [connection, connections, addresses, limits] = [of('connection'), of('connections'), of('addresses'), of('limits')];
const [turns, send, stream] = [of('turns'), of('send'), of('response-stream')];

export const MUTANTS: readonly Mutant[] = [
  connection('a limit is never taken back', 'this.#stateMs = 0;', ''),
  connection('time does not pass', 'this.#stateMs += ms;', ''),
  connection('a request ends one byte too late', 'bytes.subarray(this.#reader.end)', 'bytes.subarray(this.#reader.end + 1)'),
  connection('it goes on before a reply has left', "this.#state === 'replying' || !mayReadNow", '!mayReadNow'),
  connection('it goes on when more arrives before a reply has left', "this.#state === 'replying')", 'false)'),
  connection('the end of the client is not passed on', "else if (this.#state === 'receiving')", 'else if (false)'),
  connection('our side stays open', 'this.#socket.end();', ';'),
  turns('the pause is forgotten', 'socket.pause();', ''),
  turns('what is behind a request is forgotten', 'socket.unshift(bytes);', ''),
  turns('what is behind a request is held byte by byte', 'socket.unshift(bytes);', 'for (const byte of bytes.reverse()) socket.unshift(Buffer.of(byte));'),
  connection('nobody reads on', 'this.#socket.resume();', '{}'),
  connection('the linger is forgotten', "this.#enter('lingering')", 'this.#socket.destroy()'),
  connection('a connection does not wait for its turn', 'waitForTurn(this.#takeTurn, this.#socket.readableLength)', 'process.nextTick(process.nextTick, this.#takeTurn)'),
  connection('what waits is idle', "this.#enter('waiting');", ''),
  connection('empty lines are activity', "this.#state === 'idle' && this.#reader.hasBegun", "this.#state === 'idle'"),
  connection('a limit is twice as long', 'this.#stateMs < limitMs + ms', 'this.#stateMs < 2 * limitMs + ms'),
  limits('content has the time of a head', '? requestMs : headMs', '? headMs : headMs'),
  limits('an unread reply has the time to linger', 'replying: unreadMs', 'replying: lingerMs'),
  limits('an unread last reply has the time to linger', 'ending: unreadMs', 'ending: lingerMs'),
  limits('the time to linger is that of a reply', 'lingering: lingerMs', 'lingering: unreadMs'),
  connection('what follows a refusal is read', "this.#state === 'ending' || this.#state === 'lingering')", 'false)'),
  connection('a record is closed twice', 'this.#record?.close(aborted);', 'this.#record?.close(aborted); this.#record?.close(aborted);'),
  connection('a record is kept', 'this.#record = undefined;', ''),
  connection('every connection counts as cut', 'return isOwed;', 'return true;'),
  connection('draining is forgotten', ' || this.#service.isDraining()', ''),
  connection('a last request is forgotten', 'request.isLast || ', ''),
  turns('setImmediate is forgotten', 'setImmediate(runTurn)', 'process.nextTick(process.nextTick, runTurn)'),
  turns('a turn is not taken back', '.delete(callback)', '.has(callback)'),
  send('a reply has left before it is taken', 'writableLength === 0 && ', ''),
  send('a reply that cannot be sent has left', '!error && !socket.destroyed', 'true'),
  send('a status is not recorded', 'record.status = status;', ''),
  stream('our side stays open behind the last reply', 'this.#socket.end();', ''),
  connections('there is no bound', 'all.size < maxConnections', 'true'),
  connections('idle connections stay open at the stop', 'isClosing = true;', ''),
  connections('the timer stays', 'clearInterval(timer);', ''),
  connections('a closed connection is kept', 'all.delete(connection);', ''),
  connections('a closed connection is counted for its address', '?.leaveAddress()', ''),
  addresses('a connection stays idle', "state === 'idle' || state === 'lingering' ? group.idle : group.busy", 'group.idle'),
  addresses('a connection that has left keeps its place', 'place.leave();', ''),
  addresses('an address with fewer connections gives one up', '=== most);', '> 0);'),
  addresses('the new connection does not count', ' + Number(group === own)', ''),
];
