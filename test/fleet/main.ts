// npm run test:fleet: restarts under clients that send without pause. Exit code 1 when a single request is lost.
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
