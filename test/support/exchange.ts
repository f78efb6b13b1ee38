// A client that sends exact bytes and returns the exact bytes that it receives. Node's own client does neither.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { repliesIn, type Reply } from './replies.ts';

const CLOSE = 'Connection: close';

/** The replies in `bytes`, which must hold whole replies and nothing else. */
export function parseReplies(bytes: Buffer): readonly Reply[] {
  const { replies, rest } = repliesIn(bytes);
  if (rest.length > 0) throw new Error(`Not a whole reply: ${JSON.stringify(rest.toString('latin1'))}`);
  return replies;
}

/**
 * Sends `request` and reads until the connection is closed. A string is sent with one byte for each character. Resolves
 * with the replies, and whether the server ended its side.
 */
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
export function requestBytes(method: string, target: string, fields: readonly string[] = [CLOSE]): string {
  return [`${method} ${target} HTTP/1.1`, 'Host: localhost', ...fields, '', ''].join('\r\n');
}

/** Sends one request on a new connection, and resolves with the one reply. */
export async function request(port: number, method: string, target: string, fields: readonly string[] = []) {
  const { replies, ended } = await exchange(port, requestBytes(method, target, [CLOSE, ...fields]));
  const [reply, ...others] = replies;
  if (reply === undefined || others.length > 0 || !ended) throw new Error(`Not one reply: ${JSON.stringify(replies)}`);
  return reply;
}
