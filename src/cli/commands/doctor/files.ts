import { constants } from "node:fs";
import { access, stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { describeDenial } from "../../../lib/file-error.ts";
import { renderBytes, toShellWord } from "../../io/printable.ts";
import { ok, problem, type Result, warning } from "./finding.ts";

/** Bits of a mode that give access to others than the owner. */
const othersMode = 0o077;
/** Free space below which writing may fail at any moment, in bytes: a write-ahead log and its checkpoint. */
const freeLeast = 67_108_864;
/** Free space below which it is time to act, in bytes: some million page requests. */
const freeGood = 1_073_741_824;

/** What the system says of a file. */
export interface FileState {
  readonly path: string;
  readonly bytes: number;
  readonly uid: number;
  readonly isFile: boolean;
  /** Whether others than the owner have any access. Always false where the system keeps no such mode. */
  readonly isOpenToOthers: boolean;
}

/** The state of a file; null where it does not exist. */
export async function stateOf(path: string): Promise<FileState | null> {
  try {
    const found = await stat(path);
    const { size: bytes, uid, mode } = found;
    const isOpenToOthers = process.platform !== "win32" && (mode & othersMode) !== 0;
    return { path, bytes, uid, isFile: found.isFile(), isOpenToOthers };
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return null;
    throw cause;
  }
}

/** Checks whether this user may read a file; "write" means both, and in a folder also to create files. */
export function may(action: "read" | "write", path: string): Promise<boolean> {
  const { R_OK, W_OK } = constants;
  return access(path, action === "read" ? R_OK : R_OK | W_OK).then(
    () => true,
    () => false,
  );
}

/** Checks that files can be made beside a file. */
export async function checkFolder(file: string, purpose: string): Promise<Result> {
  const folder = dirname(file);
  const name = toShellWord(folder);
  if ((await stateOf(folder)) === null) {
    return problem(`The folder ${folder} for ${purpose} does not exist.`, `mkdir -p ${name}`);
  }
  if (await may("write", folder)) return ok(`The folder ${folder} for ${purpose} is writable.`);
  const fix = `run doctor as the server's user, or: chown <the server's user> ${name}`;
  const denial = describeDenial(folder);
  return problem(`The folder ${folder} for ${purpose} is not writable. ${denial}.`, fix);
}

/** Checks the space on the disk of a file, whose folder need not exist. */
export async function checkSpace(file: string): Promise<Result> {
  const folder = dirname(file);
  if ((await stateOf(folder)) === null) return checkSpace(folder);
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const text = `The disk of ${folder} has ${renderBytes(free)} of free space.`;
  if (free >= freeGood) return ok(text);
  const fix = "free some space, or delete page requests sooner: WFH_PAGE_REQUEST_RETENTION";
  return free < freeLeast ? problem(text, fix) : warning(text, fix);
}
