import { createHash } from "node:crypto";
import type { Json } from "../../io/printable.ts";

/** Names of the files in a backup; the manifest is the first. */
export const backupNames = {
  manifest: "manifest.json",
  database: "database.sqlite",
  gazetteer: "gazetteer.bin",
  keys: "secret.key",
} as const;

/** Says what the file is to whoever finds it. */
const format = "web-forms-helper backup";
/** Version of the layout that this code reads and writes. */
const formatVersion = 1;

/** One file of a backup. */
export interface BackedUpFile {
  readonly bytes: number;
  /** In hexadecimal, as sha256sum prints it. */
  readonly sha256: string;
}

/** What a backup holds. */
export interface Manifest {
  /** Version of the program that made it. */
  readonly program: string;
  /** When it was begun: everything that was acknowledged before is in it. `2026-11-21T10:00:00.000Z`. */
  readonly createdAt: string;
  readonly database:
    | (BackedUpFile & {
        readonly schemaVersion: number;
        readonly rows: Readonly<Record<string, number>>;
        /** Imported hashes that are of use only with the key (decision 0035); the first backups did not count them. */
        readonly sealedHashes?: number;
      })
    | null;
  readonly gazetteer: BackedUpFile & {
    /** Whether it is the one that comes with the program. */
    readonly isBuiltIn: boolean;
    readonly dataDate: string;
    readonly postalCodes: number;
  };
  readonly keys: BackedUpFile | null;
}

/** A file in `backupNames` that is no backup, or one that this program cannot read. */
export class ManifestError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ManifestError";
  }
}

/** The manifest as text for people and `jq`. */
export function renderManifest(manifest: Manifest): string {
  return `${JSON.stringify({ format, formatVersion, ...manifest }, null, 2)}\n`;
}

/** The manifest as a value that is printed. */
export function manifestToJson(manifest: Manifest): Json {
  return JSON.parse(JSON.stringify(manifest)) as Json;
}

/**
 * Reads a manifest.
 *
 * @throws {ManifestError} when it is none, or of a newer layout.
 */
export function parseManifest(text: string): Manifest {
  const value = parseJson(text);
  if (value?.["format"] !== format) throw new ManifestError("its manifest is not that of a backup");
  if (value["formatVersion"] !== formatVersion) {
    throw new ManifestError(
      `it has layout version ${String(value["formatVersion"])}, this program reads ${formatVersion}: use the newer program`,
    );
  }
  const { program, createdAt, database, gazetteer, keys } = value as unknown as Manifest;
  const isWhole =
    typeof program === "string" &&
    isInstant(createdAt) &&
    (database === null || isDatabase(database)) &&
    isGazetteer(gazetteer) &&
    (keys === null || isFile(keys));
  if (!isWhole) throw new ManifestError("its manifest is not complete");
  return { program, createdAt, database, gazetteer, keys };
}

function parseJson(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? (value as Readonly<Record<string, unknown>> | null) : null;
  } catch {
    return null;
  }
}

function isInstant(value: unknown): boolean {
  return typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value);
}

/** Of what is not there `undefined` is looked at. */
function isFile(file: Partial<BackedUpFile> | null | undefined): boolean {
  return isCount(file?.bytes) && /^[0-9a-f]{64}$/.test(file?.sha256 ?? "");
}

function isDatabase(database: Partial<NonNullable<Manifest["database"]>> | undefined): boolean {
  const { schemaVersion, rows, sealedHashes = 0 } = database ?? {};
  const isCounted = typeof rows === "object" && rows !== null && Object.values(rows).every(isCount);
  return isFile(database) && isCount(schemaVersion) && isCount(sealedHashes) && isCounted;
}

function isGazetteer(gazetteer: Partial<Manifest["gazetteer"]> | null | undefined): boolean {
  const { isBuiltIn, dataDate, postalCodes } = gazetteer ?? {};
  const isDescribed = typeof isBuiltIn === "boolean" && typeof dataDate === "string";
  return isFile(gazetteer) && isDescribed && isCount(postalCodes);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** The SHA-256 of a stream, in hexadecimal, and how long it was. */
export async function digestOf(
  stream: AsyncIterable<Uint8Array>,
  passed: (bytes: number) => void = () => {},
): Promise<BackedUpFile> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of stream) {
    hash.update(chunk);
    bytes += chunk.length;
    passed(bytes);
  }
  return { bytes, sha256: hash.digest("hex") };
}
