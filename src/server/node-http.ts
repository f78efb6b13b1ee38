// `node:http`. An import statement would also load what it has for making requests, such as WebSocket, which takes 25 ms, half of the
// start-up time, and is not used here. (Node 24.21. All other modules of Node are imported as usual.)
import type nodeHttp from 'node:http';

export const http: typeof nodeHttp = process.getBuiltinModule('node:http');
