// An example: another service in one file, made from src/server.ts and src/http. It keeps notes, and a journal.
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { open } from 'node:fs/promises';
import { contentReply, emptyReply, validationProblem } from '../../src/http/reply.ts';
import type { Handler } from '../../src/http/request.ts';
import { createRouter } from '../../src/http/router.ts';
import { createServer, type ServerOptions } from '../../src/server.ts';

type NotesOptions = Omit<ServerOptions, 'router' | 'headRules' | 'isDraining'>;

/** Creates the service: who has the token may add notes, and each is a line of the journal. */
export async function createNotes(journalFile: string, token: string, options: NotesOptions) {
  const notes = new Map<string, string>();
  const journal = await open(journalFile, 'a');
  let isDraining = false;

  const addNote: Handler = async ({ content, traceparent }) => {
    const text = textIn(content);
    if (text === undefined) return validationProblem({ text: ['It must be a string.'] }, traceparent);
    const id = randomUUID();
    await journal.appendFile(`${JSON.stringify({ id, text })}\n`);
    notes.set(id, text);
    return emptyReply(201, { Location: `/notes/${id}` });
  };

  const getNote: Handler = ({ params }) => {
    const text = notes.get(params['id'] ?? '');
    return text === undefined ? emptyReply(404) : contentReply(200, 'application/json', JSON.stringify({ text }));
  };

  const router = createRouter({
    '/health': { GET: () => contentReply(isDraining ? 503 : 200, 'text/plain', isDraining ? 'Unhealthy' : 'Healthy') },
    '/notes': { POST: { handler: withToken(token, addNote), maxContentBytes: 4 * 1024 } },
    '/notes/:id': { GET: getNote },
  });
  const server = createServer({ ...options, router, headRules: {}, isDraining: () => isDraining });
  return {
    ...server,
    startDraining: () => { isDraining = true; },
    close: async () => {
      await server.close(); // a handler whose client has gone may still be working
      await journal.close();
    },
  };
}

/** Lets only those ask `handler` who have the token. Digests are compared, because they take the same time for all. */
function withToken(token: string, handler: Handler): Handler {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const expected = digest(`Bearer ${token}`);
  return (request) => timingSafeEqual(digest(request.headers.authorization ?? ''), expected)
    ? handler(request)
    : emptyReply(401, { 'WWW-Authenticate': 'Bearer' });
}

function textIn(content: Buffer): string | undefined {
  try {
    const { text }: { readonly text?: unknown } = JSON.parse(String(content));
    return typeof text === 'string' ? text : undefined;
  } catch {
    return undefined; // no JSON, or null
  }
}
