// `import … from 'node:http'` in an ES module evaluates every export of it, the lazy ones included,
// and so loads node's whole `fetch`. Asking for a built-in module by name does not.
export const http = process.getBuiltinModule('node:http');
export const net = process.getBuiltinModule('node:net');
