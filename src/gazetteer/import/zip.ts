import { crc32 } from "node:zlib";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { ImportError } from "./import-error.ts";

/** Most entries of a zip: those of GeoNames have two. */
const entriesMax = 1000;

/** What GeoNames packs beside the table, and what Macs add. */
const besideTable = /^(?:readme|license|licence)\b|^\.|^__macosx\b/i;

/**
 * Text of the one table in a zip; its checksum is verified at the end. `onShare` gets the part of the
 * zip that has been read, 0 to 1.
 *
 * @throws {ImportError} when the zip is damaged, or has no table or several.
 */
export async function* readZipTable(
  path: string,
  name: string,
  onShare: (share: number) => void,
): AsyncGenerator<Uint8Array> {
  const zip = await openZip(path).catch((cause) => {
    throw damaged(name, cause);
  });
  try {
    const entry = findTable(await listEntries(zip, name), name);
    let [checksum, byteLength] = [0, 0];
    for await (const chunk of await zip.openReadStreamPromise(entry)) {
      checksum = crc32(chunk, checksum);
      byteLength += chunk.length;
      onShare(byteLength / Math.max(1, entry.uncompressedSize));
      yield chunk;
    }
    if (checksum !== entry.crc32) throw new Error("the checksum (CRC-32) is wrong");
  } catch (cause) {
    throw cause instanceof ImportError ? cause : damaged(name, cause);
  } finally {
    zip.close();
  }
}

/** When the latest entry of a zip was changed, not counting the note beside the table. */
export async function readZipDate(path: string): Promise<Date> {
  const zip = await openZip(path);
  try {
    const tables = (await listEntries(zip, path)).filter((entry) => !isBeside(entry));
    const times = tables.map((entry) => entry.getLastModDate({ timezone: "UTC" }).getTime());
    return new Date(Math.max(0, ...times));
  } finally {
    zip.close();
  }
}

function openZip(path: string): Promise<ZipFile> {
  return openPromise(path, { lazyEntries: true, autoClose: false });
}

async function listEntries(zip: ZipFile, name: string): Promise<readonly Entry[]> {
  if (zip.entryCount > entriesMax) {
    throw new ImportError(name, `holds ${zip.entryCount} files: a zip of GeoNames holds one table`);
  }
  return Array.fromAsync(zip.eachEntry());
}

function isBeside({ fileName }: Entry): boolean {
  return besideTable.test(fileName) || besideTable.test(fileName.split("/").at(-1) ?? "");
}

function findTable(entries: readonly Entry[], name: string): Entry {
  const tables = entries.filter((entry) => {
    return !isBeside(entry) && /[^/]\.(?:txt|tsv|csv)$/i.test(entry.fileName);
  });
  const [table, second] = tables;
  if (table === undefined) {
    throw new ImportError(name, "holds no table: expected one .txt file, such as US.txt");
  }
  if (second !== undefined) {
    const names = tables.slice(0, 5).map(({ fileName }) => fileName);
    throw new ImportError(name, `holds several tables (${names.join(", ")}): unpack it first`);
  }
  if (!table.canDecodeFileData()) {
    throw new ImportError(name, `holds ${table.fileName} encrypted or packed in an unusual way`);
  }
  return table;
}

function damaged(name: string, cause: unknown): ImportError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new ImportError(name, `is a damaged or cut off zip (${why}): fetch it again`, { cause });
}
