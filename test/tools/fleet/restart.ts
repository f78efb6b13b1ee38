// Restarts processes of the service in turn, under load: a new one is started when the old one has ended.
import { addressIn, startProcess, type Environment } from '../../support/process.ts';
import { startLoad, type Address } from './load.ts';
import type { Proxy } from './proxies.ts';

type Way = Readonly<{
  title: string; rounds: number;
  processes: readonly Environment[]; addresses: readonly Address[]; // where clients connect
  startProxy?: () => Promise<Proxy>;
  fd?: number; // a listening socket of this process, which is handed over
  isEverDown?: boolean; // nobody listens during a restart
}>;

/** Restarts each process so many times, and prints the results. */
export async function restart({ title, processes, fd, startProxy, addresses, rounds, isEverDown = false }: Way) {
  const stops = await Promise.all(processes.map((env) => startService(env, fd)));
  const proxy = await startProxy?.();
  const load = startLoad(addresses, isEverDown);
  for (let round = 0; round < rounds; round += 1) {
    await load.more();
    for (const [i, env] of processes.entries()) {
      await stops[i]?.();
      const isUsedAgain = proxy?.isUsedAgain(i);
      stops[i] = await startService(env, fd);
      await isUsedAgain;
    }
  }
  await load.more();
  await load.stop(`${title}, ${rounds * processes.length} restarts`);
  await Promise.all(stops.map((stop) => stop())); // before the proxy, so that none loses a check in the middle
  await proxy?.stop();
}

// Resolves when it listens, with what stops it. That rejects when a request was cut or an error was logged.
async function startService(env: Environment, fd?: number): Promise<() => Promise<void>> {
  const { child, nextLine, ended } = startProcess(env, [], fd === undefined ? [] : [fd]);
  addressIn(await nextLine());
  const end = ended();
  return async () => {
    child.kill('SIGTERM');
    const { lines, code } = await end;
    const isBad = lines.some(({ level, connectionsCut = 0 }) => level === 'error' || connectionsCut !== 0);
    if (code !== 0 || isBad) throw new Error(`The service has ended with ${code}: ${JSON.stringify(lines)}`);
  };
}
