import { setTimeout as pause } from "node:timers/promises";
import { messageOf } from "../../../lib/file-error.ts";
import { isThisMachine } from "../../../server/cors/cors-policy.ts";
import { readConfig, SettingsError } from "../../../server/settings/config.ts";
import { type Config, settings } from "../../../server/settings/settings.ts";
import type { DatabaseFacts } from "../../../store/inspection.ts";
import type { Command, DeclareCommand, SharedOptions } from "../../command.ts";
import { exitCodes } from "../../exit-codes.ts";
import { countOf, renderJsonLine, toPrintable } from "../../io/printable.ts";
import { styled } from "../../io/style.ts";
import type { Terminal } from "../../io/terminal.ts";
import { checkDatabase } from "./database.ts";
import { type Checks, type Finding, ok, problem, runChecks, warning } from "./finding.ts";
import { checkGazetteer } from "./gazetteer.ts";
import { checkKeys } from "./keys.ts";
import { checkClock, machineChecks, portChecks } from "./machine.ts";
import { webChecks } from "./web.ts";

/** Time for the checks of one area, in milliseconds: longer than they allow themselves. */
const areaMs = 30_000;

interface Installation {
  readonly config: Config;
  readonly nowMs: number;
  /** Of the database; null where it cannot be read. */
  readonly facts: DatabaseFacts | null;
}

/** The areas after settings and database, in the order of the report. Each is a list of checks in its own file. */
const areas: Readonly<Record<string, (at: Installation) => Promise<readonly Finding[]>>> = {
  "postal-codes": ({ config, nowMs, facts }) =>
    checkGazetteer(config, nowMs, facts?.servedReleases),
  keys: ({ config, facts }) => checkKeys(config, facts),
  clock: ({ nowMs, facts }) => checkClock(nowMs, facts),
  web: ({ config, facts }) =>
    runChecks(webChecks, { config, formOrigins: facts?.formOrigins ?? [] }),
  machine: ({ config }) => runChecks(machineChecks, config),
  port: ({ config }) => runChecks(portChecks, config),
};

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
 * Reads and checks the settings, and looks for contradictions. Shows no values, except of a setting that cannot be used
 * and is no secret; then `config` is null.
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
    const check = (lines: readonly string[]) => lines.map((line) => problem(toSentence(line), fix));
    const findings = await runChecks({ "settings-valid": check }, cause.message.split("\n"));
    return { config: null, findings };
  }
}

/** Checks of the settings by themselves. */
export const settingsChecks: Checks<ReturnType<typeof readConfig>> = {
  "settings-valid": ({ config }) => {
    const changed = Object.entries(settings)
      .filter(([name, { parse, defaultText }]) => {
        const value = config[name as keyof Config];
        return JSON.stringify(value) !== JSON.stringify(parse(defaultText));
      })
      .map(([, { variable }]) => variable);
    return ok(
      changed.length === 0
        ? "All settings have their default values."
        : `All settings are valid; changed from the default: ${changed.join(", ")}.`,
    );
  },

  "settings-known": ({ warnings }) =>
    warnings.map((line) => {
      const fix = "correct or remove it; docs/settings.md lists all settings";
      return warning(toSentence(line), fix);
    }),

  "settings-agree": ({
    config: { headTimeoutMs, requestTimeoutMs, targetBytesMax, headBytesMax },
  }) => [
    headTimeoutMs > requestTimeoutMs &&
      warning(
        `WFH_HEAD_TIMEOUT_MS is ${headTimeoutMs}, longer than the limit for a whole request (WFH_REQUEST_TIMEOUT_MS, ${requestTimeoutMs}).`,
        `WFH_HEAD_TIMEOUT_MS=${requestTimeoutMs} or less`,
      ),
    targetBytesMax > headBytesMax &&
      warning(
        `WFH_TARGET_BYTES_MAX is ${targetBytesMax}, more than the limit for all headers together (WFH_HEAD_BYTES_MAX, ${headBytesMax}).`,
        `WFH_TARGET_BYTES_MAX=${headBytesMax} or less`,
      ),
  ],

  // Old clients send the namespaces of the old server, which are rarely the defaults of ASP.NET.
  namespaces: ({ config: { baseUrl }, isSet }) => {
    if (baseUrl === undefined || isThisMachine(new URL(baseUrl).host)) return null;
    const { locationNamespace, endpointNamespace } = settings;
    const variables = [locationNamespace, endpointNamespace].map(({ variable }) => variable);
    const unset = variables.filter((variable) => !isSet(variable));
    if (unset.length === 0) return null;
    return warning(
      `${unset.join(" and ")}: not set, although the server is public. SOAP calls with other namespaces than http://tempuri.org/ are refused.`,
      "set each to the targetNamespace in the ?wsdl of the old server, also if that is http://tempuri.org/",
    );
  },
};

function toSentence(line: string): string {
  return line.replace(/[^.?]$/, "$&.");
}

async function checkAll(config: Config): Promise<readonly ReportedFinding[]> {
  const database: { facts: DatabaseFacts | null } = { facts: null };
  const findings = await within("database", async () => {
    const { facts, findings } = await checkDatabase(config);
    database.facts = facts;
    return findings;
  });
  const installation = { config, nowMs: Date.now(), facts: database.facts };
  for (const [area, check] of Object.entries(areas)) {
    findings.push(...(await within(area, () => check(installation))));
  }
  return findings;
}

/** The findings of an area, or one that says that its checks failed or took too long. */
async function within(
  area: string,
  check: () => Promise<readonly Finding[]>,
): Promise<ReportedFinding[]> {
  const late = pause(areaMs, null, { ref: false });
  try {
    const text = `The check took longer than ${areaMs / 1_000} seconds.`;
    const fix = "check whether a disk or server that it depends on hangs";
    const findings = await Promise.race([check(), late]);
    return inArea(area, findings ?? [{ check: "in-time", ...problem(text, fix) }]);
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
