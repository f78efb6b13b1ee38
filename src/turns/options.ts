// Options that no server can be made with. Without these checks its first connection would show that, or nothing would.
import { inspect } from 'node:util';

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Throws a TypeError if one of these options is not accepted. What is undefined counts as not given. */
export function checkOptions(options: object): void {
  check('options', options, isObject(options), 'an object');
  const { maxConnections, room, tls, isBalancer, cert, key }: Record<string, unknown> = { ...options };
  const isCount = Number.isInteger(maxConnections) && Number(maxConnections) > 0;
  check('maxConnections', maxConnections, isCount, 'a whole number from 1');
  check('room', room, 'chooseVictim' in Object(room), 'what createRoom returns');
  check('tls', tls, isObject(tls), 'an object, such as { cert, key },');
  check('isBalancer', isBalancer, typeof isBalancer === 'function', 'a function');
  if (tls === undefined) check('cert or key', cert ?? key, false, 'for HTTPS, tls: { cert, key }');
}

function check(name: string, value: unknown, isAccepted: boolean, accepted: string): void {
  if (isAccepted || value === undefined) return;
  const text = inspect(value, { depth: -1, maxStringLength: 20 }); // no more: it may be a secret key
  throw Object.assign(new TypeError(`${name} is ${text}: ${accepted} is accepted.`), { code: 'ERR_INVALID_ARG_TYPE' });
}
