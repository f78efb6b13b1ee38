// The stream that node's server has instead of a socket. Into it goes one of two plain requests, in place of the one that has been
// read: no byte of a client gets to node's parser. Out of it comes the response.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { write } from './write.ts';

const GET = Buffer.from('GET / HTTP/1.1\r\n\r\n');
const HEAD = Buffer.from('HEAD / HTTP/1.1\r\n\r\n'); // its response has no content

export class ResponseStream extends Duplex {
  readonly #socket: Socket;
  readonly #left: () => void;
  #respond: ((response: ServerResponse) => void) | undefined;

  /** Replies are written to `socket`. `left` is called when the kernel has taken one. */
  constructor(socket: Socket, left: () => void) {
    super({ readableHighWaterMark: 0, decodeStrings: false });
    this.#socket = socket;
    this.#left = left;
    this.on('error', () => {}); // without a listener it would end the process; there is nothing else to do
  }

  /** Asks node for the response to a request with this method. `respond` is called with it. */
  ask(method: string, respond: (response: ServerResponse) => void): void {
    this.#respond = respond;
    this.push(method === 'HEAD' ? HEAD : GET);
  }

  /** Node's server has made the response that was asked for. */
  respond(response: ServerResponse): void {
    this.read(0); // Faster: asks for more now, and not in a tick of its own. With the one in connection.ts 0.04 of a bare server
    const respond = this.#respond;
    this.#respond = undefined; // it keeps the request, whose texts are parts of its whole head, up to 16 KiB
    respond?.(response);
  }

  // Node calls these methods: https://nodejs.org/api/stream.html#implementing-a-duplex-stream

  override _read(): void {} // `ask` pushes

  // A chunk is a whole reply. Node 20 and 22 write an empty chunk behind one with content.
  override _write(chunk: string | Buffer, encoding: BufferEncoding, done: () => void): void {
    if (chunk.length === 0) return done();
    write(this.#socket, chunk, encoding, () => { done(); this.#left(); });
  }

  override _final(done: () => void): void { this.#socket.end(); done(); }
}
