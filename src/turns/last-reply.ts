// How a connection ends after its last reply: our side ends, and what the client still sends is discarded, until it has
// had time to read the reply. If we closed at once, it might lose that (RFC 9112 9.6).
import { setTimeout } from 'node:timers';
import type { Ends } from './connection.ts';
import type { Reader } from './reader.ts';

const CONTENT_MS = 1_000; // how long, at most, content of its request may still arrive
const DISCARD_MS = 50; // how often a read is discarded of what comes after that

/** `waitToDiscard` is called when a turn is wanted to discard a read. */
export function createLastReply({ connection, socket, stream }: Ends, reader: Reader, waitToDiscard: () => void) {
  let [isContentAwaited, isDiscarding] = [false, false]; // what was discarded once is not taken up again

  function endContent(): void {
    if (!isContentAwaited) return;
    isContentAwaited = false;
    connection.isActive = true; // the time to read it begins
    socket.end();
    reader.take(); // and forget
    if (reader.isStopped) discard();
  }

  function discard(): void {
    reader.take();
    reader.stop();
    setTimeout(() => { if (!stream.destroyed) waitToDiscard(); }, DISCARD_MS).unref();
  }

  return {
    /** Whether what arrives now comes after it, and after the content of its request. Then it stays so. */
    isOver: () => (isDiscarding ||= stream.writableEnded && !isContentAwaited),
    /** It has been written. While content `isArriving`, our side stays open: a proxy would close, too. */
    written(isArriving: boolean): void {
      isContentAwaited = true;
      if (isArriving && !isDiscarding && !socket.readableEnded) setTimeout(endContent, CONTENT_MS).unref();
      else endContent();
    },
    endContent, // no more content of its request comes: if our side is open for that, it ends
    discard, // stops reading; after a while, a turn discards a read, and if more arrives then, this is called again
  };
}
