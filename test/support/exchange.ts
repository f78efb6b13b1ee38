// A client that sends exact bytes and returns the exact bytes that it receives. Node's own client does neither.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { repliesIn, type Reply } from './replies.ts';
import { closed } from './sockets.ts';

/** The replies that arrive on a socket until it closes, which must be whole replies and nothing else. */
export async function repliesOn(socket: Socket): Promise<readonly Reply[]> {
  const parts: Buffer[] = [];
  await closed(socket.on('data', (part: Buffer) => parts.push(part)).resume());
  const { replies, rest } = repliesIn(Buffer.concat(parts));
  assert.equal(rest.toString('latin1'), '');
  return replies;
}

/** Sends bytes, one for each character, and reads to the end. Rejects if the connection fails. */
export const exchange = (port: number, request: string) => exchangeOn(connect(port, '127.0.0.1'), request);

/** As `exchange`, on a socket that is connected or connecting, for example a TLS socket. */
export async function exchangeOn(socket: Socket, request: string) {
  socket.write(request, 'latin1');
  const [replies] = await Promise.all([repliesOn(socket), once(socket, 'close')]);
  return replies;
}

/** The bytes of a request without content. It asks for the connection to be closed, unless `fields` are given. */
export function requestBytes(method: string, target: string, fields: readonly string[] = ['Connection: close']) {
  return [`${method} ${target} HTTP/1.1`, 'Host: localhost', ...fields, '', ''].join('\r\n');
}

export const CLOSE = 'Connection: close';
export const get = (target: string, ...fields: readonly string[]) => requestBytes('GET', target, fields);
export const post = (target: string, ...fields: readonly string[]) => requestBytes('POST', target, fields);
export const GET = get('/');
export const LAST = get('/', CLOSE);

/** Sends one request on a new connection, and resolves with the one reply. */
export async function request(port: number, method: string, target: string, fields: readonly string[] = []) {
  const bytes = requestBytes(method, target, ['Connection: close', ...fields]);
  const [reply, ...others] = await exchange(port, bytes);
  assert.ok(reply !== undefined && others.length === 0, 'Not one reply');
  return reply;
}
