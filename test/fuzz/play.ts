// Performs the steps of a script on a connection.
import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import type { Line } from './line.ts';
import type { Script, Step } from './script.ts';

/** The moment when the service was told to drain or to stop. */
export type Told = {
  readonly what: 'drain' | 'stop';
  /** How many bytes had been sent by then. */
  readonly sent: number;
  /** How many replies had begun to arrive by then. */
  readonly replies: number;
  /** Whether the service had read all these bytes; undefined: that is unknown. */
  readonly isAllRead: boolean | undefined;
};

export type Outcome = {
  readonly received: Buffer;
  /** How many bytes were sent. */
  readonly sent: number;
  /** The client closed or reset the connection. */
  readonly hasLeft: boolean;
  /** The service ended the connection in an orderly way. */
  readonly ended: boolean;
  readonly error: Error | undefined;
  readonly told: Told | undefined;
};

/** Tells the service to drain or to stop; returns whether it had read `sent` bytes of this connection. */
export type Tell = (what: 'drain' | 'stop', localPort: number | undefined, sent: number) => boolean | undefined;

/** Performs `steps` on `line`. Then it reads to the end, unless a step has closed the connection. */
export async function play({ steps }: Pick<Script, 'steps'>, { socket, end, close, reset }: Line, tell: Tell): Promise<Outcome> {
  const chunks: Buffer[] = [];
  let sent = 0;
  let hasLeft = false;
  let ended = false;
  let error: Error | undefined;
  let told: Told | undefined;
  let replies = 0;
  let arrival = () => {};
  socket.on('data', (chunk: Buffer) => {
    replies += statusLines(chunks.at(-1), chunk);
    chunks.push(chunk);
    arrival();
  });
  socket.once('end', () => {
    ended = true;
    arrival();
  });
  socket.on('error', (thrown) => {
    if (!ended) error = thrown;
  });
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      arrival();
      resolve();
    });
  });

  async function untilReplies(count: number): Promise<void> {
    socket.resume();
    while (!ended && !socket.closed && replies < count) {
      await new Promise<void>((resolve) => {
        arrival = resolve;
      });
    }
  }

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
      case 'await':
        await untilReplies(step.replies);
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
        break;
      case 'drain':
      case 'stop':
        told = { what: step.kind, sent, replies, isAllRead: tell(step.kind, socket.localPort, sent) };
    }
  }

  await Promise.race([once(socket, 'encrypted' in socket ? 'secureConnect' : 'connect').catch(() => {}), closed]);
  for (const step of steps) {
    if (socket.destroyed) break;
    await perform(step);
  }
  socket.resume();
  while (!ended && !socket.closed) {
    await new Promise<void>((resolve) => {
      arrival = resolve;
    });
  }
  socket.end();
  await closed;
  return { received: Buffer.concat(chunks), sent, hasLeft, ended, error, told };
}

const VERSION = 'HTTP/1.1 ';

/** How many status lines can be recognized with `chunk` and could not be with `previous` alone. */
function statusLines(previous: Buffer | undefined, chunk: Buffer): number {
  const end = previous?.toString('latin1', Math.max(0, previous.length - VERSION.length + 1)) ?? '';
  return (end + chunk.toString('latin1')).split(VERSION).length - 1;
}
