import type { Remembering } from "../form.ts";
import type { SessionToken, Visitor } from "../visitor.ts";
import { type CookiePolicy, lifetimes } from "./cookie-policy.ts";

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
  /** Number of times that the successor of a validator has taken its place. */
  readonly rotations: number;
  /** Digest of the validator before the current one, and until when it is still good. */
  readonly previous: string | null;
  readonly previousUntilMs: number | null;
  /** Digest of the next validator, and that as `Tokens` sealed it; null where none is offered. */
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
  readonly foldedUserName: string;
}

const minute = 60_000;
/** Age at which a validator gets a successor. */
const rotationMs = 10 * minute;
/** Time for which a validator is good after its successor was seen, for requests on their way. */
const graceMs = minute;
/** Most that the clocks of two nodes differ by. */
const skewMs = minute;
/** Validators that are remembered after they retired, so that a copy is recognised. */
const retiredMax = 5;

/** Most sessions of one contact at the same time. */
export const sessionsMax = 20;

/** Parts of a new session. */
export interface SessionStart {
  readonly policy: CookiePolicy;
  /** The instance, where there is only one that it may be for. */
  readonly instanceId: bigint | null;
  readonly visitor: Visitor;
  readonly token: SessionToken;
  readonly nowMs: number;
}

/** Begins a session. */
export function beginSession(start: SessionStart, tokens: Tokens): NewSession {
  const { policy, instanceId, visitor, token, nowMs } = start;
  const { idleMs, absoluteMs } = lifetimes[policy.remembering];
  return {
    selector: token.selector,
    current: tokens.digest(token.validator),
    instanceId,
    origin: visitor.origin,
    remembering: policy.remembering,
    createdAtMs: nowMs,
    idleUntilMs: nowMs + idleMs,
    absoluteUntilMs: nowMs + absoluteMs,
    browser: browserOf(visitor.userAgent),
  };
}

/** Makes and checks the random texts of sessions. All texts are base64url without padding. */
export interface Tokens {
  /** Names a session: 16 random bytes, 22 characters. */
  newSelector(): string;
  /** Proves the session of a selector: 26 random bytes and 6 for `isOurs`, 43 characters. */
  newValidator(selector: string): string;
  /** True when one of our keys made a token. False for others, and those of a lost key. */
  isOurs(token: SessionToken): boolean;
  /** The stored form of a validator, its SHA-256. */
  digest(validator: string): string;
  /** Compares digests in a time that does not depend on where they differ. */
  isSame(one: string, other: string): boolean;
  /** Encrypts a validator so that only this server, for this selector, can read it. */
  seal(validator: string, selector: string): string;
  /** The sealed validator; null when it was for another selector, or its key is not ours. */
  open(box: string, selector: string): string | null;
  /** Name for counting attempts on a user name; without our key it tells nothing of that. */
  nameKey(foldedUserName: string): string;
}

/** Role of a validator in a session. */
export type TokenStatus = "current" | "pending" | "previous" | "retired" | "unknown";

/** Finds the role of a validator; every digest is compared, whatever the first ones say. */
export function tokenStatus(
  session: Session,
  validator: string,
  nowMs: number,
  tokens: Pick<Tokens, "digest" | "isSame">,
): TokenStatus {
  const digest = tokens.digest(validator);
  const is = (other: string | null) => other !== null && tokens.isSame(digest, other);
  const found = {
    current: is(session.current),
    pending: is(session.pending),
    previous: is(session.previous),
    retired: session.retired.filter(is).length > 0,
  };
  if (found.current) return "current";
  if (found.pending) return "pending";
  if (found.previous) return nowMs <= (session.previousUntilMs ?? 0) ? "previous" : "retired";
  return found.retired ? "retired" : "unknown";
}

/** Why a session is no longer good; undefined while it is. */
export function findEnd(session: Session, nowMs: number): string | undefined {
  if (session.endedAtMs !== null) return "ended";
  if (!session.isAccountGood) return "account-changed";
  return nowMs > Math.min(session.idleUntilMs, session.absoluteUntilMs) + skewMs
    ? "expired"
    : undefined;
}

/** True when the current validator is old enough to get a successor. */
export function isDue(session: Session, nowMs: number): boolean {
  return nowMs - session.rotatedAtMs >= rotationMs;
}

/** Until when a session lives that is used now. */
export function idleUntil(session: NewSession, nowMs: number): number {
  const { idleMs } = lifetimes[session.remembering === "persistent" ? "persistent" : "session"];
  return Math.min(nowMs + idleMs, session.absoluteUntilMs);
}

/** Changes of a session when the successor of its validator takes its place. */
export type Promotion = Pick<
  Session,
  | "current"
  | "previous"
  | "previousUntilMs"
  | "retired"
  | "rotatedAtMs"
  | "usedAtMs"
  | "idleUntilMs"
>;

/** Puts the successor of a validator that has been seen in its place. */
export function afterPromotion(session: Session, pending: string, nowMs: number): Promotion {
  const { current, previous, retired } = session;
  return {
    current: pending,
    previous: current,
    previousUntilMs: nowMs + graceMs,
    retired: (previous === null ? retired : [previous, ...retired]).slice(0, retiredMax),
    rotatedAtMs: nowMs,
    usedAtMs: nowMs,
    idleUntilMs: idleUntil(session, nowMs),
  };
}

const browsers: readonly (readonly [word: string, browser: string])[] = [
  ["Edg", "Edge"],
  ["OPR/", "Opera"],
  ["Firefox/", "Firefox"],
  ["Chrome/", "Chrome"],
  ["Safari/", "Safari"],
];

/** The kind of browser, shown in lists of sessions; null for an unknown one. */
export function browserOf(userAgent: string | null): string | null {
  return browsers.find(([word]) => userAgent?.includes(word))?.[1] ?? null;
}
