// The limits of the specification (section "Limits"). They are not imported from `src/api/greeting-query.ts` on purpose: the
// contract checks a server against the specification, so it must not take them from the server.
export const MIN_NAME_LENGTH = 1;
export const MAX_NAME_LENGTH = 80;
