import type { Remembering } from "../form.ts";

/** Why a session ended. */
export type SessionEnd =
  | "logged-out"
  | "replaced"
  | "reused"
  | "revoked"
  | "password-changed"
  | "disabled"
  | "too-many";

/** A session as it begins. Times are UTC in milliseconds. */
export interface NewSession {
  readonly selector: string;
  /** Digest of the validator. */
  readonly current: string;
  /** null until the first automatic log-in names it, where several instances share the origin. */
  readonly instanceId: bigint | null;
  /** Origin of the page that logged in; null for a caller that is no browser. */
  readonly origin: string | null;
  readonly remembering: Remembering;
  readonly createdAtMs: number;
  readonly idleUntilMs: number;
  readonly absoluteUntilMs: number;
  /** Kind of browser, for example `"Firefox"`; null where it is not known. */
  readonly browser: string | null;
}

/** One log-in on one device, remembered by a cookie. */
export interface Session extends NewSession {
  readonly id: bigint;
  readonly recordId: bigint;
  readonly contactId: bigint;
  /** Counted up whenever the successor of a validator takes its place. */
  readonly generation: number;
  /** Digest of the validator before the current one, and until when it is still good. */
  readonly previous: string | null;
  readonly previousUntilMs: number | null;
  /** Digest of the next validator, and the validator itself as `Tokens` sealed it; null where none is offered. */
  readonly pending: string | null;
  readonly pendingBox: string | null;
  /** Digests of older validators, the latest first. */
  readonly retired: readonly string[];
  /** When the current validator took its place. */
  readonly rotatedAtMs: number;
  readonly usedAtMs: number;
  /** null while it has not been ended. */
  readonly endedAtMs: number | null;
  /** True while the account is enabled and has not ended all its sessions since. */
  readonly isAccountGood: boolean;
  /** Name of the account, folded. */
  readonly foldedUserName: string;
}
