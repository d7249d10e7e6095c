import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { getSystemErrorMessage } from "node:util";

/**
 * Why a file cannot be opened, read or written, and what to do about it. Names the file; never shows a code such as
 * `ENOENT`. A sentence without its full stop.
 */
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
      return `Permission denied: ${file}. Run this as a user who may access it, for example with sudo -u wfh`;
    default:
      return `${file}: ${errno === undefined ? message : getSystemErrorMessage(errno)}`;
  }
}

/** What was thrown, in words. */
export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** Whether an error comes from the operating system, as those of files do. */
export function isSystemError(cause: unknown): cause is NodeJS.ErrnoException {
  return cause instanceof Error && "syscall" in cause && "errno" in cause;
}
