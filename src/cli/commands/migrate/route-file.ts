import { readFileSync, realpathSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { replaceFile, writeDurably } from "../../../gazetteer/releases/replace-file.ts";
import {
  formatRule,
  operations,
  RouteFileError,
  type Routes,
  readRoutes,
} from "../../../migration/route/routes.ts";
import { readToml, SettingsError } from "../../../server/settings/config.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { toPrintable, toShellWord } from "../../io/printable.ts";

/** A key of a route file, or an operation, with its value. */
export type Setting = readonly [key: string, value: string];

/**
 * Reads a route file.
 *
 * @param name what errors call it.
 * @throws {CommandError} with all problems.
 */
export function readRouteFile(file: string, name = file): Routes {
  try {
    return readRoutes(readToml(file, "route file"));
  } catch (cause) {
    if (!(cause instanceof SettingsError || cause instanceof RouteFileError)) throw cause;
    const prefix = cause instanceof RouteFileError ? `${name}: ` : "";
    const lines = cause.message.split("\n").map((line) => prefix + line.replaceAll(file, name));
    throw new CommandError(lines.map(toPrintable).join("\n"), exitCodes.usage, cause);
  }
}

/** The values of routes by their keys and operations, as `--set` takes them. */
export function settingsOf(routes: Routes): Readonly<Record<string, string>> {
  const { listen, metrics, old, new: ours, everything, client, tester } = routes;
  const rules = Object.entries(routes.operations).map(([name, rule]) => [name, formatRule(rule)]);
  return {
    listen: `${listen.host}:${listen.port}`,
    metrics: `${metrics.host}:${metrics.port}`,
    old: old.origin,
    new: ours.origin,
    everything,
    client: `${client.from} ${client.name}`.trim(),
    tester: tester === null ? "" : `${tester.name}: ${tester.value}`,
    timeout_seconds: String(routes.timeout_seconds),
    ...Object.fromEntries(rules),
  };
}

/** What is different in other routes, and the command that takes it back; undefined where nothing is. */
export function compareRoutes(file: string, before: Routes, after: Routes) {
  const [old, now] = [settingsOf(before), settingsOf(after)];
  const changed = Object.entries(old).filter(([key, value]) => now[key] !== value);
  const changes = changed.map(
    ([key, value]) => `${key}: ${value || "none"} -> ${now[key] || "none"}`,
  );
  return changes.length === 0 ? undefined : { changes, goBack: setCommand(file, changed) };
}

/** The command that sets values in a route file. */
function setCommand(file: string, settings: readonly Setting[]): string {
  const options = settings.map(([key, value]) => ` --set ${key}=${toShellWord(value)}`);
  return `wfh migrate route ${toShellWord(file)}${options.join("")}`;
}

/** The command that sends every request to the old server. */
export function everythingBack(file: string): string {
  return setCommand(file, [["everything", "old"]]);
}

/**
 * Changes values in a route file, whose other lines stay as they are. A reader finds the file as it was or as it will be.
 *
 * @throws {CommandError} where the file would not be valid.
 */
export async function changeRouteFile(path: string, settings: readonly Setting[]): Promise<void> {
  // Through a link, so that the link stays.
  const file = realpathSync(path);
  const draft = join(dirname(file), `.${basename(file)}.${process.pid}`);
  try {
    const text = settings.reduce(withSetting, readFileSync(file, "utf8"));
    await writeDurably(draft, Buffer.from(text), file);
    readRouteFile(draft, file);
    await replaceFile(draft, file, dirname(file));
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * The text of a route file with another value: in place of the one that it has, or on a line of its own. A file that has
 * it in another form, such as a table in braces, then has it twice, which is not valid.
 */
function withSetting(text: string, [key, value]: Setting): string {
  const lines = text.split("\n");
  const isRule = key in operations;
  if (isRule && !/^\s*\[operations\]/m.test(text)) lines.push("[operations]");
  const start = isRule ? lines.findIndex((line) => /^\s*\[operations\]/.test(line)) + 1 : 0;
  const length = lines.slice(start).findIndex((line) => /^\s*\[/.test(line));
  const end = length < 0 ? lines.length : start + length;
  const isKey = new RegExp(`^\\s*"?${key}"?\\s*=`);
  const at = lines.findIndex((line, i) => i >= start && i < end && isKey.test(line));
  const literal = JSON.stringify(value);
  if (at < 0) lines.splice(start, 0, `${key} = ${literal}`);
  else
    lines[at] = lines[at]?.replace(/=\s*(?:"[^"]*"|'[^']*'|[^\s#]+)/, () => `= ${literal}`) ?? "";
  return lines.join("\n");
}
