// Loads a copy of the service in which some text of a file has been replaced.
import assert from 'node:assert/strict';
import { copyFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Code } from './service.ts';

const EXTENSION = import.meta.url.slice(-3); // .ts, or .js when it has been compiled

/** A change to a file of src/server. The text stands on one line there, also when it is compiled. */
export type Change = { readonly file: string; readonly text: string; readonly replacement: string };

/** Copies the service to `folder`, which is empty, with this change. */
export async function loadCopy(folder: string, { file, text, replacement }: Change): Promise<Code> {
  cpSync(fileURLToPath(new URL('../../../src', import.meta.url)), folder, { recursive: true });
  copyFileSync(new URL(import.meta.resolve('#package')), join(folder, 'package.json')); // files of the service may read it
  const path = join(folder, 'server', file + EXTENSION);
  const before = readFileSync(path, 'utf8');
  assert.ok(before.includes(text), `${file} does not have the text ${text}: change the text that is to be replaced`);
  writeFileSync(path, before.replaceAll(text, replacement));
  const load = (name: string) => import(pathToFileURL(join(folder, name + EXTENSION)).href);
  const [{ createApp }, { Turns }, { Valve }] = await Promise.all([load('app'), load('server/turns'), load('server/valve')]);
  return { createApp, Turns, Valve };
}
