// The service with SERVER=node.
process.env['SERVER'] = 'node';
await import('../../../src/main.ts');
