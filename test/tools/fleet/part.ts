// What the parts have in common: a service that is restarted, clients that send requests, and what went wrong.
import { startLoad } from '../../support/load.ts';
import { addressIn, handOver, serviceCommand, startProcess, type Environment } from '../../support/process.ts';
import { createClient, type Address, type Habits } from './clients.ts';

export type Member = { /** Asks it to stop, and resolves when it has ended. */ readonly stop: () => Promise<void> };

/** A part of the test. Its mistakes are sentences. */
export function createPart(address: Address, habits: readonly (readonly [count: number, Habits])[]) {
  const mistakes: string[] = [];
  let longestMs = 0;
  const replied = (ms: number) => { longestMs = Math.max(longestMs, ms); };
  const clients = habits.flatMap(([count, one]) => Array.from({ length: count }, () => createClient(address, one, replied)));

  return {
    mistakes,
    /** Starts the clients. */
    startClients: () => startLoad(clients),

    /** Starts the service, with the listening socket `fd` of this process if there is one. Resolves when it listens. */
    async start(name: string, env: Environment, fd?: number): Promise<Member> {
      const command = serviceCommand();
      const service = fd === undefined ? startProcess(command, env) : startProcess(handOver(command), { LISTEN_FDS: '1', ...env }, [fd]);
      addressIn(await service.nextLine());
      const ended = service.ended();
      return {
        async stop() {
          service.child.kill('SIGTERM');
          const { lines, code } = await ended;
          if (code !== 0) mistakes.push(`${name} has ended with exit code ${code}`);
          const bad = lines.filter(({ level, connectionsCut = 0 }) => level !== 'info' || connectionsCut !== 0);
          mistakes.push(...bad.map((line) => `${name}: ${JSON.stringify(line)}`));
        },
      };
    },

    /** Prints the results under `title`, and returns whether no request was lost and there was no other mistake. */
    report(title: string, { sent, faults }: Pick<ReturnType<typeof startLoad>, 'sent' | 'faults'>): boolean {
      console.log(`${title}: ${sent()} sent, ${lost(faults)} lost, the longest wait ${Math.round(longestMs)} ms`);
      for (const [fault, count] of faults) console.log(`  ${count} times ${fault}`);
      for (const mistake of mistakes) console.log(`  ${mistake}`);
      return faults.size === 0 && mistakes.length === 0;
    },
  };
}

/** How many requests were lost. */
export function lost(faults: ReadonlyMap<string, number>): number {
  return Array.from(faults.values()).reduce((sum, count) => sum + count, 0);
}
