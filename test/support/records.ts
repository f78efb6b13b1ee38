// A TLS client whose records a test gets instead of the server: to change them, or to send many as one burst.
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect, type ConnectionOptions } from 'node:tls';

/** Speaks TLS on `below`. Resolves when the handshake is over. */
export async function connectRecords(below: Socket, options: ConnectionOptions = {}) {
  let kept: Buffer[] | undefined;
  const tap = new Duplex({
    read: () => below.resume(),
    write(bytes: Buffer, _, done) {
      kept?.push(bytes);
      if (kept !== undefined) done();
      else below.write(bytes, () => done());
    },
    final: (done) => void below.end(done),
    destroy(error, done) {
      below.destroy();
      done(error);
    },
  }).on('error', () => {});
  below.on('data', (bytes: Buffer) => { if (!tap.push(bytes)) below.pause(); });
  below.on('end', () => tap.push(null)).on('error', () => {}).on('close', () => tap.destroy());
  const client = connect({ socket: tap, rejectUnauthorized: false, ...options }).on('error', () => {});
  await once(client, 'secureConnect');
  return {
    client,
    /** The records of these texts, one for each. They have not been sent; written to the socket below, they are sent. */
    recordsOf: async (texts: Iterable<string>): Promise<Buffer> => {
      const records: Buffer[] = kept = [];
      for (const text of texts) await new Promise((resolve) => client.write(text, 'latin1', resolve));
      kept = undefined;
      return Buffer.concat(records);
    },
  };
}
