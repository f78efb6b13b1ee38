// Performs the steps of a script on a connection.
import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import type { Line } from './line.ts';
import type { Script, Step } from './script.ts';

export type Outcome = {
  readonly received: Buffer;
  /** How many bytes were sent. */
  readonly sent: number;
  /** The client closed or reset the connection. */
  readonly hasLeft: boolean;
  /** The service ended the connection in an orderly way. */
  readonly ended: boolean;
  readonly error: Error | undefined;
};

/** Performs `steps` on `line`. Then it reads to the end, unless a step has closed the connection. */
export async function play({ steps }: Pick<Script, 'steps'>, { socket, end, close, reset }: Line): Promise<Outcome> {
  const chunks: Buffer[] = [];
  let sent = 0;
  let hasLeft = false;
  let ended = false;
  let error: Error | undefined;
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.once('end', () => {
    ended = true;
  });
  socket.on('error', (thrown) => {
    if (!ended) error = thrown;
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const over = Promise.race([closed, new Promise<void>((resolve) => socket.once('end', resolve))]);

  async function perform(step: Step): Promise<void> {
    switch (step.kind) {
      case 'send':
        sent += step.bytes.length;
        socket.write(step.bytes, 'latin1');
        break;
      case 'send single bytes':
        for (const byte of step.bytes) {
          sent += 1;
          socket.write(byte, 'latin1');
          await turn();
        }
        break;
      case 'pause':
        for (let turns = step.turns; turns > 0; turns--) await turn();
        break;
      case 'read':
        socket.resume();
        break;
      case 'stop reading':
        socket.pause();
        break;
      case 'end':
        end();
        break;
      case 'reset':
      case 'close':
        hasLeft = true;
        if (step.kind === 'reset') reset();
        else close();
    }
  }

  await Promise.race([once(socket, 'encrypted' in socket ? 'secureConnect' : 'connect').catch(() => {}), closed]);
  for (const step of steps) {
    if (socket.destroyed) break;
    await perform(step);
  }
  socket.resume();
  await over;
  socket.end();
  await closed;
  return { received: Buffer.concat(chunks), sent, hasLeft, ended, error };
}
