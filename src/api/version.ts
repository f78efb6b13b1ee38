// The version of the service, from package.json.
import { readFileSync } from 'node:fs';

// `#package` is the name that package.json has for itself. Where the file is depends on whether this one is compiled.
/** The version, such as `1.0.0`. */
export const { version }: { readonly version: string } = JSON.parse(readFileSync(new URL(import.meta.resolve('#package')), 'utf8'));
