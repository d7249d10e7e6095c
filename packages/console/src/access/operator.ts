import type { FormChoice } from "../reports/report-types.ts";

/** Rights of operators: a viewer reads, an operator also changes accounts. */
export const operatorRoles = ["viewer", "operator"] as const;

/** Rights of one operator. */
export type OperatorRole = (typeof operatorRoles)[number];

/** A person who may read reports and the operator's page. */
export interface Operator {
  readonly id: bigint;
  readonly name: string;
  readonly role: OperatorRole;
  /** Forms that the operator may see. */
  readonly forms: FormChoice;
}

/** An operator as it is listed. */
export interface ListedOperator extends Operator {
  /** False where only an authenticating proxy logs the operator in. */
  readonly isPasswordSet: boolean;
  readonly createdAtMs: number;
  /** null before the first log-in. */
  readonly lastLogInAtMs: number | null;
  /** Sessions that have neither ended nor run out. */
  readonly sessions: number;
}

/** An operator with what a password is checked against. */
export interface OperatorAccount extends Operator {
  /** Hash record; `""` where only a proxy logs in. */
  readonly hash: string;
  /** False where there is no password. */
  readonly isEnabled: boolean;
  /** Counted up by a new password: a log-in that began before is good no longer. */
  readonly epoch: number;
  /** null before the first log-in. */
  readonly lastLogInAtMs: number | null;
}

const minute = 60_000;

/** Times of a session, in milliseconds. */
export const sessionTimes = {
  /** From the log-in to its end. */
  lifetimeMs: 12 * 60 * minute,
  /** From its latest request to its end. */
  idleMs: 30 * minute,
  /** Least time between two notes of its use. */
  noteMs: minute,
} as const;

/** Most sessions of an operator at the same time; the oldest ends when there would be more. */
export const operatorSessionsMax = 20;

/** Forms as they are stored: IDs joined by commas, null for all. */
export function formatForms(forms: FormChoice): string | null {
  return forms === null ? null : forms.join();
}

/** Reads forms as they are stored. */
export function parseForms(text: string | null): FormChoice {
  return text === null ? null : text.split(",");
}
