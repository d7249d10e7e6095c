/** Result of one check. A start refuses or warns by it; `wfh doctor` reports all of them. */
export interface CheckResult {
  /** Passed, worth a look, or keeping the server from working. */
  readonly level: "ok" | "warning" | "problem";
  /** One sentence. */
  readonly text: string;
  /** A command or a setting; null where there is nothing to do. */
  readonly fix: string | null;
}

/** A result with the name of its check, which scripts use: it never changes. */
export interface Finding extends CheckResult {
  readonly check: string;
}

/** A finding with its area, one word for people and scripts, for example `"database"`. */
export interface AreaFinding extends Finding {
  readonly area: string;
}

type MaybeResult = CheckResult | null | undefined | false;

/** Checks of one area by kebab-case names. A result is empty where a check does not apply. */
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
export function ok(text: string): CheckResult {
  return { level: "ok", text, fix: null };
}

const complain =
  (level: CheckResult["level"]) =>
  (text: string, fix: string): CheckResult => ({ level, text, fix });

/** Something is worth a look. */
export const warning = complain("warning");

/** Something keeps the server from working. */
export const problem = complain("problem");

/** The message of a start that is refused: the sentence of a problem, and how to fix it. */
export function toRefusal({ text, fix }: CheckResult, separator = " "): string {
  return `${text}${separator}${fix?.replace(/^./, (first) => first.toUpperCase()) ?? ""}`;
}

/** The log line of a warning. */
export function toLogLine({ text, fix }: CheckResult): string {
  return `${text.replace(/^./, (first) => first.toLowerCase()).replace(/\.$/, "")}: ${fix}`;
}
