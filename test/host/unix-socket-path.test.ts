import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { unixSocketPath } from '../../src/host/unix-socket-path.ts';
import { temporaryFolder } from '../support/certificates.ts';
import { listeningSocket, NO_DESCRIPTORS } from '../support/descriptors.ts';

test('the path of a Unix socket is found by its descriptor', { skip: NO_DESCRIPTORS }, async (t) => {
  const folder = temporaryFolder(t);
  const paths = [join(folder, 'a.sock'), join(folder, 'b.sock')];
  for (const path of paths) {
    const { fd } = await listeningSocket(t, path);
    assert.equal(unixSocketPath(fd), path);
  }
});

test('the path of an abstract socket begins with @, and an unknown path is ?', () => {
  const reporter = (report: object) => ({ getReport: () => report });
  const libuv = [{ type: 'loop' }, { fd: 4, localEndpoint: '/run/other.sock' }, { fd: 3, localEndpoint: '\0greeting' }];
  assert.equal(unixSocketPath(3, reporter({ libuv })), '@greeting');
  assert.equal(unixSocketPath(5, reporter({ libuv })), '?');
  assert.equal(unixSocketPath(3, reporter({ libuv: [{ fd: 3, localEndpoint: null }] })), '?');
  assert.equal(unixSocketPath(3, reporter({})), '?');
});
