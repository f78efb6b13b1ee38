// Plays the clients of a sequence against a service on a real socket, in real time.
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { setImmediate as iteration, setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { TIME_LIMITS } from '../../../src/http/limits.ts';
import { repliesIn, type Reply } from '../replies.ts';
import { hasLast, OF_CLIENT, type Known } from './invariants.ts';
import { inPieces, isWhole, Sending, type SentPart } from './part.ts';
import { isOfClient, type Step } from './steps.ts';

/** Where a service listens: on a port, or on a Unix socket. */
export type Place = { readonly port: number } | { readonly path: string };

const IDLE_MS = 60_000; // after this long the service may close a connection that is idle
const HANG_MS = 30_000; // longer than any time limit of the service

/**
 * Plays `steps`: those of clients, each on its own, and those in which time passes. At their end, each client reads what there is, and ends
 * its side. Throws what does not hold then. Resolves with the number of replies.
 */
export async function playOnSockets(steps: readonly Step[], place: Place, isSecure: boolean): Promise<number> {
  const numbers = new Set(steps.filter(isOfClient).map(({ client }) => client));
  const counts = await Promise.all(Array.from(numbers, (number) => playClient(number, steps, place, isSecure)));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function playClient(number: number, steps: readonly Step[], place: Place, isSecure: boolean): Promise<number> {
  const beganAt = performance.now();
  const sending = new Sending();
  const { parts } = sending;
  const replies: Reply[] = []; // the whole ones that have arrived
  let rest: Buffer = Buffer.alloc(0); // and what has arrived after them
  let hasRead = true; // it has never stopped reading
  let hasLeft = false; // it has reset the connection
  let isEnded = false; // the service has ended its side
  let isClosed = false;
  let fault: unknown; // what went wrong before its end
  let changed = () => {}; // to be called when the service has done something

  const { socket, reset } = open(place, isSecure);
  socket.on('data', (chunk: Buffer) => {
    const read = repliesIn(Buffer.concat([rest, chunk]));
    replies.push(...read.replies);
    ({ rest } = read);
    fault ??= read.fault;
    changed();
  });
  socket.once('end', () => { isEnded = true; changed(); });
  socket.on('error', (error) => { if (!isEnded) fault ??= error; });
  socket.once('close', () => { isClosed = true; changed(); });

  async function until(isSo: () => boolean): Promise<void> {
    while (!isClosed && !isSo()) await new Promise<void>((resolve) => { changed = resolve; });
  }

  // Each piece in an iteration of the event loop, and over TLS in a record of its own.
  async function send(bytes: string, size: number): Promise<void> {
    for (const [i, piece] of inPieces(bytes, size).entries()) {
      if (i > 0) await iteration();
      if (socket.writable) socket.write(piece, 'latin1');
    }
  }

  async function end(): Promise<void> {
    if (isSecure) { // node discards what has arrived over TLS and nobody has read when its side ends
      socket.resume();
      await iteration();
    }
    socket.end();
  }

  async function perform(step: Step): Promise<void> {
    switch (step.kind) {
      case 'send': if (socket.writable) await send(sending.next(step.parts, step.held), step.pieces); break;
      case 'more': if (socket.writable) await send(sending.more(step.bytes), step.pieces); break;
      case 'wait': return until(() => socket.isPaused() || isEnded || replies.length >= parts.filter(isWhole).length || hasLast(replies));
      case 'read': socket.resume(); break;
      case 'stop reading':
        hasRead = false;
        socket.pause();
        break;
      case 'end': return end();
      case 'reset':
        hasLeft = true;
        reset();
        break;
      case 'pass': await delay(step.ms);
    }
  }

  for (const step of steps) {
    const isOwn = !isOfClient(step) || step.client === number;
    if (isOwn && !hasLeft && !socket.destroyed) await perform(step);
    for (let i = 0; i < step.iterations; i += 1) await iteration();
  }
  await end();
  socket.resume();
  await until(() => false);

  const lastedMs = performance.now() - beganAt;
  const hasStayed = !hasLeft && lastedMs <= (hasRead ? IDLE_MS : TIME_LIMITS.lingerMs); // what is not read by then may be lost
  if (hasStayed && fault !== undefined) throw new Error(`After ${replies.length} replies: ${String(fault)}`);
  if (hasStayed && rest.length > 0) throw new Error(`A reply is incomplete: ${rest.toString('latin1')}`);
  const isLate = lastedMs > TIME_LIMITS.headMs;
  const known = (sent: SentPart): Known =>
    ({ isWhole: isWhole(sent) && isLate ? undefined : isWhole(sent), isDraining: false, hasEnded: true, isLate });
  const outcome = { parts, replies, known, bytesRead: hasStayed ? sending.length : 0, hasStayed, hasEnded: true, isEnded };
  for (const holds of OF_CLIENT) holds(outcome);
  return replies.length;
}

// The client's side stays open when the service has ended its own.
function open(place: Place, isSecure: boolean) {
  const where: NetConnectOpts = 'path' in place ? place : { ...place, host: '127.0.0.1', noDelay: true };
  const below = connect({ ...where, allowHalfOpen: true });
  const socket: Socket = isSecure ? connectTls({ socket: below, rejectUnauthorized: false }) : below;
  socket.setTimeout(HANG_MS, () => socket.destroy(new Error(`Nothing has happened for ${HANG_MS / 1000} s.`)));
  // Node 20 to 26 crash when both sockets are destroyed at once during a write, so they are destroyed in turn.
  if (isSecure) below.on('error', (error) => socket.destroy(error)).once('close', () => socket.destroy());
  return {
    socket,
    reset: () => { // node resets TCP only, and no connection whose own side has ended
      if (socket.writableEnded || below.remotePort === undefined) below.destroy();
      else below.resetAndDestroy();
    },
  };
}
