// Makes the bytes of replies, with a server of node:http that never listens. What it has instead of a socket is a stream: into it goes one
// of two constant requests, in place of the one that has been read, so no byte of a client gets to node's parser; out comes the response.
import type { ServerResponse } from 'node:http';
import { Duplex } from 'node:stream';
import { http } from './node-http.ts';

const GET = Buffer.from('GET / HTTP/1.1\r\n\r\n');
const HEAD = Buffer.from('HEAD / HTTP/1.1\r\n\r\n'); // its response has no content

type Respond = (response: ServerResponse) => void;
type Written = { readonly bytes: string | Buffer; readonly encoding: BufferEncoding };
const NOTHING: Written = { bytes: '', encoding: 'latin1' };

/** Calls `respond` with node's response to a request with this method. Returns what that has sent. */
export type Responder = (method: string, respond: Respond) => Written;

export function createResponder(): Responder {
  let respond: Respond | undefined; // to the present request
  const server = http.createServer({
    keepAliveTimeout: 0, // the time limits are in limits.ts
    requireHostHeader: false,
    optimizeEmptyRequests: true, // node 24.12 and later. Faster: no stream for a request without content, 0.06 of a bare server
  }, (_, response) => respond?.(response));
  // Faster: all connections share these, so they stay in the CPU's caches, 0.04 of a bare server. Each is free again after a tick.
  const streams: ResponseStream[] = [];

  function open(): ResponseStream {
    const stream = new ResponseStream();
    streams.push(stream);
    stream.once('close', () => { streams.splice(streams.indexOf(stream), 1); });
    server.emit('connection', stream); // https://nodejs.org/api/http.html#event-connection
    stream.read(0); // so that what is pushed gets to node at once
    return stream;
  }

  return function ask(method, respondTo) { // `respondTo` is called before it returns
    const stream = streams.find(({ isFree }) => isFree) ?? open();
    respond = (response) => {
      stream.read(0); // Faster: asks for more now, not in a tick of its own. Together with the one in intake.ts, 0.02 of a bare server
      stream.response = response;
      respondTo(response);
    };
    stream.written = NOTHING;
    stream.push(method === 'HEAD' ? HEAD : GET); // node makes and writes the response before this returns
    respond = undefined; // or it would keep the request in memory
    return stream.written;
  };
}

export class ResponseStream extends Duplex {
  response: ServerResponse | undefined; // the latest
  written = NOTHING; // what has been sent since the latest request

  constructor() {
    super({ readableHighWaterMark: 0, decodeStrings: false });
    this.on('error', () => {}); // without a listener it would end the process; the next reply gets another stream
  }

  /** Whether the latest response has finished, when Node takes its socket away. Until then, Node would hold back the next one. */
  get isFree(): boolean { return this.writable && (this.response?.socket ?? null) === null; }

  // Node calls these methods: https://nodejs.org/api/stream.html#implementing-a-duplex-stream

  override _read(): void {} // the responder pushes

  // A chunk is a whole reply. Node 20 and 22 write an empty chunk after one with content.
  override _write(chunk: string | Buffer, encoding: BufferEncoding, done: () => void): void {
    if (chunk.length > 0) this.written = { bytes: chunk, encoding };
    done();
  }

  override _final(done: () => void): void { done(); this.destroy(); } // after a last reply
}
