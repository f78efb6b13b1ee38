// What a request or its refusal says, as a plain value that can be compared.
import { LegalRequest, type Refusal } from '../../src/http/request.ts';

/** A `traceparent`, with the sampled flag. */
export const PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

const CHILD = /^00-4bf92f3577b34da6a3ce929d0e0e4736-(?!00f067aa0ba902b7|0{16})[0-9a-f]{16}-01$/;
const NEW = /^00-(?!4bf92f3577b34da6a3ce929d0e0e4736|0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-00$/;

/** `trace`: 'child' when `PARENT` has been taken over, 'new' when there is a new trace. */
export type Said = { readonly [name in 'method' | 'path' | 'query' | 'host' | 'trace']?: string | undefined }
  & { readonly status?: number; readonly contentLength?: number | undefined; readonly isLast?: boolean };

export function said(result: LegalRequest | Refusal): Said {
  const { method, path, traceparent } = result instanceof LegalRequest ? result : result.request;
  const known = { method, path, trace: traceparent?.replace(CHILD, 'child').replace(NEW, 'new') };
  if (!(result instanceof LegalRequest)) return { ...known, status: result.status };
  const { query, host, contentLength, isLast } = result;
  return { ...known, query, host, contentLength, isLast };
}
