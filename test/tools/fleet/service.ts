// The service that is restarted.
import { addressIn, startProcess, type Environment } from '../../support/process.ts';

/** Starts it, with the listening socket `fd` of this process if there is one. Resolves when it listens. */
export async function startService(env: Environment, fd?: number) {
  const service = startProcess(env, [], fd === undefined ? [] : [fd]);
  addressIn(await service.nextLine());
  const ended = service.ended();
  return {
    /** Rejects when it has cut a connection, or has logged an error. */
    stop: async () => {
      service.child.kill('SIGTERM');
      const { lines, code } = await ended;
      const bad = lines.filter(({ level, connectionsCut = 0 }) => level === 'error' || level === 'fatal' || connectionsCut !== 0);
      if (code !== 0 || bad.length > 0) throw new Error(`The service has ended with exit code ${code}: ${JSON.stringify(bad)}`);
    },
  };
}
