import { setTimeout as pause } from "node:timers/promises";
import type { Config } from "../../../server/settings/settings.ts";
import type { DatabaseFacts } from "../../../store/inspection.ts";
import type { DeclareCommand } from "../../command.ts";
import { exitCodes } from "../../exit-codes.ts";
import type { SharedOptions } from "../../io/options.ts";
import { countOf, renderJsonLine, toPrintable } from "../../io/printable.ts";
import { checkClock } from "./clock.ts";
import { checkDatabase } from "./database.ts";
import { type Finding, type Level, problem } from "./finding.ts";
import { checkGazetteer } from "./gazetteer.ts";
import { checkKeys } from "./keys.ts";
import { checkMachine, checkPort } from "./machine.ts";
import { checkSettings } from "./settings.ts";
import { checkWeb } from "./web.ts";

/** Time for the checks of one area, in milliseconds: longer than they allow themselves. */
const areaMs = 30_000;

/** What checks look at. */
interface Installation {
  readonly config: Config;
  readonly nowMs: number;
  /** Of the database; null where it cannot be read. */
  readonly facts: DatabaseFacts | null;
}

/** The checks by area. To add one, write a function that yields findings. */
const checks: Readonly<
  Record<string, (at: Installation) => Iterable<Finding> | AsyncIterable<Finding>>
> = {
  "postal-codes": ({ config, nowMs }) => checkGazetteer(config, nowMs),
  keys: ({ config, facts }) => checkKeys(config, facts?.sealed ?? []),
  clock: ({ nowMs, facts }) => checkClock(nowMs, facts),
  web: ({ config, facts }) => checkWeb(config, facts?.formOrigins ?? []),
  machine: ({ config }) => checkMachine(config),
  port: ({ config }) => checkPort(config),
};

/** A finding with its area, which is one word for people and scripts, for example `"database"`. */
type ReportedFinding = Finding & { readonly area: string };

const help = `
Examples:
  wfh doctor --config settings.toml
  sudo -u wfh wfh doctor --config /etc/wfh/settings.toml
  wfh doctor --json                         print one JSON object with all findings

Doctor only reads, and makes no files. Run it with the settings of the server, as its user. Each line
is ok, a warning or a problem, with the command or setting that fixes it. Reading the database from
end to end stops after 20 seconds. The exit code is 0 without problems, 1 with a problem, and 2 when
the settings cannot be used: then nothing else is checked.
`;

/** `wfh doctor` checks everything that the server depends on, and changes nothing. */
export const declareCommand: DeclareCommand = (command, { terminal, exitWith }) => {
  command
    .option("--json", "one JSON object instead of lines")
    .option("-c, --config <file>", "settings file in TOML")
    .addHelpText("after", help)
    .action(async (options: SharedOptions) => {
      const { config, findings: ofSettings } = checkSettings(options.config);
      const findings = inArea("settings", ofSettings);
      if (config !== null) findings.push(...(await checkAll(config)));
      terminal.out(
        options.json
          ? renderJsonLine({ ...countLevels(findings), findings })
          : renderReport(findings),
      );
      if (config === null) exitWith(exitCodes.usage);
      else if (countLevels(findings).problems > 0) exitWith(exitCodes.no);
    });
};

async function checkAll(config: Config): Promise<readonly ReportedFinding[]> {
  const database: { facts: DatabaseFacts | null } = { facts: null };
  const findings = await within("database", async () => {
    const { facts, findings } = await checkDatabase(config);
    database.facts = facts;
    return findings;
  });
  const installation = { config, nowMs: Date.now(), facts: database.facts };
  for (const [area, check] of Object.entries(checks)) {
    findings.push(...(await within(area, () => Array.fromAsync(check(installation)))));
  }
  return findings;
}

/** The findings of an area, or one that says that its checks failed or took too long. */
async function within(
  area: string,
  check: () => Promise<readonly Finding[]>,
): Promise<ReportedFinding[]> {
  const timer = new AbortController();
  const late = pause(areaMs, null, { signal: timer.signal }).catch(() => null);
  try {
    const text = `The check took longer than ${areaMs / 1_000} seconds.`;
    const fix = "see whether a disk or a server behind it hangs";
    const findings = await Promise.race([check(), late]);
    return inArea(area, findings ?? [problem("in-time", text, fix)]);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const fix = "run doctor as the user of the server, and look at what the message names";
    return inArea(area, [problem("possible", `The check of ${area} failed: ${reason}.`, fix)]);
  } finally {
    timer.abort();
  }
}

function inArea(area: string, findings: readonly Finding[]): ReportedFinding[] {
  return findings.map((finding) => ({ area, ...finding }));
}

const marks: Readonly<Record<Level, string>> = { ok: "ok", warning: "WARN", problem: "FAIL" };

/** A mark, the area and a sentence on each line, the fix below it, and the sums at the end. */
function renderReport(findings: readonly ReportedFinding[]): string {
  const width = Math.max(...findings.map(({ area }) => area.length));
  const indent = " ".repeat(6 + width + 2);
  const lines = findings.flatMap(({ area, level, text, fix }) => [
    `${marks[level].padEnd(4)}  ${area.padEnd(width)}  ${toPrintable(text)}`,
    ...(fix === null ? [] : [`${indent}fix: ${toPrintable(fix)}`]),
  ]);
  const { ok, warnings, problems } = countLevels(findings);
  const sums = `${countOf(problems, "problem")}, ${countOf(warnings, "warning")}, ${ok} ok`;
  return `${[...lines, "", sums].join("\n")}\n`;
}

function countLevels(findings: readonly Finding[]) {
  const count = (wanted: Level) => findings.filter(({ level }) => level === wanted).length;
  return { problems: count("problem"), warnings: count("warning"), ok: count("ok") };
}
