import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { getSystemErrorMessage } from "node:util";

/** Says why a file cannot be used, and what to do: names it, shows no code, has no full stop. */
export function describeFileError(file: string, cause: unknown): string {
  if (!(cause instanceof Error)) return `${file}: ${String(cause)}`;
  const { code, errno, message } = cause as NodeJS.ErrnoException;
  const folder = dirname(file);
  switch (code) {
    case "ENOENT":
      return existsSync(folder) ? `File not found: ${file}` : `Folder not found: ${folder}`;
    case "ENOTDIR":
      return `File not found: ${file} (a part of its path is a file, not a folder)`;
    case "EISDIR":
      return `${file} is a folder: name a file`;
    case "EACCES":
    case "EPERM":
      return `Permission denied: ${file}. ${describeDenial(file)}`;
    default:
      return `${file}: ${errno === undefined ? message : getSystemErrorMessage(errno)}`;
  }
}

/** Names the user of this process, the owner of a file or of its nearest folder, and a way in. */
export function describeDenial(file: string): string {
  const uid = process.geteuid?.();
  let path = resolve(file);
  while (!existsSync(path) && path !== dirname(path)) path = dirname(path);
  const owner = statSync(path, { throwIfNoEntry: false })?.uid;
  if (uid === undefined || owner === undefined) return "Run this as a user who may access it";
  const user = nameOfUser(uid);
  if (owner === uid) {
    return `This runs as ${user}, who owns ${path}: check the mode of it and of its folder (ls -ld)`;
  }
  const name = nameOfUser(owner);
  const found = `This runs as ${user}, but ${path} belongs to ${name}.`;
  // A server that runs as the superuser is no remedy, and the folder may be one of the system.
  if (owner === 0) return `${found} Name another path, or give ${user} access to it (chown)`;
  const sudoName = findUser(owner) ?? `'#${owner}'`;
  return `${found} Give ${user} access to it (chown), or run this as ${name} (sudo -u ${sudoName})`;
}

function nameOfUser(uid: number): string {
  return findUser(uid) ?? `user ${uid}`;
}

function findUser(uid: number): string | undefined {
  const users = existsSync("/etc/passwd") ? readFileSync("/etc/passwd", "utf8") : "";
  return new RegExp(`^([^:\n]+):[^:\n]*:${uid}:`, "m").exec(users)?.[1];
}

/** A thrown value in words: as {@link describeFileError} where it is about a file. */
export function messageOf(cause: unknown): string {
  if (isSystemError(cause) && cause.path !== undefined) return describeFileError(cause.path, cause);
  return cause instanceof Error ? cause.message : String(cause);
}

/** True for an error of the operating system, as those of files are. */
export function isSystemError(cause: unknown): cause is NodeJS.ErrnoException {
  return cause instanceof Error && "syscall" in cause && "errno" in cause;
}
