// Illegal and unusual requests as bytes, row by row: see `test/tools/contract/wire.ts`.
import { test } from 'node:test';
import { walkInProcess } from '../tools/contract/in-process.ts';
import { wire } from '../tools/contract/wire.ts';

test('the wire', (t) => walkInProcess(t, wire, 'production'));
