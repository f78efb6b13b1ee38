// npm run test:fleet: restarts the service under load, as deploy/README.md says. Exits with 1 if a request is lost.
import { readFileSync } from 'node:fs';
import { listenElsewhere } from './held-socket.ts';
import { MEMBER_PORTS, PROXY_PORT, PROXY_TLS_PORT, startHaproxy, startNginx, TLS } from './proxies.ts';
import { restart } from './restart.ts';

setTimeout(() => process.exit(1), 300_000); // whatever happens
const localhost = { host: '127.0.0.1', servername: 'localhost', headers: { Host: 'localhost' } };
const plain = (port: number) => ({ ...localhost, port });
const secure = (port: number) => ({ ...localhost, port, ca: readFileSync(TLS.TLS_CERT_FILE) });
console.log(`Node ${process.version}`);
for (const isTls of [false, true]) {
  const title = `${isTls ? 'TLS' : 'TCP'} to the service,`;
  const addresses = (port: number) => [isTls ? secure(port) : plain(port)];
  const ports = (port: number) => (isTls ? { ...TLS, PORT: '0', HTTPS_PORT: String(port) } : { PORT: String(port) });
  const environment = (port: number) => ({ ...ports(port), ALLOWED_HOSTS: 'localhost' });
  const behind = { processes: MEMBER_PORTS.map(environment), addresses: [plain(PROXY_PORT), secure(PROXY_TLS_PORT)] };
  await restart({ title: `${title} HAProxy`, ...behind, startProxy: () => startHaproxy(isTls), rounds: 2 });
  await restart({ title: `${title} nginx`, ...behind, startProxy: () => startNginx(isTls), rounds: 4 });
  const { fd, port } = await listenElsewhere();
  const handed = { processes: [{ ...environment(port), LISTEN_FDNAMES: isTls ? 'https' : 'http' }], fd };
  await restart({ title: `${title} a socket that is handed over`, ...handed, addresses: addresses(port), rounds: 12 });
  const own = { processes: [environment(PROXY_PORT)], addresses: addresses(PROXY_PORT), isEverDown: true };
  await restart({ title: `${title} a port of its own`, ...own, rounds: 12 });
}
process.exit();
