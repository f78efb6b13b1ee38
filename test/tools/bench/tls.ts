// Measures what a request and a connection cost over TLS.
import { tlsVariables } from '../../support/certificates.ts';
import { createLoad } from './load.ts';
import { cpuTimeOf, startServer, type Servers } from './processes.ts';
import { ask, openReady, requestBytes } from './requests.ts';
import { median, medianRatio, table } from './tables.ts';

const ROUNDS = 5;
const REQUESTS = 3_000; // of a measurement, on connections that are kept alive
const HANDSHAKES = 200; // of a measurement
const AT_ONCE = 10;
const SETTLE_MS = 20;

/** Prints the CPU time of a request on a kept-alive connection, and of a connection with a handshake and one request. */
export async function printTls(servers: Servers): Promise<void> {
  const env = tlsVariables();
  const figures = Array.from(servers.keys(), (server) => ({ server, kept: new Array<number>(), opened: new Array<number>() })); // µs
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { server: name, kept, opened } of figures) {
      const server = await startServer(servers.get(name) ?? '', env);
      const to = { port: server.tlsPort, isTls: true };
      const request = requestBytes('Host only', server.tlsPort, '/api/greetings');

      const load = createLoad(to);
      await load.run(request, REQUESTS * 2); // until V8 has compiled the code
      const { cpu } = await cpuTimeOf(server, SETTLE_MS, () => load.run(request, REQUESTS));
      kept.push(cpu / REQUESTS);
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
      opened.push(cpuOfAll / HANDSHAKES);
      await server.stop();
    }
  }
  const [baseline] = figures;
  const cells = (own: readonly number[], others: readonly number[] = []) => [median(own).toFixed(1), medianRatio(own, others).toFixed(2)];
  const rows = figures.map(({ server, kept, opened }) => [server, ...cells(kept, baseline?.kept), ...cells(opened, baseline?.opened)]);
  console.log(table([['server', 'kept-alive request µs', 'ratio', 'connection with handshake µs', 'ratio'], ...rows], 1));
}
