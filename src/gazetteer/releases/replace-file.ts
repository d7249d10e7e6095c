import { constants } from "node:fs";
import { chmod, chown, copyFile, link, open, rename, rm, stat } from "node:fs/promises";

/**
 * Writes a new file to the disk, not only to the memory of the system. Everybody may read it, as far as the umask
 * lets them: postal data is no secret, and who imports is often another user than the server. Where there is a file
 * that it is to replace, it gets the rights of that one.
 */
export async function writeDurably(file: string, bytes: Uint8Array, like: string): Promise<void> {
  const handle = await open(file, "wx", 0o666);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await copyRights(like, file);
}

/** Copies a file to the disk under a new name. */
export async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  const handle = await open(to, "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Gives a file a second name; where the file system knows no such thing, as FAT, a copy. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (cause) {
    const { code = "" } = cause as NodeJS.ErrnoException;
    if (!["EPERM", "ENOTSUP", "ENOSYS", "EMLINK"].includes(code)) throw cause;
    await copyDurably(from, to);
  }
}

/** Moves a file onto another, which a reader sees either before or after, and waits for the disk. */
export async function replaceFile(from: string, to: string, folder: string): Promise<void> {
  await rename(from, to);
  await syncFolder(folder);
}

/** Removes a file that may be gone by now. */
export function removeFile(file: string): Promise<void> {
  return rm(file, { force: true });
}

/** What a rename did is on the disk when the folder is. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (cause) {
    // Some file systems sync no folders; the rename itself is done.
    const { code = "" } = cause as NodeJS.ErrnoException;
    if (!["EINVAL", "EPERM", "EISDIR", "ENOTSUP", "EACCES"].includes(code)) throw cause;
  }
}

async function copyRights(from: string, to: string): Promise<void> {
  const was = await stat(from).catch(() => undefined);
  if (was === undefined) return;
  await chmod(to, was.mode & 0o777);
  // Only the superuser may give files away; for anybody else they are the importer's from now on.
  await chown(to, was.uid, was.gid).catch(() => {});
}
