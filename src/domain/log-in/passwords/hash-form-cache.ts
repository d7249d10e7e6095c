/** Age beyond which the forms of hash records are asked for again: they change by imports and upgrades only. */
const freshMs = 60_000;

/** Forms of all hash records there are. */
export interface HashFormCache {
  /** As they were a minute ago at most, with one more that has just been met: it must not stand out. */
  listWith(form: string | null): Promise<readonly string[]>;
}

/** Makes the list over a question to the database. */
export function createHashFormCache(
  ask: () => Promise<readonly string[]>,
  now: () => number,
): HashFormCache {
  let known: { readonly forms: readonly string[]; readonly atMs: number } | undefined;
  return {
    listWith: async (form) => {
      if (known === undefined || Math.abs(now() - known.atMs) >= freshMs) {
        known = { forms: await ask(), atMs: now() };
      }
      if (form !== null && !known.forms.includes(form)) {
        known = { ...known, forms: [...known.forms, form] };
      }
      return known.forms;
    },
  };
}
