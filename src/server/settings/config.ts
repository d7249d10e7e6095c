import { readFileSync } from "node:fs";
import { parse as parseToml, TomlError } from "smol-toml";
import { describeFileError, isSystemError } from "../../lib/file-error.ts";
import { nearestName } from "../near-name.ts";
import { type Config, settings } from "./settings.ts";
import type { Setting } from "./value-types.ts";

/** Variable that names the settings file; it cannot stand in the file itself. */
const fileVariable = "WFH_CONFIG";

/**
 * Settings that cannot be used. The message names each key, its value and what is allowed; a value that is a
 * secret is left out.
 */
export class SettingsError extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "SettingsError";
  }
}

/** Where a value came from, for the error that refuses it. */
interface Source {
  readonly name: string;
  readonly values: ReadonlyMap<string, string>;
  /** What is wrong beside the values of known settings. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** What was read. */
export interface SettingsReading {
  readonly config: Config;
  /** Unknown WFH_ variables of the environment that are not close to a known one, one sentence each. */
  readonly warnings: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings: from the environment, else from the settings file, else the defaults.
 *
 * @param file path of a settings file in TOML; by default the one that WFH_CONFIG names, if any.
 * @throws {SettingsError} naming everything that is wrong, not only the first.
 */
export function readConfig(file?: string, environment: Environment = process.env): SettingsReading {
  const path = file ?? environment[fileVariable];
  const sources = [fromEnvironment(environment)];
  if (path !== undefined && path !== "") sources.push(fromFile(path));
  const problems = sources.flatMap((source) => source.problems);
  const warnings = sources.flatMap((source) => source.warnings);
  const entries = Object.entries<Setting<unknown>>(settings).map(([name, setting]) => {
    const source = sources.find(({ values }) => values.has(setting.variable));
    const value = source?.values.get(setting.variable) ?? setting.defaultText;
    try {
      return [name, setting.parse(value)];
    } catch {
      const shown = setting.isSecret ? "…" : JSON.stringify(value);
      const isKubernetes = setting.variable === "WFH_PORT" && kubernetesLink.test(value);
      const hint = isKubernetes ? kubernetesAdvice : setting.formerValues?.[value];
      const advice = hint ?? `allowed is ${setting.allowed}`;
      problems.push(`${setting.variable}=${shown} (${source?.name ?? "default"}): ${advice}`);
      return [name, undefined];
    }
  });
  if (problems.length > 0) throw new SettingsError(problems);
  return { config: Object.fromEntries(entries) as Config, warnings };
}

/** What Kubernetes puts into WFH_PORT of every pod beside a Service named wfh. */
const kubernetesLink = /^(?:tcp|udp|sctp):\/\//;
const kubernetesAdvice =
  "Kubernetes sets this for a Service named wfh; set enableServiceLinks: false for the pod, rename the Service, or set WFH_PORT in the pod to a port";

function fromEnvironment(environment: Environment): Source {
  const values = new Map<string, string>();
  for (const [key, value] of Object.entries(environment)) {
    if (key.startsWith("WFH_") && key !== fileVariable && value !== undefined)
      values.set(key, value);
  }
  const name = "environment";
  const problems: string[] = [];
  const warnings: string[] = [];
  for (const key of values.keys()) {
    if (settingOf(key) !== undefined) continue;
    // Other programs, versions and orchestrators set variables of their own: only a misspelled one is an error.
    const found = suggest(key) === undefined ? warnings : problems;
    found.push(unknownSetting(key, name));
  }
  return { name, values, problems, warnings };
}

function fromFile(path: string): Source {
  const values = new Map<string, string>();
  const problems: string[] = [];
  for (const [key, value] of Object.entries(readToml(path))) {
    const setting = settingOf(key);
    const problem = isTable(value)
      ? nestedSettings(key, value, path)
      : setting === undefined
        ? unknownSetting(key, path)
        : wrongKind(setting, value, path);
    if (problem === undefined) values.set(key, toText(value));
    else problems.push(problem);
  }
  return { name: path, values, problems, warnings: [] };
}

function readToml(path: string): Readonly<Record<string, unknown>> {
  try {
    return parseToml(new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path)));
  } catch (cause) {
    throw new SettingsError([`The settings file cannot be read. ${reasonOf(path, cause)}`]);
  }
}

/** Why a file cannot be read. The message of a TOML error ends with the lines around it, which may hold a secret. */
function reasonOf(path: string, cause: unknown): string {
  if (isSystemError(cause)) return describeFileError(path, cause);
  if (!(cause instanceof TomlError)) return `${path} is not UTF-8 text: save it in that encoding`;
  const [reason = ""] = cause.message.split("\n", 1);
  return `${path}: ${reason}, line ${cause.line}, column ${cause.column}`;
}

/** A value as the environment would spell it; lists are joined by commas. */
function toText(value: unknown): string {
  return Array.isArray(value) ? value.map(String).join(",") : String(value);
}

/** What is wrong with the kind of a value; undefined when a setting may have it. */
function wrongKind(
  { variable, isList, allowed }: Setting<unknown>,
  value: unknown,
  file: string,
): string | undefined {
  const items = isList && Array.isArray(value) ? value : [value];
  if (items.every((item) => ["string", "number", "boolean"].includes(typeof item)))
    return undefined;
  const found = Array.isArray(value) ? "an array" : "a date";
  return `${variable} (${file}): ${found} cannot be its value; allowed is ${allowed}`;
}

function isTable(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isTable);
  return typeof value === "object" && value !== null && !(value instanceof Date);
}

/** The error for a table such as `[server]`, with the right names of what is in it. */
function nestedSettings(name: string, table: unknown, file: string): string {
  const meant = Object.keys(table as object).flatMap((key) => suggest(key, name) ?? []);
  const [example = settingOf(name)?.variable ?? "WFH_PORT"] = meant;
  return `${name} (${file}): this is a table, and settings are flat; write ${example} = … without a table`;
}

function settingOf(variable: string): Setting<unknown> | undefined {
  return Object.values<Setting<unknown>>(settings).find((one) => one.variable === variable);
}

/** The setting that a misspelled key stands for: also `port`, or `port` in the table `server`, for WFH_PORT. */
function suggest(key: string, table = ""): string | undefined {
  // A settings file that is not read is the most dangerous mistake, and a longer name for it a likely one.
  if (key.startsWith(`${fileVariable}_`)) return fileVariable;
  const known: string[] = Object.values(settings).map(({ variable }) => variable);
  if (key !== fileVariable) known.push(fileVariable);
  const spellings = [key, `WFH_${key}`, `WFH_${table}_${key}`];
  return spellings.flatMap((spelling) => nearestName(spelling, known) ?? [])[0];
}

function unknownSetting(key: string, source: string): string {
  const meant = suggest(key);
  const advice =
    meant === undefined ? "docs/settings.md lists all settings" : `did you mean ${meant}?`;
  return `${key} (${source}): no such setting; ${advice}`;
}

/** Variable by which libuv is told how many threads its pool has, when it is first used. */
const poolVariable = "UV_THREADPOOL_SIZE";
/** What libuv takes without it. */
const poolDefault = 4;

/** The size of the thread pool on which passwords are hashed. */
export const threadPool = {
  /** Sets it, unless whoever started the process has; never to less than there would be anyway. */
  resize(threads: number): void {
    process.env[poolVariable] ??= String(Math.max(poolDefault, threads));
  },
  /** How many threads there are, or will be. */
  size(): number {
    return Number(process.env[poolVariable] ?? poolDefault) || poolDefault;
  },
};
