// What the kernel keeps of a connection in memory for a client: bytes that the service has sent and the client has not read.

export class SendBuffer {
  /** What the client has read. */
  received = Buffer.alloc(0);
  readonly #room: number;
  #unread = Buffer.alloc(0);
  #isRead = true;

  /** Takes `room` bytes while the client does not read. */
  constructor(room: number) {
    this.#room = room;
  }

  get isEmpty(): boolean { return this.#unread.length === 0; }

  /** Takes as many of these bytes as it has room for, and returns how many. */
  take(bytes: Buffer): number {
    const count = this.#isRead ? bytes.length : Math.max(0, Math.min(bytes.length, this.#room - this.#unread.length));
    this.#unread = Buffer.concat([this.#unread, bytes.subarray(0, count)]);
    if (this.#isRead) this.read(count);
    return count;
  }

  /** The client reads all bytes from now on, or none. */
  setRead(isRead: boolean): void {
    this.#isRead = isRead;
    if (isRead) this.read(this.#unread.length);
  }

  /** The client reads at most this many bytes. */
  read(count: number): void {
    this.received = Buffer.concat([this.received, this.#unread.subarray(0, count)]);
    this.#unread = this.#unread.subarray(count);
  }

  /** After a reset nobody can read what has not been read. */
  discard(): void { this.#unread = Buffer.alloc(0); }
}
