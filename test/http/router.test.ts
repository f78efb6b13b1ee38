// Which route a request has. What replies to other paths and methods look like is also in the contract.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyReply } from '../../src/http/reply.ts';
import { HttpRequest } from '../../src/http/request.ts';
import { createRouter, longestSeatWait } from '../../src/http/router.ts';
import { createSeats } from '../../src/http/seats.ts';

const handler = () => emptyReply(200);
const note = { handler, maxContentBytes: 1 };
const other = { handler, maxContentBytes: 2 };
const router = createRouter({
  '/notes/:id': { GET: note, PUT: other }, '/notes/new': { GET: other }, '/a.b/:one/c/:two': { GET: handler },
  '/:__proto__/d': { GET: handler }, '/__proto__': { GET: handler }, '/e:f': { GET: handler },
});
const replyTo = (method: string, path: string) =>
  router(method, path).handler(new HttpRequest({ method, path, query: '', host: 'a', headers: {} }));

test('a parameter in a path is one segment, percent-decoded, and paths without parameters come first', () => {
  for (const [path, route] of [
    ['/notes/1', { ...note, params: { id: '1' } }], ['/notes/:id', { ...note, params: { id: ':id' } }],
    ['/notes/%C3%A4%2f%20+', { ...note, params: { id: 'ä/ +' } }], ['/notes/new', other],
    ['/notes/constructor', { ...note, params: { id: 'constructor' } }],
    ['/notes/__proto__', { ...note, params: { id: '__proto__' } }],
    ['/a.b/1/c/2', { handler, params: { one: '1', two: '2' } }],
    ['/x/d', { handler, params: JSON.parse('{ "__proto__": "x" }') }],
    ['/__proto__', { handler }], ['/e:f', { handler }],
  ] as const) assert.deepEqual(router('GET', path), route, path);
  assert.deepEqual(router('PUT', '/notes/1'), { ...other, params: { id: '1' } });
});

test('other paths are not found, and other methods are not allowed', () => {
  for (const path of [
    '', '*', '/', '/notes', '/notes/', '/notes/1/', '/notes//1', '/notes/1/2', '/Notes/1', 'x/notes/1',
    '/notes/%', '/notes/%zz', '/notes/%ff', '/axb/1/c/2', '/a.b//c/2', '/notes/:id/', '/e', '/constructor',
  ]) assert.deepEqual(replyTo('GET', path), emptyReply(404), path);
  for (const [method, path, Allow] of [
    ['POST', '/notes/1', 'GET, PUT'], ['PUT', '/notes/new', 'GET'], ['constructor', '/e:f', 'GET'],
  ] as const) assert.deepEqual(replyTo(method, path), emptyReply(405, { Allow }));
});

test('the longest wait for a seat is known once, for all routes', (t) => {
  const times = [100, 100, 100, 100, 110, 110, 140, 160]; // for each: two come at once, two wait
  t.mock.method(performance, 'now', () => times.shift());
  const [one, two] = [createSeats(1), createSeats(1)];
  for (const seats of [one, two, one, two]) seats.take('a', () => {});
  for (const seats of [one, two]) seats.giveBack('a');
  const withSeats = { PUT: { handler, seats: one }, PATCH: { handler, seats: two } };
  const routes = { '/': { GET: handler, POST: note }, '/a': withSeats };
  assert.deepEqual([longestSeatWait(routes), longestSeatWait(routes), longestSeatWait({})], [50, 0, 0]);
});
