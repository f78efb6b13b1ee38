// Fastify, from the folder that FASTIFY names, with the routes of the service.
import { createRequire } from 'node:module';

type Reply = { code(status: number): Reply; type(type: string): Reply; send(content: unknown): Reply };
type Request = { readonly query: Readonly<Record<string, string | undefined>> };
type Handler = (request: Request, reply: Reply) => unknown;
type Fastify = () => { get(path: string, handler: Handler): void; listen(where: object): Promise<string> };

const fastify: Fastify = createRequire(`${process.env['FASTIFY']}/`)('fastify');
const server = fastify();
server.get('/health', (_request, reply) => reply.type('text/plain').send('Healthy'));
server.get('/api/greetings', ({ query: { name = 'World' } }, reply) => (name.trim() === ''
  ? reply.code(400).type('application/problem+json').send({ status: 400, errors: { name: ['It must not be empty.'] } })
  : { message: `Hello, ${name}!`, generatedAt: new Date().toISOString() }));
console.log(await server.listen({ host: '127.0.0.1', port: 0 }));
