import { readFileSync } from "node:fs";
import { parse as parseToml, TomlError } from "smol-toml";
import { nearestName } from "./near-name.ts";
import type { Setting } from "./setting.ts";
import { type Config, settings } from "./settings.ts";

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
}

/** What was read. */
export interface Reading {
  readonly config: Config;
  /** Variables that look like settings and are none, one sentence each. */
  readonly warnings: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings: from the environment, else from the settings file, else the defaults.
 *
 * @param file path of a settings file in TOML; by default the one that WFH_CONFIG names, if any.
 * @throws {SettingsError} naming everything that is wrong, not only the first.
 */
export function readConfig(file?: string, environment: Environment = process.env): Reading {
  const path = file ?? environment[fileVariable];
  const problems: string[] = [];
  const sources = [fromEnvironment(environment)];
  // The environment is shared with other programs and versions; a file is written for this one.
  const warnings = sources.flatMap(unknownKeys);
  if (path !== undefined && path !== "") {
    const settingsFile = fromFile(path);
    sources.push(settingsFile);
    problems.push(...unknownKeys(settingsFile));
  }
  const entries = Object.entries<Setting<unknown>>(settings).map(([name, setting]) => {
    const source = sources.find(({ values }) => values.has(setting.variable));
    const value = source?.values.get(setting.variable) ?? setting.fallback;
    try {
      return [name, setting.parse(value)];
    } catch {
      const shown = setting.isSecret ? "…" : JSON.stringify(value);
      problems.push(
        `${setting.variable}=${shown} (${source?.name ?? "default"}): allowed is ${setting.allowed}`,
      );
      return [name, undefined];
    }
  });
  if (problems.length > 0) throw new SettingsError(problems);
  return { config: Object.fromEntries(entries) as Config, warnings };
}

function fromEnvironment(environment: Environment): Source {
  const values = new Map<string, string>();
  for (const [key, value] of Object.entries(environment)) {
    if (key.startsWith("WFH_") && key !== fileVariable && value !== undefined)
      values.set(key, value);
  }
  return { name: "environment", values };
}

function fromFile(path: string): Source {
  let table: Readonly<Record<string, unknown>>;
  try {
    table = parseToml(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new SettingsError([`The settings file ${path} cannot be read: ${reasonOf(cause)}`]);
  }
  const values = new Map<string, string>();
  for (const [key, value] of Object.entries(table)) values.set(key, toText(value));
  return { name: path, values };
}

/** Why a file cannot be read. The message of a TOML error ends with the lines around it, which may hold a secret. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (!(cause instanceof TomlError)) return cause.message;
  const [reason = ""] = cause.message.split("\n", 1);
  return `${reason}, line ${cause.line}, column ${cause.column}`;
}

/** A value as the environment would spell it; lists are joined by commas. */
function toText(value: unknown): string {
  return Array.isArray(value) ? value.map(String).join(",") : String(value);
}

function unknownKeys({ name, values }: Source): readonly string[] {
  const known = Object.values(settings).map(({ variable }) => variable as string);
  return [...values.keys()]
    .filter((key) => !known.includes(key))
    .map((key) => {
      const meant = nearestName(key, known);
      const advice =
        meant === undefined ? "see docs/settings.md for those there are" : `did you mean ${meant}?`;
      return `${key} (${name}): no such setting; ${advice}`;
    });
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
