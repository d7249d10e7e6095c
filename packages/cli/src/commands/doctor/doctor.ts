import { type Finding, problem, runChecks } from "@wfh/server/lib/check.ts";
import { messageOf } from "@wfh/server/lib/file-error.ts";
import { countOf, renderJsonLine, toPrintable } from "@wfh/server/lib/printable.ts";
import { readConfig, SettingsError } from "@wfh/server/server/settings/config.ts";
import type { Config } from "@wfh/server/server/settings/settings.ts";
import { settingsChecks } from "@wfh/server/server/settings/settings-checks.ts";
import { checkDatabase } from "@wfh/server/store/database-checks.ts";
import type { DatabaseFacts } from "@wfh/server/store/inspection.ts";
import type { Command, DeclareCommand, SharedOptions } from "../../io/command.ts";
import { exitCodes } from "../../io/exit-codes.ts";
import { styled } from "../../io/style.ts";
import type { Terminal } from "../../io/terminal.ts";
import { areas } from "./areas.ts";

/** A finding with its area, which is one word for people and scripts, for example `"database"`. */
type ReportedFinding = Finding & { readonly area: string };

const help = `
Examples:
  wfh doctor --config settings.toml
  sudo -u wfh wfh doctor --config /etc/web-forms-helper/settings.toml
  wfh doctor --json                         print one JSON object with all findings

Doctor is read-only. Run it as the server's user, with the server's settings. Each finding is ok, a
warning or a problem; warnings and problems come with the command or setting that fixes them. The
check of a SQLite file for damage stops after 5 seconds.

Exit codes: 0 no problems, 1 problems found, 2 invalid settings (nothing else was checked).
`;

/** `wfh doctor` checks everything that the server depends on, and changes nothing. */
export const declareCommand: DeclareCommand = (command) =>
  command.shared("json", "config").addHelpText("after", help).run(doctor);

async function doctor(options: SharedOptions, { terminal }: Command): Promise<number> {
  const { config, ...results } = await checkSettings(options.config);
  const findings = inArea("settings", results.findings);
  if (config !== null) findings.push(...(await checkAll(config)));
  const counts = countLevels(findings);
  terminal.out(
    options.json ? renderJsonLine({ ...counts, findings }) : renderReport(findings, terminal),
  );
  if (config === null) return exitCodes.usage;
  return counts.problems > 0 ? exitCodes.no : exitCodes.done;
}

/**
 * Reads and checks the settings, and looks for contradictions. Shows no values, except of a setting
 * that cannot be used and is no secret; then `config` is null.
 */
async function checkSettings(file: string | undefined): Promise<{
  readonly config: Config | null;
  readonly findings: readonly Finding[];
}> {
  try {
    const read = readConfig(file);
    return { config: read.config, findings: await runChecks(settingsChecks, read) };
  } catch (cause) {
    if (!(cause instanceof SettingsError)) throw cause;
    const fix = "correct it; docs/settings.md lists all settings. Nothing else was checked";
    const lines = cause.message.split("\n");
    const check = "settings-valid";
    return { config: null, findings: lines.map((line) => ({ check, ...problem(line, fix) })) };
  }
}

async function checkAll(config: Config): Promise<readonly ReportedFinding[]> {
  let facts: DatabaseFacts | null = null;
  const database = async () => {
    const found = await checkDatabase(config.databaseUrl);
    facts = found.facts;
    return found.findings;
  };
  const findings: ReportedFinding[] = [];
  for (const [area, check] of Object.entries<(typeof areas)[string]>({ database, ...areas })) {
    findings.push(...(await within(area, () => check({ config, nowMs: Date.now(), facts }))));
  }
  return findings;
}

/** The findings of an area, or one that says that its checks failed. */
async function within(
  area: string,
  check: () => Promise<readonly Finding[]>,
): Promise<ReportedFinding[]> {
  try {
    return inArea(area, await check());
  } catch (cause) {
    const fix = "run doctor as the server's user, and look at what the message names";
    const failed = problem(`The check of ${area} failed: ${messageOf(cause)}.`, fix);
    return inArea(area, [{ check: "possible", ...failed }]);
  }
}

function inArea(area: string, findings: readonly Finding[]): ReportedFinding[] {
  return findings.map((finding) => ({ area, ...finding }));
}

const marks = {
  ok: { mark: "ok", style: "green" },
  warning: { mark: "WARN", style: "yellow" },
  problem: { mark: "FAIL", style: "red" },
} as const satisfies Record<Finding["level"], object>;

/** A mark, the area and a sentence on each line, the fix below it, and the sums at the end. */
function renderReport(findings: readonly ReportedFinding[], terminal: Terminal): string {
  const width = Math.max(...findings.map(({ area }) => area.length));
  const indent = " ".repeat(6 + width + 2);
  const showLevel = (level: Finding["level"]) =>
    styled(terminal, marks[level].style, marks[level].mark.padEnd(4));
  const lines = findings.flatMap(({ area, level, text, fix }) => [
    `${showLevel(level)}  ${area.padEnd(width)}  ${toPrintable(text)}`,
    ...(fix === null ? [] : [`${indent}fix: ${toPrintable(fix)}`]),
  ]);
  const { ok, warnings, problems } = countLevels(findings);
  const sums = `${countOf(problems, "problem")}, ${countOf(warnings, "warning")}, ${ok} ok`;
  return `${[...lines, "", sums].join("\n")}\n`;
}

function countLevels(findings: readonly Finding[]) {
  const count = (wanted: Finding["level"]) =>
    findings.filter(({ level }) => level === wanted).length;
  return { problems: count("problem"), warnings: count("warning"), ok: count("ok") };
}
