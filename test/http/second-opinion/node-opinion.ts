// What a bare server of node:http makes of some bytes. It never listens: its connections are streams without sockets.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Duplex } from 'node:stream';

/** A request whose head node has read. */
export type Message = {
  readonly request: IncomingMessage;
  /** Node reads no other request of its connection. */
  readonly isLast: boolean;
};

export class NodeConnection extends Duplex {
  readonly messages: Message[] = [];
  hasError = false;

  constructor() {
    super();
    server.emit('connection', this);
  }

  get hasRefused(): boolean {
    return this.hasError || this.destroyed;
  }

  /** Whether node has read a whole message. */
  get hasMessage(): boolean {
    return this.messages[0]?.request.complete === true;
  }

  /** Node has parsed the bytes when this returns: an event needs no turn of the event loop, as `push` may. */
  give(bytes: Buffer): void {
    if (bytes.length > 0 && !this.hasRefused) this.emit('data', bytes);
  }

  override _read(): void {}

  override _write(_chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    done();
  }
}

const server = createServer({
  insecureHTTPParser: false,
  requireHostHeader: false,
  maxHeaderSize: 1024 * 1024, // so that the limits of the reader decide
});

function add(request: IncomingMessage, isLast: boolean): void {
  if (request.socket instanceof NodeConnection) request.socket.messages.push({ request, isLast });
}

const addAnswerable = (request: IncomingMessage, { shouldKeepAlive }: ServerResponse) => add(request, !shouldKeepAlive);
server.on('request', addAnswerable);
server.on('checkContinue', addAnswerable);
server.on('checkExpectation', addAnswerable);
server.on('connect', (request) => add(request, true)); // without a listener, node would refuse it
server.on('clientError', (_error, connection) => {
  if (connection instanceof NodeConnection) connection.hasError = true;
});
