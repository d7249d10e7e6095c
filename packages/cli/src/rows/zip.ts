import { crc32 } from "node:zlib";
import { type Entry, fromFdPromise, openPromise, type ZipFile } from "yauzl";
import { RowFileError } from "./row-file-error.ts";

/** Most entries of a zip: those of GeoNames have two. */
const entriesMax = 1000;

/** Files that GeoNames and Macs pack beside the table. */
const besideTable = /^(?:readme|license|licence)\b|^\.|^__macosx\b/i;

/** Listeners of the reading of a zip. */
export interface ZipListeners {
  /** When the table was last changed. */
  readonly onDate: (date: Date) => void;
  /** Share of the zip that has been read, 0 to 1. */
  readonly onShare: (share: number) => void;
}

/**
 * Bytes of the one table in a zip; its checksum is verified at the end.
 *
 * @param source path, or the descriptor of an open file, which is closed at the end.
 * @throws {RowFileError} when the zip is damaged, or has no table or several.
 */
export async function* readZipTable(
  source: string | number,
  name: string,
  { onDate, onShare }: ZipListeners,
): AsyncGenerator<Buffer> {
  let zip: ZipFile | undefined;
  try {
    const options = { lazyEntries: true, autoClose: false } as const;
    zip = await (typeof source === "number"
      ? fromFdPromise(source, options)
      : openPromise(source, options));
    const entry = await findTable(zip, name);
    onDate(entry.getLastModDate({ timezone: "UTC" }));
    let checksum = 0;
    let byteLength = 0;
    for await (const chunk of await zip.openReadStreamPromise(entry)) {
      checksum = crc32(chunk, checksum);
      byteLength += chunk.length;
      onShare(byteLength / Math.max(1, entry.uncompressedSize));
      yield chunk;
    }
    if (checksum !== entry.crc32) throw new Error("the checksum (CRC-32) is wrong");
  } catch (cause) {
    if (cause instanceof RowFileError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new RowFileError(name, `is a damaged or truncated zip (${why}): download it again`, {
      cause,
    });
  } finally {
    zip?.close();
  }
}

async function findTable(zip: ZipFile, name: string): Promise<Entry> {
  if (zip.entryCount > entriesMax) {
    throw new RowFileError(name, `contains ${zip.entryCount} files instead of one table`);
  }
  const tables = (await Array.fromAsync(zip.eachEntry())).filter(isTable);
  const [table, second] = tables;
  if (table === undefined) {
    throw new RowFileError(
      name,
      "contains no table: expected one .txt file, such as US.txt, or .csv",
    );
  }
  if (second !== undefined) {
    const names = tables.slice(0, 5).map(({ fileName }) => fileName);
    throw new RowFileError(name, `contains several tables (${names.join(", ")}): unpack it first`);
  }
  if (!table.canDecodeFileData()) {
    throw new RowFileError(
      name,
      `contains ${table.fileName} encrypted or compressed in an unsupported way`,
    );
  }
  return table;
}

function isTable({ fileName }: Entry): boolean {
  const lastPart = fileName.split("/").at(-1) ?? "";
  if (besideTable.test(fileName) || besideTable.test(lastPart)) return false;
  return /[^/]\.(?:txt|tsv|csv|ndjson|jsonl|log)$/i.test(fileName);
}
