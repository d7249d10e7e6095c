/** Age beyond which the forms of hash records are asked for again: they change by imports and upgrades only. */
const freshMs = 60_000;

/** Forms of all hash records there are, as they were a minute ago at most. */
export function createHashForms(
  list: () => Promise<readonly string[]>,
  now: () => number,
): () => Promise<readonly string[]> {
  let known: { readonly forms: readonly string[]; readonly atMs: number } | undefined;
  return async () => {
    if (known === undefined || Math.abs(now() - known.atMs) >= freshMs) {
      known = { forms: await list(), atMs: now() };
    }
    return known.forms;
  };
}
