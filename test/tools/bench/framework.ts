// A server of a framework, from the folder where that is installed. Its replies have the fields of the service's.
import { createServer, type RequestListener, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { listenOnPort } from '../../support/sockets.ts';
import { PATH, REPLY } from '../api.ts';

type App<Handler> = { get(path: string, handler: Handler): void };
type FastifyReply = { headers(fields: object): { send(content: object): void } };
type Fastify = App<(request: unknown, reply: FastifyReply) => void> & { ready(): Promise<void>; server: Server };
type HonoContext = { json(content: object, status: number, fields: object): unknown };
type Hono = App<(context: HonoContext) => unknown> & { fetch: unknown };
type Polka = App<RequestListener> & { handler: RequestListener };

const { FRAMEWORK = '', FOLDER } = process.env;
const load = createRequire(`${FOLDER}/`);
const type = { 'Content-Type': 'application/json; charset=utf-8' };
const fields = { ...type, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };
const create = (listener: RequestListener) => createServer({ keepAliveTimeout: 75_000 }, listener); // as baseline.ts

function addRoutes<Handler>(app: App<Handler>, handler: Handler): void {
  for (const path of ['/health', PATH]) app.get(path, handler);
}

const SERVERS: Readonly<Record<string, () => Server | Promise<Server>>> = {
  async fastify() {
    const app: Fastify = load('fastify')({ serverFactory: create });
    addRoutes(app, (_request, reply) => reply.headers(fields).send(REPLY));
    await app.ready();
    return app.server;
  },
  hono() {
    const app: Hono = new (load('hono').Hono)();
    addRoutes(app, (context) => context.json(REPLY, 200, fields));
    return create(load('@hono/node-server').getRequestListener(app.fetch));
  },
  polka() {
    const app: Polka = load('polka')();
    addRoutes(app, (_request, response) => {
      const body = JSON.stringify(REPLY);
      response.writeHead(200, { ...fields, 'Content-Length': Buffer.byteLength(body) }).end(body);
    });
    return create(app.handler);
  },
};
const server = await SERVERS[FRAMEWORK]?.();
if (server !== undefined) console.log(`http://127.0.0.1:${await listenOnPort(server)}`);
