// The records of TLS (RFC 8446 5.1) in what a client sends: each has a header of five bytes (type, version, length), then `length` bytes.

const HEADER_BYTES = 5, LENGTH_FROM = 3, HANDSHAKE = 22;

/** Follows the records of a connection, wherever the network splits them. */
export class Records {
  handshakeBytes = 0; // in all records of the type handshake so far: all that a client sends of it, up to TLS 1.2, or its unencrypted part
  #type: number | undefined; // of the current record
  #passed = 0; // bytes of it
  #length = 0; // of it without its header, as far as it is known

  /** Whether a record has begun, and is not complete. */
  get hasBegun(): boolean { return this.#passed > 0; }

  /**
   * The length of the piece of `bytes` that passes, and how many records begin in it: one begins only while the piece costs less than
   * `enough`, which is its bytes, and `recordCost` for each record that has begun.
   */
  pass(bytes: Buffer, enough: number, recordCost: number): { readonly length: number; readonly count: number } {
    let length = 0, count = 0;
    for (let part: number; length < bytes.length; length += part) { // a byte of a header at a time, then the rest of the record
      if (this.#passed === 0) { // a record begins
        if (length + count * recordCost >= enough) break;
        count += 1;
        this.#type = bytes[length];
      }
      const isInHeader = this.#passed < HEADER_BYTES;
      if (isInHeader && this.#passed >= LENGTH_FROM) this.#length = 256 * this.#length + bytes.readUInt8(length);
      part = isInHeader ? 1 : Math.min(bytes.length - length, HEADER_BYTES + this.#length - this.#passed);
      this.#passed += part;
      if (this.#type === HANDSHAKE) this.handshakeBytes += part;
      if (this.#passed === HEADER_BYTES + this.#length) this.#passed = this.#length = 0;
    }
    return { length, count };
  }
}
