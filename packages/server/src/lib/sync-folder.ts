import { closeSync, fsyncSync, openSync } from "node:fs";

/** Errors of file systems that cannot sync folders; the change itself is done. */
const unsupported = ["EINVAL", "EPERM", "EISDIR", "ENOTSUP", "EACCES"];

/** Waits until the names in a folder are on disk: a power cut could undo a new file. */
export function syncFolder(folder: string): void {
  let handle: number | undefined;
  try {
    handle = openSync(folder, "r");
    fsyncSync(handle);
  } catch (cause) {
    if (!unsupported.includes((cause as NodeJS.ErrnoException).code ?? "")) throw cause;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}
