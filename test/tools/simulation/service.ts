// The service of a sequence, and what it reports. It may be a copy in which some text of a file has been replaced.
import assert from 'node:assert/strict';
import { copyFileSync, cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createApp } from '../../../src/app.ts';
import { readConfiguration } from '../../../src/host/configuration.ts';
import type { FinishedRequest, Reports } from '../../../src/server/interface.ts';
import { createServerOn } from '../../../src/server/server.ts';
import { openTls } from '../../../src/transport/tls.ts';
import { openTcp, type OpenTransport } from '../../../src/transport/transport.ts';
import { Turns } from '../../../src/transport/turns.ts';
import { LIMITS, type Surroundings } from '../../support/sequences/steps.ts';

/** The parts of the service that a player needs. A copy of the service has others. */
export const CODE = { createApp, createServerOn, openTcp, openTls, Turns };
export type Code = Readonly<typeof CODE>;

/** Why a connection was closed because there were too many. */
export type Dropped = Parameters<Reports['dropped']>[0];

const GENERATED_AT = Date.UTC(2026, 10, 20, 10, 15, 30, 123);

/** Makes the service, with lists of what it reports; `note` is also told. Connections over TLS have the transport of `openSecure`. */
export async function makeService(
  code: Code, { maxConnections, turnCost }: Surroundings, openSecure: OpenTransport, note: (text: string) => void,
) {
  const records: FinishedRequest[] = [];
  const dropped: Dropped[] = [];
  const failures: unknown[] = [];
  const turns = new code.Turns(turnCost);
  const app = await code.createApp({
    ...readConfiguration({}),
    createServer: (options, tls) => {
      const open = tls === undefined ? code.openTcp : openSecure;
      return { ...code.createServerOn(open, { ...options, turns, limits: LIMITS }), setSecureContext: () => {} };
    },
    development: false,
    now: () => GENERATED_AT,
    keepAliveTimeoutMs: LIMITS.idleMs,
    maxConnections,
    reports: {
      failed: (error) => failures.push(error),
      refused: (reason) => note(`refused ${reason}`),
      ended: (reason) => note(`ended ${reason}`),
      dropped: (reason) => { dropped.push(reason); note(`dropped ${reason}`); },
      finished: (record) => {
        records.push(record);
        const { method, path, status, remoteAddress, aborted } = record;
        note(`record ${remoteAddress} ${method} ${path} ${status} ${aborted}`);
      },
    },
  });
  return { app, records, dropped, failures };
}

const EXTENSION = import.meta.url.slice(-3); // .ts, or .js when it has been compiled

/** A change to a file of src. The text is on one line there, and stays so when compiled. */
type Change = { readonly file: string; readonly text: string; readonly replacement: string };

/** Copies to `folder` what loads the changed file, and that with the change. The rest is loaded only once, so copies share it. */
export async function loadCopy(folder: string, { file, text, replacement }: Change): Promise<Code> {
  const source = fileURLToPath(new URL('../../../src', import.meta.url));
  const copied = ['server', dirname(file), `app${EXTENSION}`];
  for (const name of copied) cpSync(join(source, name), join(folder, name), { recursive: true });
  copyFileSync(new URL(import.meta.resolve('#package')), join(folder, 'package.json')); // it says that the files are modules
  const shared = ['api', 'host', 'http', 'transport'].filter((name) => !copied.includes(name));
  for (const name of shared) symlinkSync(join(source, name), join(folder, name));
  const path = join(folder, file + EXTENSION);
  const before = readFileSync(path, 'utf8');
  assert.ok(before.includes(text), `${file} does not have the text ${text}: change the text that is to be replaced`);
  writeFileSync(path, before.replaceAll(text, replacement));
  const load = (name: string) => import(pathToFileURL(join(folder, name + EXTENSION)).href);
  const files = ['app', 'server/server', 'transport/transport', 'transport/tls', 'transport/turns'];
  return Object.assign({}, ...await Promise.all(files.map(load)));
}
