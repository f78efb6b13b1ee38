// Requests of legal and illegal parts, of which some bytes are then changed, removed or repeated.
import type { Random } from '../random.ts';
import { lastRequest } from './last-requests.ts';
import { variedRequest } from './legal-requests.ts';
import type { Part } from './part.ts';
import { head } from './requests.ts';

const METHODS = ['GET', 'GET', 'GET', 'HEAD', 'POST', 'OPTIONS', 'CONNECT', 'BREW', 'PRI', 'get', ''] as const;
const TARGETS = ['/health', '/api/greetings', '/api/greetings?name=Ada', '/api/greetings?name=', '/nope', '*', 'http://a/health', 'a:80', '//', '/%', '/\\'] as const;
const VERSIONS = ['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/1.2', ''] as const;
const FIELDS = [
  'Host: a', 'Host: a', 'Host: b', 'Host:', 'Host: [::1]:80', 'Content-Length: 3', 'Content-Length: 03', 'Content-Length: 70000', 'Transfer-Encoding: chunked',
  'Transfer-Encoding: gzip', 'Expect: 100-continue', 'Expect: tea', 'Connection: close', 'Connection: keep-alive', 'Connection: Upgrade', 'Upgrade: h2c',
  'traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', 'X: y', ' folded', 'X', ': y', `X: ${'z'.repeat(9000)}`, 'Cookie: a=b',
] as const;
const CONTENTS = ['', '', '', 'abc', '3\r\nabc\r\n0\r\n\r\n', '3\r\nabcd\r\n', 'z\r\n', '0\r\nX: y\r\n\r\n', 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n'] as const;
const NOISE = ['\0', '\r', '\n', '\r\n', ' ', '\t', ':', '%', '\xff', '\x7f', '/', '?', '#', 'A', '0', ','] as const;

/** Requests whose replies nobody can tell: up to three of such parts, or two known ones; up to three places of them are changed. */
export function mutatedRequests(random: Random): Part {
  const bytes = random.below(2) === 0 ? requests(random) : lastRequest(random, 0).bytes + variedRequest(random).bytes;
  return { bytes: mutate(bytes, random) || 'x', reply: undefined };
}

function requests({ below, pick }: Random): string {
  let bytes = '';
  for (let count = 1 + below(3); count > 0; count--) {
    const fields = Array.from({ length: below(5) }, () => pick(FIELDS));
    const host = below(5) > 0 ? ['Host: a'] : [];
    bytes += head(`${pick(METHODS)} ${pick(TARGETS)} ${pick(VERSIONS)}`, ...host, ...fields) + pick(CONTENTS);
  }
  return bytes;
}

function mutate(bytes: string, { below, pick }: Random): string {
  let mutated = bytes;
  for (let mutations = below(4); mutations > 0; mutations--) {
    const at = below(mutated.length);
    const dropped = below(1 + below(20));
    const inserted = below(2) === 0 ? pick(NOISE) : mutated.slice(at, at + below(40));
    mutated = mutated.slice(0, at) + inserted + mutated.slice(at + dropped);
  }
  return mutated;
}
