import type { ImportedAccount } from "../../../domain/log-in/accounts/account-import.ts";
import type { Cells } from "../../../rows/columns.ts";
import type { HashSealing } from "../../../secrets/imported-hash.ts";
import { CommandError } from "../../exit-codes.ts";
import { parseId, requireName } from "../../io/options.ts";
import type { AccountField } from "./account-columns.ts";
import { type HashCells, type ImportKind, readRowHash } from "./row-hash.ts";
import { RowProblem, type RowReason } from "./row-problem.ts";

/** A row of a file of accounts. */
export interface AccountRow {
  readonly account: ImportedAccount;
  /** Kind of its hash, for reports. */
  readonly kind: string;
}

/** How rows are read. */
export interface AccountRowOptions {
  /** Kind of all hashes of the file; null to detect each. */
  readonly kind: ImportKind | null;
  readonly sealing: HashSealing;
}

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
): AccountRow {
  const cells = textCells(row);
  const recordId = readId("The record id", cells.recordId ?? "");
  const contactId = cells.contactId ? readId("The contact id", cells.contactId) : recordId;
  const userName = (cells.userName ?? "").trim();
  asProblem("bad-name", null, () => requireName("The user name", userName));
  const { kind, record, form, fingerprints } = readRowHash(cells, options.kind, options.sealing);
  const isEnabled = readEnabled(cells, nowMs);
  const hash = { record, form };
  return { account: { recordId, contactId, userName, hash, fingerprints, isEnabled }, kind };
}

/** Cells that are not empty; SQL Server's tools write NULL for nothing. */
function textCells(row: Cells<AccountField>): HashCells {
  const cells: HashCells = {};
  for (const [name, cell] of Object.entries(row)) {
    if (typeof cell !== "string") {
      throw new RowProblem("unreadable", `${name} is neither a text nor a number`);
    }
    if (cell !== "" && (cell !== "NULL" || name === "userName")) {
      cells[name as AccountField] = cell;
    }
  }
  return cells;
}

/** The message repeats nothing of the cell: where columns are mixed up, it may hold a password. */
function readId(what: string, text: string): bigint {
  if (text === "") throw new RowProblem("bad-id", `${what} is missing`);
  const isGuid = /^[{(]?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}[)}]?$/i.test(text.trim());
  const found = isGuid ? "this is a GUID" : "this is not one";
  return asProblem("bad-id", `${what} is a whole number of 64 bits and not 0; ${found}`, () =>
    parseId(what, text.trim()),
  );
}

/** Runs a check of the command line on a cell; the message is the check's own without another one. */
function asProblem<Result>(reason: RowReason, message: string | null, run: () => Result): Result {
  try {
    return run();
  } catch (cause) {
    if (!(cause instanceof CommandError)) throw cause;
    throw new RowProblem(reason, message ?? cause.message);
  }
}

/** null where the row does not say. */
function readEnabled(cells: HashCells, nowMs: number): boolean | null {
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
 * ASP.NET Identity locks for minutes after failures, which expires, and operators lock until a far year: only that is
 * taken over. `LockoutEnabled` by itself only allows it.
 */
function isLockedForGood({ lockoutEnabled, lockoutEnd }: HashCells, nowMs: number): boolean | null {
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
  throw new RowProblem("bad-flag", `${name} is neither true nor false`);
}
