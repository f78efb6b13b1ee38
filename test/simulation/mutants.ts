// Faults that the simulation must find: each is a change to a file of src, which stands on one line there, also when it is compiled.

export type Mutant = {
  readonly name: string;
  /** In src/server. */
  readonly file: string;
  readonly text: string;
  readonly replacement: string;
};

const connection = (name: string, text: string, replacement: string): Mutant => ({ name, file: 'connection', text, replacement });
const connections = (name: string, text: string, replacement: string): Mutant => ({ name, file: 'connections', text, replacement });
const requests = (name: string, text: string, replacement: string): Mutant => ({ name, file: 'requests', text, replacement });
const turns = (name: string, text: string, replacement: string): Mutant => ({ name, file: 'turns', text, replacement });
const stream = (name: string, text: string, replacement: string): Mutant => ({ name, file: 'socket-stream', text, replacement });

export const MUTANTS: readonly Mutant[] = [
  connection('a limit is never taken back', 'this.stateMs = 0;', ''),
  connection('time does not pass', 'this.stateMs += ms;', ''),
  connection('a piece ends one byte too late', 'this.#pieces.endIn(bytes)', 'Math.min(bytes.length, this.#pieces.endIn(bytes) + 1)'),
  connection('it goes on before a reply has left', "this.#state === 'replying' || this.#state === 'ending'", "this.#state === 'ending'"),
  connection('the end of the client is not passed on', 'else if (this.socket.readableEnded', 'else if (false'),
  stream('the pause is forgotten', 'this.socket.pause()', 'undefined'),
  connection('the linger is forgotten', 'this.socket.end();', 'this.socket.end(() => this.socket.destroy());'),
  connection('a connection does not wait for its turn', 'takeTurn(this.#takeTurn)', 'process.nextTick(process.nextTick, this.#takeTurn)'),
  turns('setImmediate is forgotten', 'setImmediate(runTurns)', 'process.nextTick(process.nextTick, runTurns)'),
  turns('a turn is not taken back', 'waiting.delete(callback);', ''),
  connection('unparsed bytes are idle', "this.#state === 'idle' && !this.socket.isPaused()", "this.#state === 'idle'"),
  connection('empty lines are activity', 'bytes = skipEmptyLines(bytes);', "this.#enter('idle');"),
  connection('a limit is twice as long', 'this.stateMs < limitMs + ms', 'this.stateMs < 2 * limitMs + ms'),
  connection('content has the time of a head', '? headMs : requestMs', '? headMs : headMs'),
  connection('an unread reply has the time to linger', '? lingerMs : unreadMs', '? lingerMs : lingerMs'),
  connection('a record is closed twice', 'this.#record?.close(aborted);', 'this.#record?.close(aborted); this.#record?.close(aborted);'),
  connection('a record is kept', 'this.#record = undefined;', ''),
  connection('every connection counts as cut', 'return isOwed;', 'return true;'),
  stream('a reply has left before it is taken', 'writableLength === 0 && ', ''),
  connections('there is no bound', 'all.size < maxConnections', 'true'),
  connections('a busy connection makes room', 'connection.isIdle && connection.stateMs >', 'connection.stateMs >'),
  connections('idle connections stay open at the stop', 'isClosing = true;', ''),
  connections('the timer stays', 'clearInterval(timer);', ''),
  connections('a closed connection is kept', 'all.delete(connection);', ''),
  requests('draining is forgotten', ' || options.isDraining()', ''),
  requests('a field in a trailer is overlooked', ' || endConnection(message.rawTrailers)', ''),
  requests('a status is not recorded', 'record.status = value.status;', ''),
];
