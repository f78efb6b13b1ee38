import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { watchDescriptors } from '../../src/host/descriptors.ts';

test('every second a file is opened, and only a lack of file descriptors is reported', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const reported: unknown[] = [];
  let code: string | undefined;
  let opened = 0;
  watchDescriptors((error) => reported.push(error), (_file, done) => {
    opened += 1;
    done(Object.assign(new Error('open'), { code }), 0);
  });
  t.mock.timers.tick(999);
  assert.equal(opened, 0);
  for (code of ['EMFILE', 'ENOENT', 'ENFILE']) t.mock.timers.tick(1000);
  assert.equal(opened, 3);
  assert.deepEqual(reported.map((error) => Object(error).code), ['EMFILE', 'ENFILE']);
});

test('the descriptor of the file is closed', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const close = t.mock.method(fs, 'close', () => {});
  const opened = new Promise<number>((resolve) => {
    watchDescriptors(() => assert.fail('there are descriptors left'), (file, done) => fs.open(file, (error, fd) => {
      done(error, fd);
      resolve(fd);
    }));
  });
  t.mock.timers.tick(1000);
  const fd = await opened;
  assert.deepEqual(close.mock.calls.map((call) => call.arguments), [[fd]]);
  fs.closeSync(fd);
});
