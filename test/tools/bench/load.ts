// Starts the load generator and sends commands to it.
import type { Run, RunResult } from './load-run.ts';
import { startNode, LOAD_CPU } from './processes.ts';

export type Load = {
  /** Opens connections until there are this many to this port. */
  readonly open: (port: number, connections: number) => Promise<void>;
  readonly run: (run: Run) => Promise<RunResult>;
  /** Closes all connections to this port. */
  readonly close: (port: number) => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** Starts the load generator. */
export function startLoad(): Load {
  const generator = startNode(`${import.meta.dirname}/load-generator.js`, LOAD_CPU);

  function command(...words: readonly (string | number)[]): Promise<string> {
    generator.writeLine(words.join('\t'));
    return generator.readLine();
  }

  return {
    async open(port, connections) {
      await command('open', port, connections);
    },
    async run({ port, requestKind, path, connections, requests, timeMs }) {
      const line = await command('run', port, requestKind, path, connections, requests, timeMs);
      const [status = '', requestsPerSecond, p50, p99] = line.split('\t');
      return { status, requestsPerSecond: Number(requestsPerSecond), p50: Number(p50), p99: Number(p99) };
    },
    async close(port) {
      await command('close', port);
    },
    stop: generator.stop,
  };
}
