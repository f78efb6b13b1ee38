// Makes the heads of replies, with a server of node:http that never listens. It has a stream instead of a socket. One of two constant
// requests is pushed into it, and the head is written to it. So no byte of a client gets to Node's parser.
import type { ServerResponse } from 'node:http';
import { Duplex } from 'node:stream';
import type { Reply } from '../http/reply.ts';
import { http } from './node-http.ts';

// RFC 9110 9.3.2: the response to HEAD is the head of the one to GET, without its content.
const REQUEST = Buffer.from('HEAD / HTTP/1.1\r\n\r\n');
const LAST_REQUEST = Buffer.from('HEAD / HTTP/1.1\r\nConnection: close\r\n\r\n');
const MAX_HEADS = 256; // of up to 16 KiB: a redirect has the target of its request in Location

type Head = Pick<Reply, 'status' | 'fields'>;

export type Responder = ReturnType<typeof createResponder>;

/** A responder, which also keeps the heads that it has made. */
export function createResponder() {
  let respond: (response: ServerResponse) => void;
  const server = http.createServer({
    keepAliveTimeout: 0, // the time limits are in limits.ts
    requireHostHeader: false,
  }, (_, response) => respond(response));
  const heads = new Map<string, string>(); // Faster: each is made once a second, which saves 0.3

  function makeHead({ status, fields }: Head, isLast: boolean): string {
    let failure: unknown;
    respond = (response) => {
      try {
        response.writeHead(status, [...fields]).end();
      } catch (error) { // it must not get to Node's parser, which calls this
        failure = error;
      }
    };
    const stream = new ResponseStream();
    server.emit('connection', stream); // https://nodejs.org/api/http.html#event-connection
    stream.read(0); // so that what is pushed gets to Node at once
    stream.push(isLast ? LAST_REQUEST : REQUEST); // Node writes the head before this returns
    stream.destroy();
    if (stream.head === '') throw failure;
    return stream.head;
  }

  return {
    /** The head of a reply as text, with Date and Connection, which Node adds. Throws Node's error for an illegal field. */
    headOf: (reply: Head, isLast: boolean): string => {
      const key = `${reply.status} ${isLast} ${reply.fields.join('\n')}`; // no legal field has a line feed
      let head = heads.get(key);
      if (head === undefined) {
        head = makeHead(reply, isLast);
        if (heads.size === MAX_HEADS) heads.clear();
        heads.set(key, head);
      }
      return head;
    },
    /** Forgets the heads that have been made, so that those made from now on have the present date (RFC 9110 6.6.1). */
    forgetHeads: (): void => heads.clear(),
  };
}

/** Takes the place of a socket. */
export class ResponseStream extends Duplex {
  head = ''; // what has been written

  constructor() {
    super({ readableHighWaterMark: 0, decodeStrings: false });
    this.on('error', () => {}); // without a handler, an error would end the process
  }

  // Node calls these methods: https://nodejs.org/api/stream.html#implementing-a-duplex-stream

  override _read(): void {} // the responder pushes

  override _write(chunk: string, _: BufferEncoding, done: () => void): void {
    this.head += chunk;
    done();
  }
}
