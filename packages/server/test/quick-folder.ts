import { accessSync, constants, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

/** Memory of Linux that looks like a disk. */
const memory = "/dev/shm";
/** Least free space there, in bytes: four PostgreSQL servers at once have some 400 MiB; containers often give 64 MiB. */
const leastFree = 2 * 1024 ** 3;

/**
 * Folder for the databases of tests, in memory where there is room: elsewhere most of the time is waiting for a disk to
 * sync. Nothing is lost by that: tests kill processes and fill files up to a limit, and take the power from no machine.
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
