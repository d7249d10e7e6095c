import { open, stat } from "node:fs/promises";
import { readZipDate } from "./zip.ts";

/**
 * Day on which a postal file was last changed, `YYYY-MM-DD` in UTC: that of the entry in a zip, of the header of a gzip, else
 * of the file. GeoNames writes no date into its tables. Undefined for a pipe, and for a file that cannot be read.
 */
export async function findDataDate(path: string): Promise<string | undefined> {
  try {
    const status = await stat(path);
    // Opening a pipe and closing it would stop its writer.
    if (!status.isFile()) return undefined;
    const start = await readStart(path);
    if (start[0] === 0x50 && start[1] === 0x4b) return dayOf(await readZipDate(path));
    return dayOf(readGzipDate(start) ?? status.mtime);
  } catch {
    // The import itself reports what is wrong with the file.
    return undefined;
  }
}

/** When a gzip was packed, by its first ten bytes; undefined when it does not say, or is no gzip. */
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
