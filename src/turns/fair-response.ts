// Tells a valve which request Node has read, and when it is answered.
import { ServerResponse } from 'node:http';
import { Valve } from './valve.ts';

/** The response that Node makes at the end of each head: `http.createServer({ ServerResponse: FairResponse })`. */
export class FairResponse extends ServerResponse {
  constructor(...options: ConstructorParameters<typeof ServerResponse>) {
    super(...options);
    const { socket } = this.req;
    if (!(socket instanceof Valve)) return;
    socket.pieces.begin(this.req);
    this.on('close', () => socket.answered());
  }
}
