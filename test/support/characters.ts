// The characters that texts of requests have: one for each byte.

export const CHARACTERS: readonly string[] = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));

/** Those of a token (RFC 9110 5.6.2). */
export const TOKEN = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
