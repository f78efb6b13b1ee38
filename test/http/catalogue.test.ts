// Illegal and unusual requests as bytes, row by row: see `test/contract/wire.ts`.
import { test } from 'node:test';
import { walkInProcess } from '../contract/in-process.ts';
import { wire } from '../contract/wire.ts';

test('the wire', (t) => walkInProcess(t, wire, 'production'));
