// Node's HTTP module.

/**
 * `import … from 'node:http'` in an ES module evaluates every export of it, those that node loads lazily
 * included, and so loads node's `fetch`. Asking for a built-in module by name does not.
 */
export const http = process.getBuiltinModule('node:http');
