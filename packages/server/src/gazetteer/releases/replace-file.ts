import { constants } from "node:fs";
import { chmod, chown, copyFile, link, open, rename, stat, writeFile } from "node:fs/promises";
import { syncFolder } from "../../lib/sync-folder.ts";

/**
 * Writes a new file and waits for the disk. It gets the rights of the file to be replaced; without
 * one, those of the umask, because the server often runs as another user than the import.
 */
export async function writeDurably(file: string, bytes: Uint8Array, like: string): Promise<void> {
  await writeFile(file, bytes, { flag: "wx", mode: 0o666, flush: true });
  const rights = await stat(like).catch(() => undefined);
  if (rights === undefined) return;
  await chmod(file, rights.mode & 0o777);
  // Only the superuser may give files away; otherwise the importing user owns them.
  await chown(file, rights.uid, rights.gid).catch(() => {});
}

/** Copies a file under a new name and waits for the disk. */
export async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  const handle = await open(to, "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Hard-links a file; copies it on file systems without hard links, such as FAT. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (cause) {
    const { code = "" } = cause as NodeJS.ErrnoException;
    if (!["EPERM", "ENOTSUP", "ENOSYS", "EMLINK"].includes(code)) throw cause;
    await copyDurably(from, to);
  }
}

/** Renames a file onto another one, atomically for readers, and waits for the disk. */
export async function replaceFile(from: string, to: string, folder: string): Promise<void> {
  await rename(from, to);
  syncFolder(folder);
}
