// Content, read as it is behind a head.
import { readContent } from '../../src/http/content.ts';
import { LineReader } from '../../src/http/lines.ts';

/** Undefined while more is needed. A number is the status that refuses the content. */
export type Outcome = 'whole' | number | undefined;

/** Returns a function that reads on in the bytes that it is given. Its `end` is behind what it has read. */
export function openContent(contentLength: number | undefined): (bytes: Buffer) => { readonly outcome: Outcome; readonly end: number } {
  const lines = new LineReader();
  const steps = readContent(lines, contentLength);
  return (bytes) => {
    lines.give(bytes, bytes.toString('latin1'));
    const { done, value } = steps.next();
    return { outcome: done === true ? value ?? 'whole' : undefined, end: lines.end };
  };
}
