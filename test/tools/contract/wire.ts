// The rows of the wire: the corpus of illegal and unusual requests, as bytes. Each is followed, in the same write, by an ordinary
// request. When the connection stays open, that request must be answered. When the connection is closed, it must not be answered.
import { head, type Entry } from '../../support/corpus/entry.ts';
import { last } from '../../support/corpus/last.ts';
import { served } from '../../support/corpus/served.ts';
import { status } from './expectation.ts';
import type { Row, Sections, Subject } from './row.ts';

export function wire({ authority, isSecure }: Subject): Sections {
  const probe = head('GET /api/greetings HTTP/1.1', `Host: ${authority}`, 'Connection: close');
  const row = ({ says, bytes, statuses, closes, needs }: Entry): Row => ({
    says,
    ...(needs === 'any host' && { needs }),
    steps: [{ send: bytes + probe, replies: [...statuses, ...(closes ? [] : [200])].map((code) => [status(code)]), closes }],
  });
  return Object.fromEntries([...served(authority), ...last(authority)].map(({ says, reason, entries }) => [
    `${reason !== undefined ? 'refused' : entries[0]?.closes === true ? 'the last reply' : 'served, and kept open'}: ${says}`,
    entries.filter(({ needs }) => !(isSecure && needs === 'no TLS')).map(row),
  ]));
}
