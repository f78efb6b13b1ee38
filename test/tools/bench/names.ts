// Chooses what `--only` names.

/** The names that start with `only`. Ends the process with a message when there are none. */
export function namesThatStart(names: readonly string[], only: string): string[] {
  const chosen = names.filter((name) => name.startsWith(only));
  if (chosen.length > 0) return chosen;
  console.error(`The names are: ${names.join('; ')}`);
  process.exit(1);
}
