// How what a client sends gets to Node: what may not pass when it arrives waits for turns of its client, and passes in
// them, a piece in each. While a request waits for its reply, nothing passes; after the last one, all is discarded.
import { performance } from 'node:perf_hooks';
import { setImmediate, setTimeout } from 'node:timers';
import type { Ends } from './connection.ts';
import { createLastReply } from './last-reply.ts';
import { Pieces } from './pieces.ts';
import { Reader } from './reader.ts';
import type { Queue } from './turns.ts';

const EXCUSED_MS = 1_000;

export type Passage = ReturnType<typeof createPassage>;

/** If the client ends its side while its request waits, `halfClosed` is called; without that, Node closes it. */
export function createPassage(ends: Ends, halfClosed?: () => void) {
  const { socket, stream, connection, turns } = ends;
  const pieces = new Pieces();
  const reader = new Reader(socket, arrived);
  const lastReply = createLastReply(ends, reader, () => wait(true));
  let queue: Queue | undefined; // in which it waits for a turn
  let isNodeFull = false; // Node takes no more, because a handler does not read its content

  const isOpen = () => !stream.destroyed && !lastReply.isOver() && !isNodeFull;
  const isLong = () => reader.held.length > pieces.maxBytes;
  const hasMore = () => reader.held.length > 0; // than has passed

  // Whether that begins with more than empty lines: with those alone, a client could make us look at 64 KiB each time.
  function hasRequest(): boolean {
    const begin = reader.held.subarray(0, pieces.maxBytes);
    return pieces.emptyLines(begin) < begin.length;
  }

  // Whether that is of the next request, which waits for the reply to the current one.
  const hasNext = () => pieces.isComplete && hasRequest();

  socket.allowHalfOpen = true; // over TLS, too, a client may end its side and still read
  socket.on('end', () => {
    connection.isActive = true;
    proceed();
  });

  // Bytes arrive. If nobody waits, a piece passes at once of what is short, or begins with content of known length.
  function arrived(): void {
    if (lastReply.isOver()) return lastReply.discard();
    const isCheap = !isLong() || pieces.isSized;
    const mayPass = isCheap && isOpen() && !pieces.isComplete && !reader.isStopped;
    if (mayPass && turns.admitAhead()) pass();
    if (isLong()) reader.stop();
    proceed();
  }

  // What has not passed waits for a turn, empty lines, too: otherwise one client could go on and on. The next request
  // does not: its turn comes after the reply. But if it is short, reading on waits for one, to see its client leave.
  function proceed(): void {
    if (pieces.endRequest()) connection.changedAt = performance.now();
    if (!pieces.isArriving) lastReply.endContent();
    if (queue !== undefined || !isOpen()) return;
    if (!hasMore()) readOn();
    const needsTurn = hasNext() ? reader.isStopped && !isLong() : hasMore();
    if (needsTurn) wait(isLong());
    else if (socket.readableEnded) leave();
  }

  function wait(inLong: boolean): void {
    queue?.delete(takeTurn); // it waits once
    queue = inLong ? connection.client.long : connection.client.short;
    turns.wait(queue, takeTurn);
  }

  // Its turn: a piece passes, or it reads on, or what has arrived after the last reply is discarded.
  function takeTurn(): void {
    queue = undefined;
    if (hasNext() || lastReply.isOver()) readOn();
    else pass();
    if (lastReply.isOver()) reader.take();
    proceed();
  }

  function readOn(): void {
    // A read of 64 KiB may bring 2,800 records: those of TLS 1.3 with one byte of content have 23.
    if (reader.isStopped && 'encrypted' in socket) turns.endAfterOne();
    reader.readOn();
  }

  // A piece passes. Inside `push`, Node reads it; at the end of a head, the response that it makes calls `endHead`.
  function pass(): void {
    reader.take(pieces.emptyLines(reader.held));
    if (!hasMore() || pieces.isComplete) return;
    if (!pieces.hasBegun) connection.changedAt = performance.now();
    connection.isActive = true;
    stream.push(reader.take(pieces.next(reader.held)));
    isNodeFull = stream.readableLength > 0;
  }

  // The client has ended its side, and what it has sent has passed, except for further requests. If it waits for its
  // reply, that may just have been written: so not at once.
  function leave(): void {
    if (!pieces.isComplete) endReading();
    else if (halfClosed !== undefined || !hasMore()) setImmediate(halfClosed ?? endReading);
  }

  // Node closes the connection, and drops what it has not answered. Whoever has taken it over hears of its end.
  function endReading(): void {
    stream.push(null);
    stream.read(0); // so `end` is emitted even if nobody reads, as by a socket
  }

  // Whether part of a request waits for its turn. Meanwhile, its client is not quiet, and gets no 408.
  const isWaiting = () => queue !== undefined && hasRequest() && !lastReply.isOver();

  return {
    pieces, lastReply, hasMore, isWaiting,
    /** The connection is taken over, after a CONNECT or an Upgrade. Returns what is held of what follows that. */
    takeOver(): Buffer {
      connection.changedAt = performance.now(); // the head is over, and its time limits
      return reader.take();
    },
    /** What waits may have come whole: no 408 (RFC 9110 15.5.9). If it has not in a second, `refuse` is called. */
    excuse(refuse: () => void): boolean {
      const { changedAt } = connection; // another request has another
      const isLate = () => !stream.destroyed && connection.changedAt === changedAt && !pieces.isComplete;
      if (isWaiting()) setTimeout(() => { if (isLate()) refuse(); }, EXCUSED_MS).unref();
      return isWaiting();
    },
    /** Somebody has read from `stream`: Node, or who has taken the connection over. It may take more now. */
    wasRead(): void {
      if (!isNodeFull || stream.readableLength > 0) return;
      isNodeFull = false;
      proceed();
    },
    /** The request is answered. Its response has closed: the kernel has all of the reply, or there will be no more. */
    answered(): void {
      pieces.isAnswered = true;
      proceed();
    },
    /** The connection has closed, or Node's parser has failed: nothing more passes of what has arrived. */
    clear(): void {
      reader.take();
      if (stream.destroyed) queue?.delete(takeTurn);
    },
  };
}
