// The endpoints of the contract and their limits, as data from which rows are made. Nothing is imported from `src` on purpose: the
// contract checks a server against the specification, so it must not take this from the server.
export const MIN_NAME_LENGTH = 1;
export const MAX_NAME_LENGTH = 80;
export const GREETINGS = '/api/greetings';
export const DESCRIPTION = '/openapi/v1.json';
export const INFO = { title: 'Greeting Service | v1', version: '1.0.0' };

/** Those that reply to every GET with the same body. */
export const CONSTANT_ENDPOINTS = [{ path: '/health', mediaType: 'text/plain', body: 'Healthy' }];

/** The paths that the description must have, and no others. */
export const DESCRIBED_PATHS = [GREETINGS];
