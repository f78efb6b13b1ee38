// The records of TLS (RFC 8446 5.1) in what a client sends: a header of five bytes (type, version, length), and what it announces.

const HEADER_BYTES = 5;

/** Follows the records of a connection, wherever the network cuts them. */
export class Records {
  #headerBytes = 0; // of the present record that have passed
  #length = 0; // of the present record without its header, as far as it is known
  #bodyBytes = 0; // of the present record that have passed

  /** Whether a record has begun, and is not whole. */
  get isInside(): boolean { return this.#headerBytes > 0; }

  /**
   * Passes the bytes of `piece` up to the record with which they would cost more than `maxCost`, where each record costs `recordCost` more
   * than its bytes. Returns how many bytes those are, and how many records begin in them.
   */
  pass(piece: Buffer, maxCost: number, recordCost: number): { readonly length: number; readonly records: number } {
    let length = 0, records = 0;
    while (length < piece.length) {
      if (!this.isInside) {
        if (records > 0 && length + (records + 1) * recordCost >= maxCost) break;
        records += 1;
      }
      length += this.#headerBytes < HEADER_BYTES ? this.#passHeaderByte(piece.readUInt8(length)) : this.#passBody(piece.length - length);
      if (this.#headerBytes === HEADER_BYTES && this.#bodyBytes === this.#length) this.#headerBytes = this.#length = this.#bodyBytes = 0;
    }
    return { length, records };
  }

  #passHeaderByte(byte: number): number {
    this.#headerBytes += 1;
    if (this.#headerBytes >= HEADER_BYTES - 1) this.#length = 256 * this.#length + byte; // the last two bytes
    return 1;
  }

  #passBody(available: number): number {
    const count = Math.min(available, this.#length - this.#bodyBytes);
    this.#bodyBytes += count;
    return count;
  }
}
