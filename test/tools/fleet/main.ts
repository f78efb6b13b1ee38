// npm run test:fleet: restarts the service while clients send requests. The exit code is 1 when a request is lost.
import { restartBehindProxy } from './behind-proxy.ts';
import { restartOnHeldSocket } from './on-held-socket.ts';

const PATIENCE_MS = 170_000;

setTimeout(() => {
  console.error(`Not done within ${PATIENCE_MS / 1000} s.`);
  process.exit(1);
}, PATIENCE_MS);

console.log(`Node ${process.version}.`);
const outcomes = [await restartBehindProxy(), await restartOnHeldSocket('TCP'), await restartOnHeldSocket('Unix')];
process.exit(outcomes.includes(false) ? 1 : 0);
