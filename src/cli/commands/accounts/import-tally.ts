import type {
  ImportConflict,
  ImportOutcome,
} from "../../../domain/log-in/accounts/account-import.ts";
import type { RowProblem, RowReason } from "./row-problem.ts";

/** Rejected rows that are shown; all are counted, and written to the file of `--rejects`. */
const shownMax = 20;

/** A row that was not brought in. */
export interface Reject {
  readonly line: number;
  /** null where the row does not get that far. */
  readonly recordId: bigint | null;
  readonly userName: string | null;
  readonly reason: RowReason;
  /** For people; holds nothing of a hash or a password. */
  readonly message: string;
}

/** What an import did, or would do. */
export interface Tally {
  rows: number;
  added: number;
  changed: number;
  unchanged: number;
  rejected: number;
  /** Rows that could be read, by the kind of their hash. */
  readonly kinds: Map<string, number>;
  readonly reasons: Map<RowReason, number>;
  /** The first of the rejected rows. */
  readonly shown: Reject[];
}

/** A tally of nothing. */
export function newTally(): Tally {
  const counts = { rows: 0, added: 0, changed: 0, unchanged: 0, rejected: 0 };
  return { ...counts, kinds: new Map(), reasons: new Map(), shown: [] };
}

/** Counts a row that was not brought in. */
export function countReject(tally: Tally, reject: Reject): void {
  tally.rejected += 1;
  count(tally.reasons, reject.reason);
  if (tally.shown.length < shownMax) tally.shown.push(reject);
}

/** Counts one more of something. */
export function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Counts what became of an account; what was refused is for `countReject`. */
export function countOutcome(tally: Tally, { kind }: ImportOutcome): void {
  if (kind !== "refused") tally[kind] += 1;
}

/** Why an account of a file was left alone, for scripts and people. */
export function explainConflict(conflict: ImportConflict): Pick<RowProblem, "reason" | "message"> {
  switch (conflict.kind) {
    case "name-taken":
      return {
        reason: "name-taken",
        message: `The account ${conflict.recordId} has this name`,
      };
    case "not-imported":
      return {
        reason: "not-imported",
        message:
          "There is an account with this record id that no import brought; --overwrite replaces it",
      };
    case "password-set-here":
      return {
        reason: "password-set-here",
        message:
          "Its password was set here, and the file has a new hash; --overwrite takes that of the file",
      };
  }
}
