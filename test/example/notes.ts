// An example: another service in one file, made from src/server, src/turns and src/http. It keeps notes, and a journal.
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { open } from 'node:fs/promises';
import { contentReply, emptyReply, validationProblem } from '../../src/http/reply.ts';
import type { Handler } from '../../src/http/request.ts';
import { createRouter } from '../../src/http/router.ts';
import { createSeats } from '../../src/http/seats.ts';
import { createServer, type ServerSetup } from '../../src/server/server.ts';
import { clientOf, createFairServer } from '../../src/turns/fair-server.ts';

const MAX_BYTES = 4 * 1024;

export type NotesOptions = Pick<ServerSetup, 'reports' | 'keepAliveTimeoutMs' | 'isTrustedProxy'> & {
  readonly journalFile: string;
  readonly token: string;
  readonly maxNotes: number; // without a bound, clients could fill the memory
};

/** Creates the service: who has the token may add and delete notes, and each change is a line of the journal. */
export async function createNotes({ journalFile, token, maxNotes, ...options }: NotesOptions) {
  const notes = new Map<string, string>();
  const journal = await open(journalFile, 'a');
  let isDraining = false;

  const addNote: Handler = async ({ content, headers, traceparent }) => {
    if (!isJson(headers['content-type'])) return emptyReply(415, { Accept: 'application/json' });
    const text = textIn(content);
    if (text === undefined) return validationProblem({ text: ['It must be a string.'] }, traceparent);
    if (notes.size >= maxNotes) return emptyReply(507);
    const id = randomUUID();
    notes.set(id, text); // at once: while this waits, other handlers run, which count notes, too
    await journal.appendFile(`${JSON.stringify({ id, text })}\n`);
    return emptyReply(201, { Location: `/notes/${id}` });
  };

  const getNote: Handler = ({ params: { id = '' } }) => {
    const text = notes.get(id);
    return text === undefined ? emptyReply(404) : contentReply(200, 'application/json', JSON.stringify({ text }));
  };

  const deleteNote: Handler = async ({ params: { id = '' } }) => {
    if (!notes.delete(id)) return emptyReply(404);
    await journal.appendFile(`${JSON.stringify({ id })}\n`);
    return emptyReply(204);
  };

  const disk = createSeats(4); // as many as Node reads and writes files at once, for all
  const router = createRouter({
    '/health': { GET: () => emptyReply(isDraining ? 503 : 204) },
    '/notes': { POST: { handler: withToken(token, addNote), seats: disk, maxContentBytes: MAX_BYTES } },
    '/notes/:id': { GET: getNote, DELETE: { handler: withToken(token, deleteNote), seats: disk } },
  });
  const server = createServer({
    ...options, router, clientOf, createHttpServer: createFairServer, headRules: {}, isDraining: () => isDraining,
  });
  return {
    ...server,
    startDraining: () => { isDraining = true; },
    close: async () => {
      await server.close(); // waits for handlers, even of clients who have gone
      await journal.close();
    },
  };
}

/** Lets only those ask `handler` who have the token. Digests are compared, because they take the same time for all. */
function withToken(token: string, handler: Handler): Handler {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const expected = digest(`Bearer ${token}`);
  return (request) => {
    const { authorization = '' } = request.headers;
    const sent = authorization.replace(/^Bearer +/i, 'Bearer '); // in any case: RFC 9110 11.1
    if (timingSafeEqual(digest(sent), expected)) return handler(request);
    return emptyReply(401, { 'WWW-Authenticate': 'Bearer' });
  };
}

// RFC 9110 8.3.1: in any case, perhaps with parameters.
const isJson = (contentType = '') => /^application\/json *(?:;|$)/i.test(contentType);

function textIn(content: Buffer): string | undefined {
  try {
    const { text }: { readonly text?: unknown } = JSON.parse(String(content));
    return typeof text === 'string' ? text : undefined;
  } catch {
    return undefined; // no JSON, or null
  }
}
