/** `ok`, worth a look, or keeping the server from working. */
export type Level = "ok" | "warning" | "problem";

/** What one check found. */
export interface Result {
  readonly level: Level;
  /** One sentence. */
  readonly text: string;
  /** A command or a setting; null where there is nothing to do. */
  readonly fix: string | null;
}

/** A result with the name of its check, for scripts: it stays the same when sentences change, and at every level. */
export interface Finding extends Result {
  readonly check: string;
}

type MaybeResult = Result | null | false;

/** Checks of one area by their names, in kebab-case. A result is false or null where a check does not apply. */
export type Checks<Subject> = Readonly<
  Record<string, (subject: Subject) => MaybeResult | readonly MaybeResult[] | Promise<MaybeResult>>
>;

/** Runs checks one after the other. */
export async function runChecks<Subject>(
  checks: Checks<Subject>,
  subject: Subject,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const [check, run] of Object.entries(checks)) {
    for (const result of [await run(subject)].flat())
      if (result) findings.push({ check, ...result });
  }
  return findings;
}

/** A check passed. */
export function ok(text: string): Result {
  return { level: "ok", text, fix: null };
}

/** Something is worth a look. */
export function warning(text: string, fix: string): Result {
  return { level: "warning", text, fix };
}

/** Something keeps the server from working. */
export function problem(text: string, fix: string): Result {
  return { level: "problem", text, fix };
}
