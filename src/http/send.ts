// How a reply is sent.
import type { Response } from './incoming-request.ts';
import { http } from './node-http.ts';
import type { Reply } from './reply.ts';

/** Sends an ordinary reply, after which the connection stays open. Node adds Date and Connection. */
export function send(response: Response, { status, fields, body }: Reply): void {
  response.writeHead(status, fields);
  response.end(body);
}

/**
 * The text of the last reply on a connection, which is written to the socket itself. Throws when a field is
 * illegal, as node does for an ordinary reply: with a line feed in it, a client could write a reply of its own.
 */
export function lastReplyText({ status, fields, body }: Reply): string {
  let lines = '';
  for (let i = 0; i < fields.length; i += 2) {
    const [name = '', value = ''] = fields.slice(i, i + 2);
    http.validateHeaderName(name);
    http.validateHeaderValue(name, value);
    lines += `${name}: ${value}\r\n`;
  }
  return `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n${lines}Date: ${new Date().toUTCString()}\r\nConnection: close\r\n\r\n${body}`;
}
