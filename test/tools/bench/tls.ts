// Measures what a request and a connection cost over TLS.
import { tlsVariables } from '../../support/certificates.ts';
import { Load } from './load.ts';
import { cpuTimeOf, startServer, type Servers } from './processes.ts';
import { requestBytes } from './request-kinds.ts';
import { ask, openReady } from './sockets.ts';
import { median, medianRatio } from './statistics.ts';
import { table } from './tables.ts';

const ROUNDS = 5;
const CONNECTIONS = 50;
const REQUESTS = 3_000; // of a measurement, on connections that are kept alive
const HANDSHAKES = 200; // of a measurement
const AT_ONCE = 10;
const SETTLE_MS = 20;

/** Prints the CPU time of a request on a kept-alive connection, and of a connection with a handshake and one request. */
export async function printTls(servers: Servers): Promise<void> {
  const env = tlsVariables();
  const kept = new Map<string, number[]>(), opened = new Map<string, number[]>(); // µs of each server
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, script] of servers) {
      const server = await startServer(script, env);
      const to = { port: server.tlsPort, isTls: true };
      const request = requestBytes('Host only', server.tlsPort, '/api/greetings');

      const load = new Load(to);
      await load.open(CONNECTIONS);
      await load.run(request, CONNECTIONS, REQUESTS * 2); // until V8 has compiled the code
      const { cpu } = await cpuTimeOf(server, SETTLE_MS, () => load.run(request, CONNECTIONS, REQUESTS));
      kept.set(name, [...kept.get(name) ?? [], cpu / REQUESTS]);
      load.close();

      const openAll = () => Promise.all(Array.from({ length: AT_ONCE }, async () => {
        for (let count = 0; count < HANDSHAKES / AT_ONCE; count += 1) {
          const socket = await openReady(to);
          await ask(socket, request);
          socket.destroy();
        }
      }));
      await openAll();
      const { cpu: cpuOfAll } = await cpuTimeOf(server, SETTLE_MS, openAll);
      opened.set(name, [...opened.get(name) ?? [], cpuOfAll / HANDSHAKES]);
      await server.stop();
    }
  }
  const figures = (of: ReadonlyMap<string, readonly number[]>, name: string) =>
    [median(of.get(name) ?? []).toFixed(1), medianRatio(of.get(name) ?? [], of.get('floor') ?? []).toFixed(2)];
  const rows = Array.from(servers.keys(), (name) => [name, ...figures(kept, name), ...figures(opened, name)]);
  console.log(table([['server', 'kept-alive request µs', 'ratio', 'connection with handshake µs', 'ratio'], ...rows], 1));
}
