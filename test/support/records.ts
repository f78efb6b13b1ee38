// A TLS client whose records a test gets instead of the server: to change them, or to send many as one burst.
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { duplexPair } from 'node:stream';
import { connect } from 'node:tls';

/** Speaks TLS on `below`. Resolves when the handshake is over. */
export async function connectRecords(below: Socket) {
  let kept: Buffer[] | undefined;
  const [tap, far] = duplexPair();
  far.on('data', (bytes: Buffer) => kept?.push(bytes) ?? below.write(bytes)).on('end', () => below.end());
  below.on('error', () => {}).on('close', () => tap.destroy()).pipe(far);
  tap.on('error', () => {}).on('close', () => below.destroy());
  const client = connect({ socket: tap, rejectUnauthorized: false }).on('error', () => {});
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
