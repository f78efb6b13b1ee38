// Counts the requests that are lost when the service stops, which clients send on connections that they keep or not.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { tlsVariables } from '../../support/certificates.ts';
import type { Environment } from '../../support/process.ts';
import { startLoad } from '../fleet/load.ts';
import { SERVICE, startServer } from './processes.ts';

const STOPS = 4; // with a new server each time

/** Stops the service several times, over TCP and over TLS, and prints how many requests were lost. */
export async function printLost(): Promise<void> {
  const tls = tlsVariables();
  for (let stop = 0; stop < STOPS; stop += 1) await stopUnderLoad('TCP', {}, {});
  for (let stop = 0; stop < STOPS; stop += 1) await stopUnderLoad('TLS', tls, { ca: readFileSync(tls.TLS_CERT_FILE) });
}

async function stopUnderLoad(over: string, env: Environment, secure: RequestOptions): Promise<void> {
  const { child, port } = await startServer(SERVICE, env);
  const address = { ...secure, host: '127.0.0.1', port, servername: 'localhost' };
  const load = startLoad([address, address, address], true);
  await load.more();
  child.kill('SIGTERM');
  await once(child, 'close');
  await load.stop(over);
}
