import { constants } from "node:fs";
import { access, stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { renderBytes, toShellWord } from "../../io/printable.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

/** Bits of a mode that give access to others than the owner. */
const othersMode = 0o077;
/** Free space below which writing may fail any moment, in bytes: a write-ahead log and its checkpoint. */
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

/** Whether this user may read and write a file, or make files in a folder. */
export function mayWrite(path: string): Promise<boolean> {
  return may(path, constants.R_OK | constants.W_OK);
}

/** Whether this user may read a file. */
export function mayRead(path: string): Promise<boolean> {
  return may(path, constants.R_OK);
}

function may(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}

/** Checks that files can be made beside a file. */
export async function checkFolder(file: string, purpose: string): Promise<Finding> {
  const folder = dirname(file);
  const name = toShellWord(folder);
  if ((await stateOf(folder)) === null) {
    const text = `The folder ${folder} for ${purpose} does not exist.`;
    return problem("folder-writable", text, `mkdir -p ${name}`);
  }
  if (await mayWrite(folder)) {
    return ok("folder-writable", `The folder ${folder} for ${purpose} can be written to.`);
  }
  const fix = `run doctor as the user of the server, or: chown <user of the server> ${name}`;
  const text = `This user cannot write to the folder ${folder} for ${purpose}.`;
  return problem("folder-writable", text, fix);
}

/** Checks the space on the disk of a file, whose folder need not exist. */
export async function checkSpace(file: string): Promise<Finding> {
  const folder = dirname(file);
  if ((await stateOf(folder)) === null) return checkSpace(folder);
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const text = `${renderBytes(free)} are free on the disk of ${folder}.`;
  const fix = "free some space, or delete page requests sooner: WFH_PAGE_REQUEST_RETENTION";
  if (free < freeLeast) return problem("disk-space", text, fix);
  return free < freeGood ? warning("disk-space", text, fix) : ok("disk-space", text);
}
