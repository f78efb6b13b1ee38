// `node:http`, which an import statement would load together with what it offers to clients, such as WebSocket. That takes 25 ms, half
// of start-up, and the service does not use it. (Node 24.21. All other modules of Node are imported as usual.)
import type nodeHttp from 'node:http';

export const http: typeof nodeHttp = process.getBuiltinModule('node:http');
