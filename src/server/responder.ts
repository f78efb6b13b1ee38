// Makes the heads of replies, with a server of node:http that never listens. For each head it is given a stream in place of a socket, into
// which one of two constant requests is pushed, and it writes the head to that. So no byte from a client gets to Node's parser.
import type { ServerResponse } from 'node:http';
import { Duplex } from 'node:stream';
import type { Reply } from '../http/reply.ts';
import { http } from './node-http.ts';

// RFC 9110 9.3.2: the reply to HEAD has the head of the one to GET, and no content.
const REQUEST = Buffer.from('HEAD / HTTP/1.1\r\n\r\n');
const LAST_REQUEST = Buffer.from('HEAD / HTTP/1.1\r\nConnection: close\r\n\r\n');
const MAX_HEADS = 1024;
const MAX_KEY_LENGTH = 256; // a longer one is that of a redirect with a long Location, which is hardly ever needed again

export type Responder = ReturnType<typeof createResponder>;

/** A responder. It keeps most heads that it makes. */
export function createResponder() {
  const server = http.createServer({
    keepAliveTimeout: 0, // no Keep-Alive field: the time limits are in limits.ts
    requireHostHeader: false,
  });
  const heads = new Map<string, string>(); // Faster: each is made about once a second at most, which saves 0.3

  function makeHead(status: number, fields: string[], isLast: boolean): string {
    let head = '';
    let failure: unknown;
    const stream = new Duplex({
      read: () => {}, // what is read is pushed below
      write: (bytes: Buffer, _, done) => { head += bytes.toString('latin1'); done(); },
    });
    server.once('request', (_, response: ServerResponse) => {
      try {
        response.writeHead(status, fields).end();
      } catch (error) { // it must not get to Node's parser, which calls this
        failure = error;
      }
    });
    server.emit('connection', stream); // https://nodejs.org/api/http.html#event-connection
    stream.read(); // now that bytes have been asked for, what is pushed gets to Node at once
    stream.push(isLast ? LAST_REQUEST : REQUEST); // Node writes the head before this returns
    stream.destroy();
    if (head === '') throw failure;
    return head;
  }

  return {
    /** The head of a reply as text, with Content-Length, Date and Connection. Throws Node's error for an illegal field. */
    headOf: ({ status, fields, body }: Reply, isLast: boolean): string => {
      const length = Buffer.byteLength(body);
      const key = `${status} ${isLast} ${length} ${fields.join('\n')}`; // no legal field has a line feed
      let head = heads.get(key);
      if (head === undefined) {
        head = makeHead(status, [...fields, 'Content-Length', String(length)], isLast);
        if (key.length > MAX_KEY_LENGTH) return head;
        if (heads.size === MAX_HEADS) heads.clear();
        heads.set(key, head);
      }
      return head;
    },
    /** Forgets the heads that have been made, so that those made from now on have the current date (RFC 9110 6.6.1). */
    forgetHeads: (): void => heads.clear(),
  };
}
