import { closeSync, existsSync, mkdirSync, openSync, readSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, resolve } from "node:path";
import { parse as parseToml, TomlError } from "smol-toml";
import { ajaxEndpoint } from "../../contract/ajax-endpoint.ts";
import { locationHelper } from "../../contract/location-helper.ts";
import { findNear } from "../../lib/edit-distance.ts";
import { describeFileError, isSystemError } from "../../lib/file-error.ts";
import { placeData } from "./data-folder.ts";
import { type Config, settings } from "./settings.ts";
import type { Setting } from "./value-types.ts";

/** Names the settings file; it cannot be set in the file itself. */
const fileVariable = "WFH_CONFIG";

/** Names each setting that cannot be used, its value unless that is secret, and what is allowed. */
export class SettingsError extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "SettingsError";
  }
}

interface Source {
  readonly name: string;
  readonly values: ReadonlyMap<string, string>;
  /** Errors other than in values of known settings. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** Settings of earlier versions, with what to do instead. */
const removedSettings: Readonly<Record<string, string>> = {
  WFH_WORKERS:
    "workers are gone; remove this, and for several processes on one port use web-forms-helper.socket: limits such as WFH_HASHES_AT_ONCE and WFH_CONNECTIONS_MAX are then those of each process (docs/nodes.md#several-processes-on-one-machine)",
};

/** Settings by their names, such as `WFH_PORT`; other variables are ignored. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings: each from the environment, else from the settings file, else its default.
 * `warnings` has a sentence for each unknown WFH_ variable of the environment that does not look
 * like a misspelled one. `isSet` tells whether a variable has a value other than by default.
 * `notice` says that files of an earlier version are used, if they are.
 *
 * @param file path of a settings file in TOML; by default that in WFH_CONFIG, if any.
 * @param given values of the command line, which win over both.
 * @throws {SettingsError} with all errors, not only the first.
 *
 * @example
 * const { config, warnings } = readConfig("wfh.toml", { WFH_PORT: "8080" });
 */
export function readConfig(
  file?: string,
  environment: Environment = process.env,
  given: Environment = {},
) {
  const path = file ?? environment[fileVariable];
  const sources = [
    readEnvironment("command line", given),
    readEnvironment("environment", environment),
  ];
  if (path !== undefined && path !== "") sources.push(readFile(path));
  const problems = sources.flatMap((source) => source.problems);
  const config: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries<Setting<unknown>>(settings)) {
    const source = sources.find(({ values }) => values.has(setting.variable));
    const value = source?.values.get(setting.variable) ?? setting.defaultText;
    try {
      config[name] = setting.parse(value);
    } catch {
      problems.push(describeWrongValue(setting, value, source?.name ?? "default"));
    }
  }
  if (problems.length === 0) {
    problems.push(...describePathClashes(config as Config), ...describePortClash(config as Config));
  }
  if (problems.length > 0) throw new SettingsError(problems);
  const warnings = sources.flatMap((source) => source.warnings);
  const isSet = (variable: string) => sources.some(({ values }) => values.has(variable));
  const { notice, ...placed } = placeData(config as Config, environment);
  return { config: { ...(config as Config), ...placed }, warnings, notice, isSet };
}

/** Paths at which it is unclear which service is called. */
function describePathClashes({ locationPaths, endpointPaths }: Config): readonly string[] {
  const variables = "WFH_LOCATION_PATHS, WFH_ENDPOINT_PATHS";
  const ofEndpoint = [ajaxEndpoint.path, ...endpointPaths];
  return [locationHelper.path, ...locationPaths]
    .flatMap((path) => ofEndpoint.map((one) => [one, path].sort((a, b) => a.length - b.length)))
    .filter(([above, path]) => `${path}/`.toLowerCase().startsWith(`${above}/`.toLowerCase()))
    .map(([above, path]) => `${variables}: ${path} is at or below ${above} of the other service`);
}

/** The port of both listeners, unless they have addresses that are known to differ. */
function describePortClash({ host, port, adminHost, adminPort }: Config): readonly string[] {
  const hosts = [host, adminHost];
  const overlap = host === adminHost || hosts.includes("0.0.0.0") || hosts.includes("::");
  if (port === 0 || port !== adminPort || !overlap) return [];
  return [`WFH_PORT, WFH_ADMIN_PORT: both are ${port}; set one of them to another port`];
}

/** Kubernetes sets WFH_PORT so in every pod next to a Service named wfh. */
const kubernetesLink = /^(?:tcp|udp|sctp):\/\//;
const kubernetesAdvice =
  "Kubernetes sets this for a Service named wfh; set enableServiceLinks: false for the pod, rename the Service, or set WFH_PORT in the pod to a port";

function describeWrongValue(setting: Setting<unknown>, value: string, source: string): string {
  const { variable, allowed, isSecret } = setting;
  const isKubernetes = variable === "WFH_PORT" && kubernetesLink.test(value);
  const advice = isKubernetes ? kubernetesAdvice : `must be ${allowed}`;
  // An address may have a password.
  const shown = isSecret ? "…" : JSON.stringify(value).replace(/(\/\/[^/:]*:).*@/, "$1…@");
  return `${variable}=${shown} (${source}): ${advice}`;
}

function readEnvironment(name: string, environment: Environment): Source {
  const values = new Map<string, string>();
  const problems: string[] = [];
  const warnings: string[] = [];
  for (const [key, value] of Object.entries(environment)) {
    if (!key.startsWith("WFH_") || key === fileVariable || value === undefined) continue;
    values.set(key, value);
    if (findSetting(key) !== undefined) continue;
    // Orchestrators set variables of their own: only a misspelled one is an error.
    const isOurs = removedSettings[key] !== undefined || suggest(key) !== undefined;
    const found = isOurs ? problems : warnings;
    found.push(describeUnknown(key, name));
  }
  return { name, values, problems, warnings };
}

function readFile(path: string): Source {
  const values = new Map<string, string>();
  const problems: string[] = [];
  for (const [key, value] of Object.entries(readToml(path))) {
    const setting = findSetting(key);
    if (isTable(value)) problems.push(describeTable(key, value, path));
    else if (setting === undefined) problems.push(describeUnknown(key, path));
    else if (hasWrongKind(setting, value)) problems.push(describeWrongKind(setting, value, path));
    // As the environment would spell it.
    else values.set(key, Array.isArray(value) ? value.map(String).join(",") : String(value));
  }
  return { name: path, values, problems, warnings: [] };
}

/** Longest file in TOML, in bytes: a hundred times a settings file that has all settings. */
const tomlBytesMax = 262_144;

/**
 * Reads a file in TOML.
 *
 * @param name what the error calls it.
 * @throws {SettingsError} without lines of the file.
 */
export function readToml(path: string, name = "settings file"): Readonly<Record<string, unknown>> {
  try {
    return parseToml(new TextDecoder("utf-8", { fatal: true }).decode(readStart(path)));
  } catch (cause) {
    throw new SettingsError([`Cannot read the ${name}. ${reasonOf(path, cause)}`]);
  }
}

/** Reads a file or pipe, which may be endless, as far as it may be long. */
function readStart(path: string): Uint8Array {
  const given = new Uint8Array(tomlBytesMax + 1);
  const handle = openSync(path, "r");
  try {
    let length = 0;
    for (let read = -1; read !== 0; length += read)
      read = readSync(handle, given, { offset: length });
    if (length > tomlBytesMax) throw new RangeError("Too long");
    return given.subarray(0, length);
  } finally {
    closeSync(handle);
  }
}

/** Explains an unreadable file; only by a TOML error's first line: the rest may quote secrets. */
function reasonOf(path: string, cause: unknown): string {
  if (isSystemError(cause)) return describeFileError(path, cause);
  if (cause instanceof RangeError) return `${path} is longer than 256 KiB: name another file`;
  if (!(cause instanceof TomlError)) return `${path} is not UTF-8 text: save it in that encoding`;
  const [reason = ""] = cause.message.split("\n", 1);
  return `${path}: ${reason}, line ${cause.line}, column ${cause.column}`;
}

function isTable(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isTable);
  return typeof value === "object" && value !== null && !(value instanceof Date);
}

/** A table such as `[server]`; the error suggests the names of the settings in it. */
function describeTable(name: string, table: unknown, file: string): string {
  const meant = Object.keys(table as object).flatMap((key) => suggest(key, name) ?? []);
  const [example = findSetting(name)?.variable ?? "WFH_PORT"] = meant;
  return `${name} (${file}): this is a table, but settings are flat; write ${example} = … without a table`;
}

function hasWrongKind({ isList }: Setting<unknown>, value: unknown): boolean {
  const items = isList && Array.isArray(value) ? value : [value];
  return !items.every((item) => ["string", "number", "boolean"].includes(typeof item));
}

function describeWrongKind(
  { variable, allowed }: Setting<unknown>,
  value: unknown,
  file: string,
): string {
  const found = Array.isArray(value) ? "an array" : "a date";
  return `${variable} (${file}): ${found} is not allowed; it must be ${allowed}`;
}

function findSetting(variable: string): Setting<unknown> | undefined {
  return Object.values<Setting<unknown>>(settings).find((one) => one.variable === variable);
}

/** Most edits between a misspelled name and the one that is suggested. */
const editsMax = 2;

/** Finds the setting that a misspelled key means: also `port`, alone or in the table `server`. */
function suggest(key: string, table = ""): string | undefined {
  // Ignoring a settings file would be dangerous, and a longer name for it is a likely mistake.
  if (key.startsWith(`${fileVariable}_`)) return fileVariable;
  const known: string[] = Object.values(settings).map(({ variable }) => variable);
  if (key !== fileVariable) known.push(fileVariable);
  for (const spelling of [key, `WFH_${key}`, `WFH_${table}_${key}`]) {
    const [nearest] = findNear(spelling.toUpperCase(), known, {
      // Of a short name most letters are the prefix WFH_, which proves nothing.
      distanceMax: ({ length }) => Math.min(editsMax, Math.floor(length / 6)),
    });
    if (nearest !== undefined) return nearest;
  }
  return undefined;
}

function describeUnknown(key: string, source: string): string {
  const removed = removedSettings[key];
  if (removed !== undefined) return `${key} (${source}): ${removed}`;
  const meant = suggest(key);
  const advice =
    meant === undefined ? "docs/settings.md lists all settings" : `did you mean ${meant}?`;
  return `${key} (${source}): unknown setting; ${advice}`;
}

/**
 * Makes the folder of data, which only its owner may enter, unless it is there or not needed.
 *
 * @param make by default mkdir; `checkNewFolder` makes nothing, and finds the same faults.
 * @throws {SettingsError} when it cannot be made.
 */
export function makeDataDir(
  { dataDir }: Pick<Config, "dataDir">,
  make: (folder: string) => void = (folder) => mkdirSync(folder, { mode: 0o700 }),
): void {
  if (dataDir === "") return;
  const folder = resolve(dataDir);
  // The recursive mkdir of Node.js never ends in /proc.
  if (!existsSync(dirname(folder))) makeDataDir({ dataDir: dirname(folder) }, make);
  try {
    make(folder);
  } catch (cause) {
    if (existsSync(folder) && statSync(folder).isDirectory()) return;
    const isRefused = (cause as NodeJS.ErrnoException).code === "ENOENT";
    const reason = isRefused
      ? `${folder}: the file system takes no new folders. Name another path`
      : describeFileError(folder, cause);
    throw new SettingsError([`WFH_DATA_DIR cannot be made. ${reason}`]);
  }
}

/** The address at which a listener of this machine is reached from here. */
export function localUrlOf(host: string, port: number): string {
  const reachable = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

/** Counts systemd's sockets (sd_listen_fds(3)); removes its variables, so that no child does. */
export function takeSocketCount(): number {
  const { LISTEN_FDS: count, LISTEN_PID: owner } = process.env;
  for (const name of ["LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES"]) delete process.env[name];
  return owner === String(process.pid) ? Number(count) : 0;
}

/** True where systemd waits to be told that the start is over (sd_notify(3)). */
export function isStartAwaited(): boolean {
  return process.env["NOTIFY_SOCKET"] !== undefined;
}

/** Tells libuv the size of its thread pool, when the pool is first used. */
const poolVariable = "UV_THREADPOOL_SIZE";
/** libuv's default. */
const poolDefault = 4;
/** Threads that Node.js needs itself, for files and host names. */
const otherThreads = 2;

/** Sizes the thread pool for a hash per core, unless it is set; no effect once it has run. */
export function sizeThreadPool(): void {
  const threads = Math.max(poolDefault, availableParallelism() + otherThreads);
  process.env[poolVariable] ??= String(threads);
}

/** Passwords that are hashed in parallel: one thread of the pool is always left for other work. */
export function hashConcurrencyOf(config: Pick<Config, "hashesAtOnce">): number {
  const threads = Number(process.env[poolVariable] ?? poolDefault) || poolDefault;
  const wanted = config.hashesAtOnce === "auto" ? availableParallelism() : config.hashesAtOnce;
  return Math.max(1, Math.min(wanted, threads - 1));
}
