// The life of a connection.
//
// It is open until its last request is seen: one that is refused, one that asks for it, any request while
// the service drains, or bytes that are no request. Then it is closing: nothing that comes after that
// request is answered (RFC 9112 9.6), but its content may still arrive. When the last reply is known the
// connection is ending: the reply waits until the replies to earlier requests have left. When it has been
// written and our side has been ended, the connection is lingering: what the client still sends is thrown
// away, until the client ends its side or the time for that is over.
import type { Socket } from 'node:net';
import type { Backlog } from './backlog.ts';
import type { IncomingRequest, Response } from './incoming-request.ts';

/** Told when a reply has left; with an error when the client left first. */
export type Sent = (error?: Error | null) => void;

// A client that pipelines may have sent a few more requests before it learns which one was the last.
const MAX_REQUESTS_BEHIND = 8;

export class Connection {
  readonly socket: Socket;
  #state: 'open' | 'closing' | 'ending' | 'lingering' = 'open';
  // The responses to the latest request and to the one before it. A connection is used one request after
  // the other, so when the latest has left, all have.
  #latest: Response | undefined;
  #previous: Response | undefined;
  #requestsBehind = 0;
  #isUnexpected = false;
  #isParserOff = false;

  readonly #backlog: Backlog;
  readonly #cutOff: (socket: Socket) => void;

  /** Of a socket that node has just begun to parse. `cutOff` ends the connection of a client that sends too much. */
  constructor(socket: Socket, backlog: Backlog, cutOff: (socket: Socket) => void) {
    this.socket = socket;
    this.#backlog = backlog;
    this.#cutOff = cutOff;
    // An error without a listener ends the process, and node takes its own listener off before it hands
    // over a CONNECT. There is nothing to do: the client is gone.
    socket.on('error', () => {});
    // Over TLS node gives its parser more even when it has paused it, and then calls a legal request illegal.
    // With a listener of ours the bytes come through the stream, which can be paused.
    if ('encrypted' in socket) socket.on('data', () => {});
    socket.allowHalfOpen = true; // node:http sets it, node:https does not: see the next listener
    const nodesListeners = socket.listeners('end');
    socket.removeAllListeners('end');
    socket.on('end', () => {
      if (this.isEnding) return; // the last reply is known already, but the socket is paused and the parser still on it
      // Node's listener ends our side at once, but a client that has ended its side only is still owed the
      // replies that have not left. It also reports a request that breaks off.
      if (this.isBusy && this.arrivingRequest === undefined) this.#endAfter(this.#latest, () => socket.end());
      else for (const listener of nodesListeners) listener.call(socket);
    });
  }

  /** Whether the last request has not been seen yet. */
  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Whether the last reply is known: nothing can be added to it. */
  get isEnding(): boolean {
    return this.#state === 'ending' || this.#state === 'lingering';
  }

  /** Whether the last reply has been written, and only the end of the client's side is awaited. */
  get isLingering(): boolean {
    return this.#state === 'lingering';
  }

  /** Whether a request is in progress: its content is arriving, or its reply has not left. */
  get isBusy(): boolean {
    return this.#latest?.writableFinished === false || this.#previous?.writableFinished === false;
  }

  /** Whether a reply has been made and has not left. */
  get hasWaitingReplies(): boolean {
    return [this.#previous, this.#latest].some((response) => response?.writableEnded === true && !response.writableFinished);
  }

  /** The latest request, while its content is arriving. */
  get arrivingRequest(): IncomingRequest | undefined {
    const request = this.#latest?.req;
    return request?.complete === false ? request : undefined;
  }

  /**
   * Takes note of the latest request; `response` is undefined for one that node makes no response for.
   * False: it came after the last request, and must be ignored.
   */
  noteRequest(response: Response | undefined): boolean {
    if (response?.socket === null) {
      if (this.socket.destroyed) return false; // cut, while node parses to its end what it has read
      this.#backlog.add(this.socket, response);
    }
    this.#deliverContent();
    if (this.#state === 'open') {
      this.#previous = this.#latest;
      this.#latest = response;
      return true;
    }
    if (this.#isParserOff) this.socket.resume(); // node stops it for each request that it still parses
    this.#requestsBehind += 1;
    // Node parses to its end what it has read already, and keeps a request and a response for each request.
    if (this.isLingering && !this.#isUnexpected && this.#requestsBehind > MAX_REQUESTS_BEHIND) this.#cutOff(this.socket);
    return false;
  }

  // Node may parse the next request before it hands on the last content of this one, and that content may turn
  // out to be too large: then this one is the last.
  #deliverContent(): void {
    const request = this.#latest?.req;
    if (request !== undefined && request.readableLength > 0) while (request.read() !== null); // emits it as `data`
  }

  /** Whether `response` is to the latest request. */
  isLatest(response: Response): boolean {
    return this.#latest === response;
  }

  /**
   * The latest request is the last one. `isUnexpected`: the client could not know that when it sent the
   * requests behind it, so it is not cut for them, which might take earlier replies from it.
   */
  startClosing(isUnexpected: boolean): void {
    this.#state = 'closing'; // open → closing
    this.#isUnexpected = isUnexpected;
  }

  /** Sends `text`, the reply to the latest request, as the last one, when those to earlier requests have left. */
  endWith(text: string, sent: Sent): void {
    this.#endAfter(this.#previous, () => this.socket.end(text, sent));
  }

  // Closing a socket with unread bytes resets the connection, and the reset can overtake the reply (RFC
  // 9112 9.6). So: write, end our side, and read on without a parser until the client ends its own.
  #endAfter(earlier: Response | undefined, end: () => void): void {
    this.#state = 'ending'; // open, closing → ending
    this.#takeParserOff();
    const linger = () => {
      end();
      this.#state = 'lingering'; // ending → lingering
      this.socket.resume();
    };
    if (earlier === undefined || earlier.writableFinished) linger();
    else earlier.once('finish', linger);
  }

  // Node parses what its `data` listener gets, and ends our side in its `end` listener.
  #takeParserOff(): void {
    this.#latest?.req.resume(); // content that has been parsed already would keep node from reading on
    const takeOff = () => {
      this.#isParserOff = true;
      this.socket.removeAllListeners('data').removeAllListeners('end').on('data', () => {});
    };
    // While replies wait to be read node reads nothing, and only its own listeners can begin to read again.
    if (this.socket.isPaused()) this.socket.once('resume', takeOff);
    else takeOff();
  }

  /** Forgets `response`, to the latest request, if it has left already, as most have at once: it holds some KiB. */
  forgetIfSent(response: Response): void {
    const hasLeft = response.socket !== null && this.socket.writableLength === 0; // not waiting for another, and not for the client
    if (hasLeft && this.#latest === response) this.#latest = undefined;
  }

  /** Forgets responses that have left since. */
  forgetSentReplies(): void {
    if (this.#previous?.writableFinished) this.#previous = undefined;
    if (this.#latest?.writableFinished) this.#latest = undefined;
  }
}
