/** `ok`, worth a look, or keeping the server from working. */
export type Level = "ok" | "warning" | "problem";

/** The result of one check. */
export interface Finding {
  /** Name of the check for scripts, in kebab-case: it stays the same when sentences change, and at every level. */
  readonly check: string;
  readonly level: Level;
  /** One sentence. */
  readonly text: string;
  /** A command or a setting; null where there is nothing to do. */
  readonly fix: string | null;
}

/** The finding of a check that passed. */
export function ok(check: string, text: string): Finding {
  return { check, level: "ok", text, fix: null };
}

/** A finding worth a look, with its fix. */
export function warning(check: string, text: string, fix: string): Finding {
  return { check, level: "warning", text, fix };
}

/** A finding that keeps the server from working, with its fix. */
export function problem(check: string, text: string, fix: string): Finding {
  return { check, level: "problem", text, fix };
}
