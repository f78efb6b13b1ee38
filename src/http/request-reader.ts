// Reads the requests of a connection from its bytes, one at a time: a head, and the content behind it (RFC 9112 2.1).
import { contentOf, type Content } from './content.ts';
import { HeadReader } from './head-reader.ts';
import type { IsAllowed } from './head.ts';
import { LegalRequest, Refusal } from './request.ts';

export class RequestReader {
  /** Where the request ends in the bytes of the latest call. */
  end = 0;
  readonly #isAllowed: IsAllowed;
  #head: HeadReader;
  #content: Content | undefined; // when there is a head, and it says that content follows
  #request: LegalRequest | undefined;

  /** A request for a host that is not allowed is refused. */
  constructor(isAllowed: IsAllowed) {
    this.#isAllowed = isAllowed;
    this.#head = new HeadReader(isAllowed);
  }

  /** Whether a request has begun, and is not whole. Empty lines do not begin one. */
  get hasBegun(): boolean {
    return this.#head.hasBegun;
  }

  /** The request whose head has been read, and its content has not. */
  get request(): LegalRequest | undefined {
    return this.#request;
  }

  /**
   * Reads on in `bytes`, which follow those of the call before. Returns the request as soon as it is whole; or its refusal as soon as
   * that is known, behind which nothing may be read; otherwise undefined. What it returns does not depend on how the bytes are cut.
   */
  read(bytes: Buffer): LegalRequest | Refusal | undefined {
    if (this.#content !== undefined && this.#request !== undefined) return this.#readContent(this.#content, this.#request, bytes, 0);
    this.end = this.#head.read(bytes);
    const { result } = this.#head;
    if (!(result instanceof LegalRequest)) return result;
    if (result.contentLength === 0) return this.#whole(result);
    this.#request = result;
    this.#content = contentOf(result.contentLength);
    return this.#readContent(this.#content, result, bytes, this.end);
  }

  /** The refusal of the present request, which is not whole. */
  refusal(status: number): Refusal {
    return this.#request === undefined ? this.#head.refusal(status) : new Refusal(status, this.#request);
  }

  #readContent(content: Content, request: LegalRequest, bytes: Buffer, from: number): LegalRequest | Refusal | undefined {
    this.end = content.read(bytes, from);
    if (content.outcome === undefined) return undefined;
    return content.outcome === 'whole' ? this.#whole(request) : this.refusal(content.outcome);
  }

  #whole(request: LegalRequest): LegalRequest {
    this.#head = new HeadReader(this.#isAllowed);
    this.#request = this.#content = undefined;
    return request;
  }
}
