// A client that sends exact bytes and returns the exact bytes that it receives. Node's own client does neither.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { repliesIn, type Reply } from './replies.ts';

/** The replies in `bytes`, which must hold whole replies and nothing else. */
export function parseReplies(bytes: Buffer): readonly Reply[] {
  const { replies, rest } = repliesIn(bytes);
  assert.equal(rest.toString('latin1'), '');
  return replies;
}

/** Sends bytes, one for each character, and reads to the end. The result: the replies, and whether the server ended. */
export const exchange = (port: number, request: string | Buffer) => exchangeOn(connect(port, '127.0.0.1'), request);

/** As `exchange`, on a socket that is connected or connecting, for example a TLS socket. */
export async function exchangeOn(socket: Socket, request: string | Buffer) {
  const chunks: Buffer[] = [];
  let ended = false;
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => { ended = true; });
  socket.write(request, 'latin1');
  await once(socket, 'close');
  return { replies: parseReplies(Buffer.concat(chunks)), ended };
}

/** The bytes of a request without content. It asks for the connection to be closed, unless `fields` are given. */
export function requestBytes(method: string, target: string, fields: readonly string[] = ['Connection: close']) {
  return [`${method} ${target} HTTP/1.1`, 'Host: localhost', ...fields, '', ''].join('\r\n');
}

/** Sends one request on a new connection, and resolves with the one reply. */
export async function request(port: number, method: string, target: string, fields: readonly string[] = []) {
  const bytes = requestBytes(method, target, ['Connection: close', ...fields]);
  const { replies: [reply, ...others], ended } = await exchange(port, bytes);
  assert.ok(reply !== undefined && others.length === 0 && ended, 'Not one reply');
  return reply;
}
