// The endpoints of the contract, as data, for the rows and for the second implementation that tests the rows.

export const GREETINGS = '/api/greetings';

export const DESCRIPTION = '/openapi/v1.json';

/** An endpoint that replies to every GET with the same body. */
export type ConstantEndpoint = {
  readonly path: string;
  readonly mediaType: string;
  readonly body: string;
  /** Whether the description must have it. */
  readonly isDescribed: boolean;
};

export const CONSTANT_ENDPOINTS: readonly ConstantEndpoint[] = [
  { path: '/health', mediaType: 'text/plain', body: 'Healthy', isDescribed: false },
];

/** The paths that the description must have, and no others. */
export const DESCRIBED_PATHS: readonly string[] = [GREETINGS, ...CONSTANT_ENDPOINTS.filter(({ isDescribed }) => isDescribed).map(({ path }) => path)];
