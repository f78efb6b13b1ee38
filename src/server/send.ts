// How a reply is sent.
import type { ServerResponse } from 'node:http';
import type { Reply } from '../http/reply.ts';

const http = process.getBuiltinModule('node:http');

/** Sends a reply by node's response, which adds Date and Connection. After the last one node ends the connection. */
export function send(response: ServerResponse, { status, fields, body }: Reply, isLast: boolean): void {
  response.writeHead(status, isLast ? lastFields(fields) : fields);
  response.end(body);
}

/**
 * The text of a last reply, where node provides no response. Throws when a field is illegal, as node does for other
 * replies: with a line feed in it, a client could write a reply of its own (response splitting).
 */
export function textOf({ status, fields, body }: Reply): string {
  let text = `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n`;
  const all = lastFields(fields);
  for (let i = 0; i < all.length; i += 2) {
    const [name = '', value = ''] = all.slice(i, i + 2);
    http.validateHeaderName(name);
    http.validateHeaderValue(name, value);
    text += `${name}: ${value}\r\n`;
  }
  return `${text}\r\n${body}`;
}

// RFC 9110 6.6.1: the date. RFC 9112 9.6: close.
function lastFields(fields: readonly string[]): string[] {
  return [...fields, 'Date', new Date().toUTCString(), 'Connection', 'close'];
}
