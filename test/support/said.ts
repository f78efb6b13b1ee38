// What a request or its refusal says, as a plain value that can be compared.
import { LegalRequest, type Refusal } from '../../src/http/request.ts';

/** A `traceparent`, with the sampled flag. */
export const PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

const CHILD = /^00-4bf92f3577b34da6a3ce929d0e0e4736-(?!00f067aa0ba902b7|0{16})[0-9a-f]{16}-01$/;
const NEW = /^00-(?!4bf92f3577b34da6a3ce929d0e0e4736|0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-00$/;

export type Said = {
  readonly [name in 'method' | 'path' | 'query' | 'host']?: string | undefined;
} & {
  readonly status?: number;
  readonly contentLength?: number | undefined;
  readonly isLast?: boolean;
  /** `PARENT` has been taken over, or there is a new trace. */
  readonly trace: 'child' | 'new' | undefined;
};

export function said(result: LegalRequest | Refusal): Said {
  if (!(result instanceof LegalRequest)) {
    const { status, request: { method, path, traceparent } } = result;
    return { status, method, path, trace: traceOf(traceparent) };
  }
  const { method, path, query, host, contentLength, isLast, traceparent } = result;
  return { method, path, query, host, contentLength, isLast, trace: traceOf(traceparent) };
}

function traceOf(traceparent: string | undefined): Said['trace'] {
  if (traceparent === undefined) return undefined;
  if (CHILD.test(traceparent)) return 'child';
  if (NEW.test(traceparent)) return 'new';
  throw new Error(`${traceparent} is neither new nor a child.`);
}
