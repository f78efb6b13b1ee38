import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { watchDescriptors } from '../../src/host/listen.ts';

test('every second a file is opened, and closed again; a lack of file descriptors is reported, and no other error', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const close = t.mock.method(fs, 'close', () => {});
  let code: string | undefined;
  let opened = 0;
  t.mock.method(fs, 'open', (file: URL, done: (error: Error | null, fd: number) => void) => {
    assert.ok(fs.existsSync(file));
    opened += 1;
    done(code === undefined ? null : Object.assign(new Error('open'), { code }), opened);
  });
  const reported: unknown[] = [];
  watchDescriptors((lacking) => reported.push(lacking));
  t.mock.timers.tick(999);
  assert.equal(opened, 0);
  for (code of [undefined, 'EMFILE', 'ENOENT', 'ENFILE', undefined]) t.mock.timers.tick(opened === 0 ? 1 : 1000);
  assert.deepEqual([opened, reported, close.mock.calls.map((call) => call.arguments)], [5, ['EMFILE', 'ENFILE'], [[1], [5]]]);
});
