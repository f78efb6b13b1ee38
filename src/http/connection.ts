// The life of a connection. It is in one of these states:
//
// - open: its last request is not known yet.
// - closing: the head of its last request has been received. It is the last one because it says so (Connection: close,
//   HTTP/1.0 without keep-alive, Upgrade, Expect), or because the service was draining when it came. Its content may
//   still arrive. Later requests are not answered (RFC 9112 9.6).
// - ending: the last reply is known. It waits until the replies to earlier requests have left, which means that the
//   system has taken their bytes. When a request is refused, for example, an open connection goes to this state at once.
// - lingering: the last reply has been given to the socket, and our side has been ended. What the client still sends is
//   discarded, until the client ends its side or the time for that is over.
//
// In this file, the newest request is the one that was parsed most recently, of those that are answered.
import type { Socket } from 'node:net';
import type { Backlog } from './backlog.ts';
import type { CutOff } from './cut-off.ts';
import type { IncomingRequest, Response } from './incoming-request.ts';
import type { OpenRecords } from './reports.ts';

// A client that pipelines may have sent a few more requests before it learns which one was the last.
const MAX_REQUESTS_AFTER_LAST = 8;

export class Connection {
  readonly socket: Socket;
  /** Undefined when nobody keeps an access log. */
  readonly records: OpenRecords | undefined;
  #state: 'open' | 'closing' | 'ending' | 'lingering' = 'open';
  // The responses to the newest request and to the one before it. Replies leave in the order of the requests, so when
  // the newest has left, all have. The last reply is written without node's response, so node does not keep it in order:
  // `endWith` itself waits until the one before has left.
  #newest: Response | undefined;
  #previous: Response | undefined;
  #requestCount = 0;
  #requestsAfterLast = 0;
  #isLastByDraining = false;
  #isParserOff = false;

  readonly #queued: Backlog;
  readonly #ignored: Backlog;
  readonly #cutOff: CutOff;

  /**
   * Makes the connection of a socket that node has just begun to read. `queued` counts the queued replies, `ignored` the
   * requests after the last one.
   */
  constructor(socket: Socket, records: OpenRecords | undefined, queued: Backlog, ignored: Backlog, cutOff: CutOff) {
    this.socket = socket;
    this.records = records;
    this.#queued = queued;
    this.#ignored = ignored;
    this.#cutOff = cutOff;
    // An `error` event without a listener ends the process, and node removes its own listener when the method is
    // CONNECT. There is nothing to do: the client is gone.
    socket.on('error', () => {});
    // Over TLS node passes bytes to its parser even while the parser is paused, and the parser then reports a
    // legal request as illegal. A `data` listener makes node read through the stream, which stops when it is paused.
    if ('encrypted' in socket) socket.on('data', () => {});
    socket.allowHalfOpen = true; // node:http sets it, node:https does not: see the next listener
    // When the client ends its side, node's listener reports an incomplete request, or else it ends our side. Ending our side
    // would discard replies that have not left. So our listener takes its place, and calls node's listener when the replies
    // to all complete requests have left.
    const nodesListeners = socket.listeners('end');
    const callNodesListeners = () => {
      if (this.isEnding || socket.destroyed) return; // nothing is left to report
      for (const listener of nodesListeners) listener.call(socket);
    };
    socket.removeAllListeners('end').on('end', () => {
      const lastComplete = this.arrivingRequest === undefined ? this.#newest : this.#previous;
      if (lastComplete?.writableFinished === false) lastComplete.once('finish', callNodesListeners);
      else callNodesListeners();
    });
  }

  /** Whether the last request is not known yet. */
  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Whether the last reply is known: no other reply follows. */
  get isEnding(): boolean {
    return this.#state === 'ending' || this.#state === 'lingering';
  }

  /** Whether the last reply has been given to the socket, and our side has been ended. */
  get isLingering(): boolean {
    return this.#state === 'lingering';
  }

  /** Whether a request is in progress: its content is arriving, or its reply has not left. */
  get isBusy(): boolean {
    return this.#newest?.writableFinished === false;
  }

  /** The newest request, while its content is arriving. */
  get arrivingRequest(): IncomingRequest | undefined {
    const request = this.#newest?.req;
    return request?.complete === false ? request : undefined;
  }

  /** How many requests have been received to their end. */
  get receivedCount(): number {
    return this.arrivingRequest === undefined ? this.#requestCount : this.#requestCount - 1;
  }

  /**
   * Takes note of a new request; `response` is undefined when node makes no response for it. Returns false when
   * the request must be ignored: it came after the last one, or the socket has been destroyed.
   */
  noteRequest(response: Response | undefined): boolean {
    if (this.socket.destroyed) { // node still parses what it has read: see cut-off.ts
      this.#cutOff.countRequest(this.socket);
      return false;
    }
    this.#deliverContent();
    if (this.#state !== 'open') {
      this.#ignoreRequest(response);
      return false;
    }
    this.#requestCount += 1;
    this.#previous = this.#newest;
    this.#newest = response;
    if (response?.socket === null) this.#queued.add(this.socket, response); // the reply to it waits for an earlier one
    return true;
  }

  // Node keeps each request after the last one until the connection has closed. These requests are counted apart from the
  // queued replies. Otherwise other clients could be cut off because of them, and lose replies.
  #ignoreRequest(response: Response | undefined): void {
    // Node may pause the socket at this request, because many replies wait, and would resume it at the event `drain`. There is
    // no `drain` after `socket.end()`. So the socket is resumed here: what arrives is only discarded.
    if (this.#isParserOff) this.socket.resume();
    response?.req.resume(); // as long as its content is unread, node 20 does not read the socket
    this.#requestsAfterLast += 1;
    if (response !== undefined) this.#ignored.add(this.socket, response);
    this.#cutOffIfTooMany();
  }

  // A client that has sent too many requests after the last one is cut off when the last reply has been given to the socket.
  #cutOffIfTooMany(): void {
    if (!this.isLingering || this.#isLastByDraining || this.#requestsAfterLast <= MAX_REQUESTS_AFTER_LAST) return;
    this.#cutOff.cutOff(this.socket, this.#requestsAfterLast);
  }

  // Called before the next request takes the place of the newest one. Node may still buffer content of the newest one. It is
  // emitted here. When it is too large, the newest request gets 413, and is the last one.
  #deliverContent(): void {
    const request = this.#newest?.req;
    if (request !== undefined && request.readableLength > 0) while (request.read() !== null); // emits it as `data`
  }

  /** Whether `response` is to the newest request. Otherwise node has parsed another one since. */
  isNewest(response: Response): boolean {
    return this.#newest === response;
  }

  /**
   * Makes the newest request the last one, because the request says so, or because the service drains. A client cannot know
   * that the service drains, and may have sent more requests. They are not answered. But more than 8 of them are no reason to
   * cut the client off.
   */
  startClosing(reason: 'request' | 'draining'): void {
    this.#state = 'closing'; // open → closing
    this.#isLastByDraining = reason === 'draining';
  }

  /**
   * Sends `text`, the reply to the newest request, as the last one, when those to earlier requests have left. Closing a socket
   * with unread bytes resets the connection, and the reset can overtake the reply (RFC 9112 9.6). So our side is ended, and
   * what the client still sends is read without a parser and discarded. Node still parses what it has read already: see
   * `#ignoreRequest`.
   */
  endWith(text: string): void {
    this.#state = 'ending'; // open, closing → ending
    this.#takeParserOff();
    const linger = () => {
      if (this.socket.destroyed) return; // node 20 and 22 emit `finish` then, too
      this.socket.end(text, this.records?.close);
      this.#state = 'lingering'; // ending → lingering
      this.socket.resume();
      this.#cutOffIfTooMany();
    };
    if (this.#previous === undefined || this.#previous.writableFinished) linger();
    else this.#previous.once('finish', linger);
  }

  // Node parses what its `data` listener gets, and ends our side in its `end` listener.
  #takeParserOff(): void {
    this.#newest?.req.resume(); // discards content that has been parsed: as long as it is unread, node does not read the socket
    const takeOff = () => {
      this.#isParserOff = true;
      this.socket.removeAllListeners('data').removeAllListeners('end').on('data', () => {});
    };
    // While too many replies are unread, node has paused the socket, and will resume it. Node's listeners stay until then.
    if (this.socket.isPaused()) this.socket.once('resume', takeOff);
    else takeOff();
  }

  /** Forgets `response`, which takes some KiB, if it has left already. Most responses leave as soon as they are given to node. */
  forgetIfLeft(response: Response): void {
    const hasLeft = response.socket !== null && this.socket.writableLength === 0; // `writableFinished` may still be false
    if (hasLeft && this.#newest === response) this.#newest = undefined;
  }

  /** Forgets the responses that had not left yet when `forgetIfLeft` was called, and have left now. */
  forgetRepliesThatLeft(): void {
    if (this.#previous?.writableFinished) this.#previous = undefined;
    if (this.#newest?.writableFinished) this.#newest = undefined;
  }
}
