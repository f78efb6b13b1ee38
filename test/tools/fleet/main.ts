// npm run test:fleet: restarts the service while clients send requests. The exit code is 1 when a request is lost.
import { restartBehind } from './behind-proxy.ts';
import { restartOnHeldSocket } from './on-held-socket.ts';

const PATIENCE_MS = 300_000;

setTimeout(() => {
  console.error(`Not done within ${PATIENCE_MS / 1000} s.`);
  process.exit(1);
}, PATIENCE_MS);

console.log(`Node ${process.version}.`);
for (const tlsToMembers of [false, true]) {
  await restartBehind('HAProxy', tlsToMembers);
  await restartBehind('nginx', tlsToMembers);
}
await restartOnHeldSocket();
process.exit();
