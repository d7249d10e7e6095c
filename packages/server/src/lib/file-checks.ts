import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  type Stats,
  statfsSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { type CheckResult, ok, problem, warning } from "./check.ts";
import { describeDenial } from "./file-error.ts";
import { renderBytes, toShellWord } from "./printable.ts";

/** Bits of a mode that give access to others than the owner. */
const othersMode = 0o077;
/** Free space, in bytes, below which writing may fail: a write-ahead log and its checkpoint. */
const freeLeast = 67_108_864;
/** Free space below which it is time to act, in bytes: some million page requests. */
const freeGood = 1_073_741_824;

/** The state of a file; null where it does not exist. */
export function stateOf(path: string): Stats | null {
  return statSync(path, { throwIfNoEntry: false }) ?? null;
}

/** True when others than the owner of a file have any access. Windows keeps no such mode. */
export function isOpenToOthers({ mode }: Stats): boolean {
  return process.platform !== "win32" && (mode & othersMode) !== 0;
}

/** Checks whether this user may read and write a file, and in a folder also create files. */
export function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Checks that a folder can be made, as far as the nearest folder above it tells. Makes nothing.
 *
 * @throws {Error} as mkdir does; not for a missing folder above it, which is to be checked itself.
 */
export function checkNewFolder(folder: string): void {
  if (lstatSync(folder, { throwIfNoEntry: false })) throw new Error("file already exists");
  const above = dirname(folder);
  if (!existsSync(above)) return;
  accessSync(`${above}/.`, constants.W_OK | constants.X_OK);
  // As /proc, whose mode lets the superuser write.
  if (statfsSync(above).blocks === 0) throw Object.assign(new Error(), { code: "ENOENT" });
}

/**
 * Checks that files can be made beside a file.
 *
 * @param purpose what the file is.
 * @param variable the setting that names it.
 */
export function checkFolder(file: string, purpose: string, variable: string): CheckResult {
  const folder = dirname(file);
  if (!existsSync(folder)) {
    const fix = `create it as the server's user, or correct ${variable}`;
    return problem(`The folder ${folder} for ${purpose} does not exist.`, fix);
  }
  if (mayWrite(folder)) return ok(`The folder ${folder} for ${purpose} is writable.`);
  const fix = `run doctor as the server's user, or: chown <the server's user> ${toShellWord(folder)}`;
  const denial = describeDenial(folder);
  return problem(`The folder ${folder} for ${purpose} is not writable. ${denial}.`, fix);
}

/** Files have another owner than the database beside them: a command has run as another user. */
export function foreignOwner(names: string, database: string): CheckResult {
  return problem(
    `${names} has another owner than the database, so the server may be unable to open it.`,
    `chown --reference=${toShellWord(database)} ${names}`,
  );
}

/** Checks the space on the disk of a file, whose folder need not exist. */
export function checkSpace(file: string): CheckResult {
  const folder = dirname(file);
  if (!existsSync(folder)) return checkSpace(folder);
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const text = `The disk of ${folder} has ${renderBytes(free)} of free space.`;
  if (free >= freeGood) return ok(text);
  const fix = "free some space, or delete page requests sooner: WFH_PAGE_REQUEST_RETENTION";
  return free < freeLeast ? problem(text, fix) : warning(text, fix);
}
