// Fastify, from the folder that FASTIFY names.
import { createRequire } from 'node:module';
import { PATH, REPLY } from '../api.ts';
import { usePool } from './pool.ts';

type Handler = () => unknown;
type Fastify = () => { get(path: string, handler: Handler): void; listen(where: object): Promise<string> };

const fastify: Fastify = createRequire(`${process.env['FASTIFY']}/`)('fastify');
const server = fastify();
server.get('/health', () => 'Healthy');
server.get(PATH, () => REPLY);
server.get('/pool', () => usePool().then(() => 'Hello'));
console.log(await server.listen({ host: '127.0.0.1', port: 0 }));
