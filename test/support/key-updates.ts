// Key updates of TLS 1.3 (RFC 8446 4.6.3) as an attacker prepares them. Node cannot send any.
import { createCipheriv, createHmac } from 'node:crypto';
import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { GET } from './exchange.ts';
import { iterations } from './sockets.ts';

// HKDF-Expand-Label (7.1), for TLS_AES_256_GCM_SHA384, which the server chooses.
function expand(secret: Buffer, name: string, length: number): Buffer {
  const label = `tls13 ${name}`;
  const info = Buffer.concat([Buffer.of(0, length, label.length), Buffer.from(label), Buffer.of(0, 1)]);
  return createHmac('sha384', secret).update(info).digest().subarray(0, length);
}

/** Sends a request on a connection that has just begun, and resolves with so many updates to be sent after it. */
export async function keyUpdates(client: TLSSocket, count: number): Promise<Buffer> {
  let secret: Buffer = Buffer.of();
  client.on('keylog', (line) => {
    const hex = /^CLIENT_TRAFFIC_SECRET_0 \w+ (\w+)/.exec(String(line))?.[1];
    if (hex !== undefined) secret = Buffer.from(hex, 'hex');
  });
  await once(client, 'secureConnect');
  await iterations(); // until then, it has not sent the end of that
  await new Promise((resolve) => client.write(GET, resolve));
  const head = Buffer.of(23, 3, 3, 0, 22); // of each record (5.2)
  let records = 1; // that have been sent with the current key
  return Buffer.concat(Array.from({ length: count }, () => {
    const nonce = expand(secret, 'iv', 12);
    nonce.writeUInt8(nonce.readUInt8(11) ^ records, 11); // 5.3
    const cipher = createCipheriv('aes-256-gcm', expand(secret, 'key', 32), nonce).setAAD(head);
    secret = expand(secret, 'traffic upd', 48);
    records = 0;
    return Buffer.concat([head, cipher.update(Buffer.of(24, 0, 0, 1, 0, 22)), cipher.final(), cipher.getAuthTag()]);
  }));
}
