// The limits of the specification ("Limits"), in one place. They are not those of `src/api/name.ts` by
// intention: the contract holds a server to the specification, so it must not learn them from the server.
export const MIN_NAME_LENGTH = 1;
export const MAX_NAME_LENGTH = 80;
