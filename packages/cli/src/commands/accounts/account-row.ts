import type { ImportConflict } from "@wfh/server/domain/log-in/accounts/account-import.ts";
import {
  type Fingerprints,
  type ImportedHash,
  readImportedHash,
} from "@wfh/server/secrets/imported-hash.ts";
import { LegacyHashError, legacyKinds } from "@wfh/server/secrets/legacy-hash.ts";
import { formatLegacyLogIn, legacyLogInForm } from "@wfh/server/secrets/legacy-log-in.ts";
import { CommandError } from "../../io/exit-codes.ts";
import { parseId, requireName } from "../../io/options.ts";
import { readTexts } from "../../io/row-import.ts";
import type { Cells, TableColumns } from "../../rows/columns.ts";

const names = {
  recordId: ["Record_Id", "Record", "Id"],
  contactId: ["Contact_Id", "Contact"],
  userName: ["UserName", "Name", "LoginName", "Login"],
  hash: ["PasswordHash", "Hash", "Password"],
  salt: ["PasswordSalt", "Salt"],
  kind: ["Kind", "HashKind", "PasswordKind"],
  format: ["PasswordFormat"],
  algorithm: ["Algorithm", "HashAlgorithm", "PasswordAlgorithm", "Prf"],
  iterations: ["Iterations", "PasswordIterations", "IterationCount", "Rounds"],
  isEnabled: ["IsEnabled", "Enabled", "IsActive", "Active"],
  isDisabled: ["IsDisabled", "Disabled"],
  isApproved: ["IsApproved", "Approved"],
  isLockedOut: ["IsLockedOut", "LockedOut"],
  lockoutEnabled: ["LockoutEnabled"],
  lockoutEnd: ["LockoutEnd", "LockoutEndDateUtc", "LockoutEndDate"],
} as const;

/** Meaning of a column of a file of accounts. */
export type AccountField = keyof typeof names;

/** The columns of a file of accounts. */
export const accountFileColumns: TableColumns<AccountField> = {
  names,
  required: ["recordId", "userName", "hash"],
  others: "ignore",
};

/** Why a row is rejected, for scripts. */
export type RowReason =
  | ImportConflict["kind"]
  | "unreadable"
  | "bad-id"
  | "bad-name"
  | "bad-flag"
  | "no-hash"
  | "bad-hash"
  | "unknown-kind"
  | "plain-text"
  | "encrypted"
  | "duplicate-id"
  | "duplicate-name";

/** A row is rejected. The message is for people and contains no part of a hash or a password. */
export class RowProblem extends CommandError {
  readonly reason: RowReason;

  constructor(reason: RowReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Kinds of hashes that a file of accounts may hold. */
export const importKinds = [...legacyKinds, "argon2id"] as const;

/** One of `importKinds`. */
export type ImportKind = (typeof importKinds)[number];

/** The cells of a row that are not empty. */
type TextCells = Partial<Record<AccountField, string>>;

/** Options for reading rows. */
export interface AccountRowOptions {
  /** Kind of all hashes of the file, over which a column of the row wins; null to detect each. */
  readonly kind: ImportKind | null;
  readonly fingerprintsOf: (content: string) => Fingerprints;
  /** Who verifies accounts without a usable hash; without it their rows are rejected. */
  readonly withoutHash?: "legacy" | undefined;
}

/** Why a row has no usable hash. */
const noUsableHash: readonly RowReason[] = [
  ...(["no-hash", "bad-hash", "unknown-kind", "plain-text", "encrypted"] as const),
];

/**
 * Reads a row of a file of accounts.
 *
 * @param nowMs UTC, milliseconds.
 * @throws {RowProblem}
 */
export function readAccountRow(
  row: Cells<AccountField>,
  options: AccountRowOptions,
  nowMs: number,
) {
  const cells = asProblem("unreadable", null, () => readTexts(row));
  // It may be a name.
  if (row.userName === "NULL") cells.userName = row.userName;
  const recordId = readId("The record ID", cells.recordId ?? "");
  const contactId = cells.contactId ? readId("The contact ID", cells.contactId) : recordId;
  const userName = (cells.userName ?? "").trim();
  asProblem("bad-name", null, () => requireName("The user name", userName));
  const { kind, hash, fingerprints } = readRowHash(cells, userName, options);
  const isEnabled = readEnabled(cells, nowMs);
  return { account: { recordId, contactId, userName, fingerprints, isEnabled }, hash, kind };
}

/** The message repeats nothing of the cell: where columns are mixed up, it may hold a password. */
function readId(what: string, text: string): bigint {
  if (text === "") throw new RowProblem("bad-id", `${what} is missing`);
  const isGuid = /^[{(]?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}[)}]?$/i.test(text.trim());
  const found = isGuid ? "; this is a GUID" : "";
  return asProblem("bad-id", `${what} must be a 64-bit integer other than 0${found}`, () =>
    parseId(what, text.trim()),
  );
}

/** Runs a check of the command line on a cell; without a message, that of the check is used. */
function asProblem<Result>(reason: RowReason, message: string | null, run: () => Result): Result {
  try {
    return run();
  } catch (cause) {
    if (!(cause instanceof CommandError)) throw cause;
    throw new RowProblem(reason, message ?? cause.message);
  }
}

/** null where the row does not say. */
function readEnabled(cells: TextCells, nowMs: number): boolean | null {
  const not = (flag: boolean | null) => (flag === null ? null : !flag);
  const flags = [
    readFlag("IsEnabled", cells.isEnabled),
    readFlag("IsApproved", cells.isApproved),
    not(readFlag("IsDisabled", cells.isDisabled)),
    not(readFlag("IsLockedOut", cells.isLockedOut)),
    not(isLockedForGood(cells, nowMs)),
  ].filter((flag) => flag !== null);
  return flags.length === 0 ? null : flags.every(Boolean);
}

/**
 * ASP.NET Identity locks for minutes after failures, which expires, and operators lock until a far
 * year: only that is taken over. `LockoutEnabled` by itself only allows it.
 */
function isLockedForGood({ lockoutEnabled, lockoutEnd }: TextCells, nowMs: number): boolean | null {
  const isLockable = readFlag("LockoutEnabled", lockoutEnabled);
  if (lockoutEnd === undefined) return isLockable === null ? null : false;
  const year = Number(/\b(\d{4})\b/.exec(lockoutEnd)?.[1] ?? 0);
  return isLockable !== false && year > new Date(nowMs).getUTCFullYear() + 1;
}

function readFlag(name: string, text = ""): boolean | null {
  const flag = text.trim().toLowerCase();
  if (flag === "") return null;
  if (["1", "true", "yes", "y"].includes(flag)) return true;
  if (["0", "false", "no", "n"].includes(flag)) return false;
  throw new RowProblem("bad-flag", `${name} must be true or false`);
}

/** Reads a row's hash, or for --without-hash a record that makes log-in ask the old server. */
function readRowHash(
  cells: TextCells,
  userName: string,
  options: AccountRowOptions,
): ImportedHash & { readonly kind: string } {
  try {
    return readOwnHash(cells, options);
  } catch (cause) {
    const isUnusable = cause instanceof RowProblem && noUsableHash.includes(cause.reason);
    if (options.withoutHash === undefined || !isUnusable) throw cause;
    const form = legacyLogInForm;
    const hash = { record: formatLegacyLogIn(userName), form };
    return { hash, fingerprints: [form], kind: form };
  }
}

/**
 * Reads a row's hash, and its kind for reports: of `importKinds`, with the version of Identity.
 *
 * @throws {RowProblem}
 */
function readOwnHash(cells: TextCells, { kind: given, fingerprintsOf }: AccountRowOptions) {
  const format = readFormat(cells.format);
  const hash = (cells.hash ?? "").trim();
  if (format === "clear") {
    throw new RowProblem(
      "plain-text",
      "The password is in plain text (PasswordFormat 0). Export it without the password, and let the old server verify it (--without-hash legacy), or give the owner a new password",
    );
  }
  if (format === "encrypted") {
    throw new RowProblem(
      "encrypted",
      "The password is encrypted (PasswordFormat 2). Let the old server verify it (--without-hash legacy), or give the owner a new password",
    );
  }
  if (hash === "") {
    throw new RowProblem("no-hash", "The hash is missing. Add the account with wfh accounts add");
  }
  const kind = readKind(cells.kind) ?? given ?? detectKind(hash, cells, format);
  try {
    const read = readImportedHash(toText(hash, kind, cells), kind, fingerprintsOf);
    return { ...read, kind: describe(kind, hash) };
  } catch (cause) {
    if (!(cause instanceof LegacyHashError)) throw cause;
    throw new RowProblem("bad-hash", cause.message);
  }
}

/** PasswordFormat of ASP.NET Membership, as its number or its name. */
function readFormat(text = ""): "clear" | "hashed" | "encrypted" | null {
  const format = text.trim().toLowerCase();
  if (format === "") return null;
  if (format === "0" || format === "clear") return "clear";
  if (format === "1" || format === "hashed") return "hashed";
  if (format === "2" || format === "encrypted") return "encrypted";
  throw new RowProblem("unknown-kind", "PasswordFormat must be 0, 1 or 2");
}

function readKind(text = ""): ImportKind | null {
  const name = text.trim().toLowerCase();
  if (name === "") return null;
  const kind = importKinds.find((one) => one === name);
  if (kind !== undefined) return kind;
  throw new RowProblem("unknown-kind", `Unknown kind of hash: expected ${importKinds.join(", ")}`);
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
  { salt = "", algorithm = "", iterations = "" }: TextCells,
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
      ? "The kind of the hash is ambiguous. Use --hash aspnet-membership-sha256 or --hash aspnet-membership-hmacsha256, to match hashAlgorithmType in the old system"
      : "The kind of the hash is unknown. Set it with --hash or in a Kind column",
  );
}

/** Version 2 has 49 bytes, the first 0; version 3 begins with 1 and a hash function's number. */
function isIdentity(hash: string): boolean {
  if (!/^[A-Za-z0-9+/]{40,}={0,2}$/.test(hash)) return false;
  const bytes = Buffer.from(hash, "base64");
  if (bytes[0] === 0) return bytes.length === 49;
  return bytes[0] === 1 && bytes.length >= 37 && bytes.readUInt32BE(1) <= 2;
}

/** Appends what old systems keep in separate columns, separated by colons. */
function toText(hash: string, kind: ImportKind, cells: TextCells): string {
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
