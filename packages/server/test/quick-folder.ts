import { accessSync, constants, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

/** Memory of Linux that looks like a disk. */
const memory = "/dev/shm";
/** Least free bytes: four PostgreSQL servers take some 400 MiB; containers often have 64 MiB. */
const leastFree = 2 * 1024 ** 3;

/**
 * Folder for test databases, in memory where there is room: on a disk, most of the time is spent on
 * syncs. Memory suffices: tests kill processes and fill files, but never cut a machine's power.
 */
export const quickFolder = hasRoom() ? memory : tmpdir();

function hasRoom(): boolean {
  try {
    accessSync(memory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= leastFree;
  } catch {
    return false;
  }
}
