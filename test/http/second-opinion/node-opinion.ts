// What a bare server of node:http makes of some bytes. It never listens: its connections are streams without sockets.
import { createServer, METHODS, type IncomingMessage, type ServerResponse } from 'node:http';
import { Duplex } from 'node:stream';

/** A request whose head node has read. `isLast`: it reads no more requests on the connection. */
export type Message = { readonly request: IncomingMessage; readonly isLast: boolean };

export class NodeConnection extends Duplex {
  readonly messages: Message[] = [];
  hasError = false;

  constructor() {
    super();
    server.emit('connection', this);
  }

  get hasRefused(): boolean { return this.hasError || this.destroyed; }

  /** Whether node has read a whole message. */
  get hasMessage(): boolean { return this.messages[0]?.request.complete === true; }

  /** Node has parsed the bytes when this returns: an event needs no iteration of the event loop, as `push` may. */
  give(bytes: Buffer): void {
    if (bytes.length > 0 && !this.hasRefused) this.emit('data', bytes);
  }

  override _read(): void {}

  override _write(_chunk: Buffer, _encoding: BufferEncoding, done: () => void): void { done(); }
}

// The limits of the reader decide, and its rule for Host.
const server = createServer({ insecureHTTPParser: false, requireHostHeader: false, maxHeaderSize: 1024 * 1024 });

function add(request: IncomingMessage, { shouldKeepAlive }: ServerResponse): void {
  if (request.socket instanceof NodeConnection) request.socket.messages.push({ request, isLast: !shouldKeepAlive });
}

for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, add);
server.on('clientError', (_error, connection) => {
  if (connection instanceof NodeConnection) connection.hasError = true;
});

/** The same request without what only the reader accepts, with the reason why the reader is right. The content stays as long as it is. */
export function writtenForNode(text: string): string {
  const length = /^[\r\n]*[^]*?\r\n\r\n/.exec(text)?.[0].length ?? -1;
  const head = text.slice(0, length)
    // RFC 9110 9.1: a method is any token.
    .replace(/[^\r\n ]+/, (method) => (METHODS.includes(method) ? method : 'PUT'))
    // RFC 9110 2.5: a later minor version of HTTP/1 is read as HTTP/1.1.
    .replace(/^([\r\n]*\S+ \S+ HTTP\/1\.)[2-9]/, '$11')
    // RFC 9110 5.5 and 5.6.1: white space after a value or a member of a list, also a tab, is no part of it.
    .replace(/^(?:Content-Length|Transfer-Encoding|Connection):.*$/gim, (line) => line.replace(/[ \t]+(?=,|$)/g, ''));
  // RFC 9112 C.2.2: Proxy-Connection is not used, also as a trailer.
  return (head + text.slice(length)).replace(/^P(?=roxy-Connection:)/gim, 'X');
}
