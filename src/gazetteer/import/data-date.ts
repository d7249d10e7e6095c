import { open, stat } from "node:fs/promises";
import { openPromise } from "yauzl";

/** Entries of a zip that are looked at: one of GeoNames has two. */
const entriesMax = 1_000;

/**
 * Day on which a postal file was last changed, `YYYY-MM-DD` in UTC, by the best witness there is: the entry of a zip, the
 * header of a gzip, else the file itself. GeoNames writes no date into its tables. Undefined for a pipe, and for a file that
 * cannot be read.
 */
export async function findDataDate(path: string): Promise<string | undefined> {
  try {
    const status = await stat(path);
    // Whoever writes into a pipe is told to stop when its reader closes it.
    if (!status.isFile()) return undefined;
    const start = await readStart(path);
    if (start[0] === 0x50 && start[1] === 0x4b) return dayOf(await readZipDate(path));
    return dayOf(readGzipDate(start) ?? status.mtime);
  } catch {
    // Whoever reads the file will say what is wrong with it.
    return undefined;
  }
}

/** When a gzip was packed, by its first ten bytes; undefined when it is none or does not say. */
export function readGzipDate(start: Uint8Array): Date | undefined {
  if (start.length < 10 || start[0] !== 0x1f || start[1] !== 0x8b) return undefined;
  const seconds = new DataView(start.buffer, start.byteOffset).getUint32(4, true);
  return seconds === 0 ? undefined : new Date(seconds * 1_000);
}

/** `YYYY-MM-DD` in UTC. */
export function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

async function readStart(path: string): Promise<Uint8Array> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(new Uint8Array(10), 0, 10, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** The latest of its entries, the note beside the table left out. */
async function readZipDate(path: string): Promise<Date> {
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false });
  try {
    if (zip.entryCount > entriesMax) throw new RangeError(`${zip.entryCount} entries`);
    let latest = new Date(0);
    for await (const entry of zip.eachEntry()) {
      const changed = entry.getLastModDate({ timezone: "UTC" });
      if (!/^readme/i.test(entry.fileName) && changed > latest) latest = changed;
    }
    return latest;
  } finally {
    zip.close();
  }
}
