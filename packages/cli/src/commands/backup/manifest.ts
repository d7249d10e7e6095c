import { createHash } from "node:crypto";
import { countOf, formatCount, renderBytes } from "@wfh/server/lib/printable.ts";
import { renderTextTable } from "../../io/report.ts";

/** Backup that cannot be used; the message continues `Cannot use the backup …: `. */
export class BackupError extends Error {}

/** Names of the files in a backup. */
export const backupNames = {
  manifest: "manifest.json",
  database: "database.sqlite",
  gazetteer: "gazetteer.bin",
  keys: "secret.key",
} as const;

const format = "web-forms-helper backup";
/** Version of the layout that this code reads and writes. */
const formatVersion = 1;

/** One file of a backup. */
export type BackedUpFile = {
  readonly bytes: number;
  /** In hexadecimal, as sha256sum prints it. */
  readonly sha256: string;
};

type BackedUpDatabase = BackedUpFile & {
  readonly schemaVersion: number;
  readonly rows: Readonly<Record<string, number>>;
};

type BackedUpGazetteer = BackedUpFile & {
  /** True for the one that comes with the program. */
  readonly isBuiltIn: boolean;
  readonly dataDate: string;
  readonly postalCodes: number;
};

/** Contents of a backup; null for what is left out. A type, so that it can be printed as JSON. */
export type Manifest = {
  readonly program: string;
  /** When it was begun: everything acknowledged before is in it. `2026-11-21T10:00:00.000Z`. */
  readonly createdAt: string;
  readonly database: BackedUpDatabase | null;
  readonly gazetteer: BackedUpGazetteer;
  readonly keys: BackedUpFile | null;
};

/** The manifest as text for people and `jq`. */
export function renderManifest(manifest: Manifest): string {
  return `${JSON.stringify({ format, formatVersion, ...manifest }, null, 2)}\n`;
}

/**
 * Reads a manifest.
 *
 * @throws {BackupError} when it is not one, or of a newer layout.
 */
export function parseManifest(text: string): Manifest {
  const value = parseObject(text);
  if (value?.["format"] !== format) throw new BackupError("its manifest is not from wfh backup");
  if (value["formatVersion"] !== formatVersion) {
    throw new BackupError(
      `it has format version ${String(value["formatVersion"])}, but this program reads only ${formatVersion}; use a newer program`,
    );
  }
  const { program, createdAt, database, gazetteer, keys } = value as unknown as Manifest;
  const isComplete =
    typeof program === "string" &&
    /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(String(createdAt)) &&
    (database === null || isDatabase(database)) &&
    isGazetteer(gazetteer) &&
    (keys === null || isFile(keys));
  if (!isComplete) throw new BackupError("its manifest is incomplete");
  return { program, createdAt, database, gazetteer, keys };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? (value as Readonly<Record<string, unknown>> | null) : null;
  } catch {
    return null;
  }
}

/** A member that is missing is undefined, and refused with those of another type. */
function isFile(file: Partial<BackedUpFile> | null | undefined): boolean {
  return isCount(file?.bytes) && /^[0-9a-f]{64}$/.test(file?.sha256 ?? "");
}

function isDatabase(database: Partial<BackedUpDatabase> | undefined): boolean {
  const { schemaVersion, rows } = database ?? {};
  const isCounted = typeof rows === "object" && rows !== null && Object.values(rows).every(isCount);
  return isFile(database) && isCount(schemaVersion) && isCounted;
}

function isGazetteer(gazetteer: Partial<BackedUpGazetteer> | null | undefined): boolean {
  const { isBuiltIn, dataDate, postalCodes } = gazetteer ?? {};
  const isDescribed = typeof isBuiltIn === "boolean" && typeof dataDate === "string";
  return isFile(gazetteer) && isDescribed && isCount(postalCodes);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** The SHA-256 and the length of a stream. */
export async function digestOf(
  stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<BackedUpFile> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of stream) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest("hex") };
}

/** Renders the contents of a backup as a table. */
export function renderContents({ database, gazetteer, keys }: Manifest): string {
  const rows: string[][] = [["File", "Size", "Contents"]];
  if (database !== null) {
    const { schemaVersion, rows: counts } = database;
    const tables = ["accounts", "forms", "sessions", "page_requests"].map((table) => {
      const nouns = table.replace("_", " ");
      return countOf(counts[table] ?? 0, nouns.slice(0, -1), nouns);
    });
    const what = [...tables, `schema ${schemaVersion}`].join(", ");
    rows.push([backupNames.database, renderBytes(database.bytes), what]);
  }
  const { isBuiltIn, postalCodes, dataDate } = gazetteer;
  const codes = `${formatCount(postalCodes)} postal codes, as of ${dataDate}`;
  const what = isBuiltIn ? `${codes}, built in` : codes;
  rows.push([backupNames.gazetteer, renderBytes(gazetteer.bytes), what]);
  if (keys !== null) rows.push([backupNames.keys, renderBytes(keys.bytes), "keys of log-ins"]);
  return renderTextTable(rows);
}
