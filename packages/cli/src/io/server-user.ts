import { accessSync, constants, existsSync, openSync, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { CommandError, exitCodes } from "./exit-codes.ts";

/** Settings file of an installed server, as packaging/npm/bin/wfh.cjs finds it. */
const installedSettings = "/etc/web-forms-helper/settings.toml";
/** User that an installed server runs as (decision 0074). */
const serverUser = "wfh";

/** As initgroups(3); the types of Node.js lack it. */
const { initgroups } = process as unknown as { initgroups(user: string, group: number): void };

/** Files that were opened as root, by their names as given; null where none was there. */
const openedFiles = new Map<string, number | null>();

/**
 * Makes this process one of the server's user where root runs it with the settings of an installed
 * server: the server could not open files that belong to root. Nothing happens without that user.
 *
 * @param config settings file of the command line.
 * @param files names on the command line. Files are opened first: only root may be able to.
 * @throws {CommandError} when another user may not read those settings.
 */
export function becomeServerUser(config: string | undefined, files: readonly string[]): void {
  if (resolve(config ?? process.env["WFH_CONFIG"] ?? "") !== installedSettings) return;
  if (process.getuid?.() !== 0) {
    requireReadable(installedSettings);
    return;
  }
  const users = readFileSync("/etc/passwd", "utf8").split("\n");
  const found = users.map((line) => line.split(":")).find(([name]) => name === serverUser);
  const [, , uid, gid, , home = ""] = found ?? [];
  if (uid === undefined) return;
  for (const file of files) {
    if (!existsSync(file)) openedFiles.set(file, null);
    else if (!statSync(file).isDirectory()) openedFiles.set(file, openSync(file, "r"));
  }
  initgroups(serverUser, Number(gid));
  process.setgid?.(Number(gid));
  process.setuid?.(Number(uid));
  // Files of libraries, such as the certificates of PostgreSQL, are looked for there.
  process.env["HOME"] = home;
}

function requireReadable(file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EACCES") return;
    const advice = "Run this as root (sudo wfh …), or name other settings (--config, WFH_CONFIG)";
    throw new CommandError(`Permission denied: ${file}. ${advice}.`, exitCodes.failed, cause);
  }
}

/** Descriptor of a file that {@link becomeServerUser} opened, null where it found none. */
export function findOpened(file: string): number | null | undefined {
  return openedFiles.get(file);
}
