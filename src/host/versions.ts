// Compares versions, such as those of Node and of OpenSSL.

/** Whether a version is `least` or later: `22.12.0` is at least `22.12`, and `22.9.0` is not. */
export function isAtLeast(version: string, least: string): boolean {
  return version.localeCompare(least, 'en', { numeric: true }) >= 0;
}
