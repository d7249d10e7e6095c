import { readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { replaceFile, writeDurably } from "../../../gazetteer/releases/replace-file.ts";
import { isSystemError } from "../../../lib/file-error.ts";
import {
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
 * @param bytes what it will have; what it has by default.
 * @throws {CommandError} with all problems.
 */
export function readRouteFile(file: string, bytes?: Uint8Array): Routes {
  try {
    return readRoutes(readToml(file, "route file", bytes));
  } catch (cause) {
    if (!(cause instanceof SettingsError || cause instanceof RouteFileError)) throw cause;
    const prefix = cause instanceof RouteFileError ? `${file}: ` : "";
    const lines = cause.message.split("\n").map((line) => toPrintable(prefix + line));
    throw new CommandError(lines.join("\n"), exitCodes.usage, cause);
  }
}

/** What is different in other routes, and the command that takes it back; undefined where nothing is. */
export function compareRoutes(file: string, { texts: before }: Routes, { texts: after }: Routes) {
  const changed = Object.entries(before).filter(([key, text]) => after[key] !== text);
  if (changed.length === 0) return undefined;
  const changes = changed.map(
    ([key, text]) => `${key}: ${text || "none"} -> ${after[key] || "none"}`,
  );
  return { changes, goBack: setCommand(file, changed) };
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
 * What a change of values makes of a route file, whose other lines stay as they are.
 *
 * @throws {CommandError} where the file is not valid, or would not be.
 */
export function planChange(file: string, settings: readonly Setting[]) {
  const text = readFileSync(file);
  // Without the mark that some editors put before UTF-8, so that a line can go in front.
  const bytes = Buffer.from(settings.reduce(withSetting, new TextDecoder().decode(text)));
  return { bytes, before: readRouteFile(file, text), after: readRouteFile(file, bytes) };
}

/**
 * Changes values in a route file. A reader finds the file as it was or as it will be.
 *
 * @returns what was changed.
 * @throws {CommandError} where the file would not be valid, or another command is changing it.
 */
export async function changeRouteFile(path: string, settings: readonly Setting[]) {
  // Through a link, so that the link stays.
  const file = realpathSync(path);
  const folder = dirname(file);
  const draft = join(folder, `.${basename(file)}.${process.pid}`);
  const lock = lockFile(file);
  try {
    const plan = planChange(file, settings);
    await writeDurably(draft, plan.bytes, file);
    await replaceFile(draft, file, folder);
    return plan;
  } finally {
    rmSync(draft, { force: true });
    rmSync(lock, { force: true });
  }
}

/** Keeps other commands from changing a file at the same time: one of the changes would be lost. */
function lockFile(file: string): string {
  const lock = join(dirname(file), `.${basename(file)}.lock`);
  try {
    writeFileSync(lock, "", { flag: "wx" });
    return lock;
  } catch (cause) {
    if (!isSystemError(cause) || cause.code !== "EEXIST") throw cause;
    const advice = `Try again; if none is running, remove ${lock}.`;
    const message = `Another command is changing ${file}. ${advice}`;
    throw new CommandError(toPrintable(message), exitCodes.failed, cause);
  }
}

/**
 * The text of a route file with another value: in place of the one that it has, or on a line of its own. A file that has
 * it in another form, such as a table in braces, then has it twice, which is not valid.
 */
function withSetting(text: string, [key, value]: Setting): string {
  const literal = JSON.stringify(value);
  const present = new RegExp(
    `^([ \\t]*"?${key}"?[ \\t]*=[ \\t]*)(?:"[^"\\n]*"|'[^'\\n]*'|[^\\s#]+)`,
    "m",
  );
  if (present.test(text)) return text.replace(present, (_, start: string) => start + literal);
  const line = `${key} = ${literal}`;
  if (!Object.hasOwn(operations, key)) return `${line}\n${text}`;
  const table = /^[ \t]*\[operations\].*/m;
  if (!table.test(text)) return `${text}\n[operations]\n${line}`;
  return text.replace(table, (header) => `${header}\n${line}`);
}
