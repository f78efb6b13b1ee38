// The valve between a socket and TLS. Node decrypts in one go all that TLS is given, and the client chooses what that is: 16 KiB can be one
// record, or 700 records of one byte each. So records are counted, and TLS gets them a piece at a time.
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { createIntake } from './intake.ts';
import { Records } from './records.ts';
import { write } from './transport.ts';
import { BUDGET, type Turns } from './turns.ts';

const ENOUGH = 15 * 1024; // no further record begins in a piece that has cost this much: its bytes, and RECORD_COST for each record
const RECORD_COST = 1024; // what a record costs besides its bytes
const MAX_HANDSHAKE_BYTES = 8 * 1024; // on a connection. OpenSSL can take 100 ms for a ClientHello of 64 KiB.
const HANDSHAKE_COST = BUDGET / 2; // what a piece of a handshake costs besides its bytes: it may require the key exchange and a signature

/** A valve: what is written to its `stream` is written to `carrier`, which comes from `client`, and they are closed together. */
export function createValve(carrier: Socket, client: string, turns: Turns, isReady: () => boolean) {
  const records = new Records();
  let isAsked = false; // TLS has asked for bytes, and has received none since

  // https://nodejs.org/api/stream.html#implementing-a-duplex-stream
  const stream: Duplex = new Duplex({
    readableHighWaterMark: 0,
    read: () => { isAsked = true; intake.proceed(); },
    write: (bytes: Buffer, _, done) => write(carrier, bytes, () => { done(); intake.proceed(); }),
    final: (done) => { carrier.end(); done(); },
    destroy: (error, done) => { carrier.destroy(); done(error); },
  });
  const intake = createIntake(carrier, client, turns, {
    accepts: () => isAsked && stream.writableLength === 0, // TLS answers some records by itself: first the kernel takes the answers
    consume: (bytes) => {
      const { length, count } = records.pass(bytes, ENOUGH, RECORD_COST);
      turns.spend(isReady() ? RECORD_COST * count : HANDSHAKE_COST);
      isAsked = false;
      if (records.handshakeBytes > MAX_HANDSHAKE_BYTES) carrier.destroy();
      else stream.push(bytes.subarray(0, length));
      return length;
    },
    ended: () => { stream.push(null); },
  }, () => !isReady());
  carrier.on('error', () => {}); // without a listener, an error would end the process; `close` follows
  carrier.on('close', () => stream.destroy());

  return {
    stream,
    hasStalled: intake.hasStalled,
    /** Whether something has arrived that TLS has not decrypted, if only the first byte of a record. */
    isHolding: (): boolean => intake.isHolding() || stream.readableLength > 0 || records.hasBegun,
  };
}
