import { type HashSealing, type ImportedHash, importHash } from "../../../secrets/imported-hash.ts";
import { LegacyHashError, legacyKinds } from "../../../secrets/legacy-hash.ts";
import type { AccountField } from "./account-columns.ts";
import { RowProblem } from "./row-problem.ts";

/** Kinds of hashes that a file of accounts may hold. */
export const importKinds = [...legacyKinds, "argon2id"] as const;

/** One of `importKinds`. */
export type ImportKind = (typeof importKinds)[number];

/** The cells of a row that say something of its password. */
export type HashCells = Partial<Record<AccountField, string>>;

/** A hash of a row. */
export interface RowHash extends ImportedHash {
  /** Its kind for reports: that of `importKinds`, for ASP.NET Identity with its version. */
  readonly kind: string;
}

/**
 * Reads the hash of a row.
 *
 * @param given kind of all hashes of the file; a column of the row wins over it.
 * @throws {RowProblem}
 */
export function readRowHash(
  cells: HashCells,
  given: ImportKind | null,
  sealing: HashSealing,
): RowHash {
  const format = readFormat(cells.format);
  const hash = (cells.hash ?? "").trim();
  if (format === "clear") throw clearText();
  if (format === "encrypted") {
    throw new RowProblem(
      "encrypted",
      "The password is encrypted (PasswordFormat 2): a tool of the old system can turn it into a hash, or the owner needs a new one",
    );
  }
  if (hash === "") {
    throw new RowProblem("no-hash", "The hash is missing: add the account with wfh accounts add");
  }
  const kind = readKind(cells.kind) ?? given ?? detectKind(hash, cells, format);
  try {
    return { ...importHash(toText(hash, kind, cells), kind, sealing), kind: describe(kind, hash) };
  } catch (cause) {
    if (!(cause instanceof LegacyHashError)) throw cause;
    throw new RowProblem("bad-hash", cause.message);
  }
}

function clearText(): RowProblem {
  return new RowProblem(
    "plain-text",
    "The password is not hashed (PasswordFormat 0): never export it so; give the owner a new one, or let a tool of the old system make a hash",
  );
}

/** PasswordFormat of ASP.NET Membership, as its number or its name. */
function readFormat(text = ""): "clear" | "hashed" | "encrypted" | null {
  const format = text.trim().toLowerCase();
  if (format === "") return null;
  if (format === "0" || format === "clear") return "clear";
  if (format === "1" || format === "hashed") return "hashed";
  if (format === "2" || format === "encrypted") return "encrypted";
  throw new RowProblem("unknown-kind", "PasswordFormat is not 0, 1 or 2");
}

function readKind(text = ""): ImportKind | null {
  const name = text.trim().toLowerCase();
  if (name === "") return null;
  const kind = importKinds.find((one) => one === name);
  if (kind !== undefined) return kind;
  throw new RowProblem("unknown-kind", `The kind is unknown: allowed is ${importKinds.join(", ")}`);
}

/** Hash functions of ASP.NET Membership as its settings and its users spell them. */
const membershipKinds: Readonly<Record<string, ImportKind>> = {
  sha1: "aspnet-membership-sha1",
  sha: "aspnet-membership-sha1",
  sha256: "aspnet-membership-sha256",
  hmacsha256: "aspnet-membership-hmacsha256",
};

/** The kind of a hash by its own form, or by the other cells. */
function detectKind(
  hash: string,
  { salt = "", algorithm = "", iterations = "" }: HashCells,
  format: "hashed" | null,
): ImportKind {
  if (/^\$2.?\$/.test(hash)) return "bcrypt";
  if (hash.startsWith("$argon2")) return "argon2id";
  if (iterations !== "") return "aspnet-membership-pbkdf2";
  if (isIdentity(hash)) return "aspnet-identity";
  const named = membershipKinds[algorithm.trim().toLowerCase().replace(/-/g, "")];
  if (named !== undefined) return named;
  const isSalted = salt !== "" || hash.includes(":");
  if (isSalted && Buffer.from(hash.split(":", 1)[0] ?? "", "base64").length === 20) {
    return "aspnet-membership-sha1";
  }
  throw new RowProblem(
    "unknown-kind",
    format === "hashed" || isSalted
      ? "The kind of the hash is ambiguous: set --hash aspnet-membership-sha256 or aspnet-membership-hmacsha256, by hashAlgorithmType of the old system"
      : "The kind of the hash is unknown: set it with --hash or in a column Kind",
  );
}

/** Version 2 has 49 bytes that begin with 0, version 3 begins with 1 and the number of a hash function. */
function isIdentity(hash: string): boolean {
  if (!/^[A-Za-z0-9+/]{40,}={0,2}$/.test(hash)) return false;
  const bytes = Buffer.from(hash, "base64");
  if (bytes[0] === 0) return bytes.length === 49;
  return bytes[0] === 1 && bytes.length >= 37 && bytes.readUInt32BE(1) <= 2;
}

/** Appends what old systems keep in separate columns, separated by colons. */
function toText(hash: string, kind: ImportKind, cells: HashCells): string {
  const { salt = "", iterations = "", algorithm = "" } = cells;
  if (!kind.startsWith("aspnet-membership-") || salt === "" || hash.includes(":")) return hash;
  if (kind !== "aspnet-membership-pbkdf2") return `${hash}:${salt.trim()}`;
  if (isIdentity(hash)) return hash;
  return [hash, salt, iterations, algorithm].map((text) => text.trim()).join(":");
}

function describe(kind: ImportKind, hash: string): string {
  if (kind !== "aspnet-identity") return kind;
  return `${kind}-v${Buffer.from(hash.slice(0, 4), "base64")[0] === 0 ? 2 : 3}`;
}
