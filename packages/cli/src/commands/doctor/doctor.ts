import { type AreaFinding, type Finding, problem, runChecks } from "@wfh/server/lib/check.ts";
import { checkNewFolder } from "@wfh/server/lib/file-checks.ts";
import { countOf, renderJsonLine, toPrintable } from "@wfh/server/lib/printable.ts";
import { makeDataDir, readConfig, SettingsError } from "@wfh/server/server/settings/config.ts";
import type { Config } from "@wfh/server/server/settings/settings.ts";
import { settingsChecks } from "@wfh/server/server/settings/settings-checks.ts";
import type { Command, DeclareCommand, SharedOptions } from "../../io/command.ts";
import { exitCodes } from "../../io/exit-codes.ts";
import { styled } from "../../io/style.ts";
import type { Terminal } from "../../io/terminal.ts";
import { checkInstallation, inArea } from "./areas.ts";

const help = `
Examples:
  wfh doctor --config settings.toml
  sudo wfh doctor
  wfh doctor --json                         print one JSON object with all findings

Doctor is read-only. Run it as the server's user, with the server's settings. Each finding is ok, a
warning or a problem; warnings and problems come with the command or setting that fixes them. The
check of a SQLite file for damage stops after 5 seconds.

Exit codes: 0 no problems, 1 problems found, 78 invalid settings (nothing else was checked).
`;

/** `wfh doctor` checks everything that the server depends on, and changes nothing. */
export const declareCommand: DeclareCommand = (command) =>
  command.shared("json", "config").addHelpText("after", help).run(doctor);

async function doctor(options: SharedOptions, { terminal }: Command): Promise<number> {
  const { config, ...results } = await checkSettings(options.config);
  const findings = inArea("settings", results.findings);
  if (config !== null) findings.push(...(await checkInstallation(config)));
  const counts = countLevels(findings);
  terminal.out(
    options.json ? renderJsonLine({ ...counts, findings }) : renderReport(findings, terminal),
  );
  if (config === null) return exitCodes.config;
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
    makeDataDir(read.config, checkNewFolder);
    return { config: read.config, findings: await runChecks(settingsChecks, read) };
  } catch (cause) {
    if (!(cause instanceof SettingsError)) throw cause;
    const fix = "correct it; docs/settings.md lists all settings. Nothing else was checked";
    const lines = cause.message.split("\n");
    const check = "settings-valid";
    return { config: null, findings: lines.map((line) => ({ check, ...problem(line, fix) })) };
  }
}

const marks = {
  ok: { mark: "ok", style: "green" },
  warning: { mark: "WARN", style: "yellow" },
  problem: { mark: "FAIL", style: "red" },
} as const satisfies Record<Finding["level"], object>;

/** A mark, the area and a sentence on each line, the fix below it, and the sums at the end. */
function renderReport(findings: readonly AreaFinding[], terminal: Terminal): string {
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
