import type { ApplicationInstance, Remembering, SameSite } from "../form.ts";
import type { NewCookie, SessionToken, Visitor } from "../visitor.ts";
import type { NewSession, Session } from "./session.ts";
import type { Tokens } from "./tokens.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** How long a session lives unused, and at most (decision 0024). */
const lifetimes = {
  session: { idleMs: 8 * hour, absoluteMs: day },
  persistent: { idleMs: 14 * day, absoluteMs: 30 * day },
} as const;

/** Age at which a validator gets a successor. */
const rotationMs = 10 * minute;
/** Time for which a validator is good after its successor was seen: requests that were on their way. */
const graceMs = minute;
/** What the clocks of two nodes may differ by. */
const skewMs = minute;
/** Validators that are remembered after they retired, so that a copy is known for one. */
const retiredMax = 5;

/** Most sessions of one contact at the same time. */
export const sessionsMax = 20;

/** How the cookie of a session is kept: what the instances that it may be for agree on. */
export interface CookiePolicy {
  readonly remembering: Exclude<Remembering, "off">;
  readonly sameSite: SameSite;
}

const strictness: readonly SameSite[] = ["none", "lax", "strict"];

/** The strictest of some instances' policies; undefined where none of them remembers anything. */
export function policyOf(instances: readonly ApplicationInstance[]): CookiePolicy | undefined {
  let policy: CookiePolicy | undefined;
  for (const { remembering, sameSite } of instances) {
    if (remembering === "off") continue;
    const isStricter =
      strictness.indexOf(sameSite) > strictness.indexOf(policy?.sameSite ?? "none");
    policy = {
      remembering: policy?.remembering === "session" ? "session" : remembering,
      sameSite: policy === undefined || isStricter ? sameSite : policy.sameSite,
    };
  }
  return policy;
}

/** What a new session is made of. */
export interface SessionStart {
  readonly policy: CookiePolicy;
  /** The instance, where there is only one that it may be for. */
  readonly instanceId: bigint | null;
  readonly visitor: Visitor;
  readonly token: SessionToken;
  readonly nowMs: number;
}

/** A session as it begins. */
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

/** The cookie that carries a token of a session. */
export function cookieFor(token: SessionToken, policy: CookiePolicy): NewCookie {
  const isPersistent = policy.remembering === "persistent";
  return {
    token,
    maxAgeS: isPersistent ? lifetimes.persistent.idleMs / second : null,
    sameSite: policy.sameSite,
  };
}

/** What a validator is to a session. */
export type TokenStatus = "current" | "pending" | "previous" | "retired" | "unknown";

/** Finds what a validator is to a session; every digest is compared, whatever the first ones say. */
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

/** Whether the current validator is old enough to get a successor. */
export function isDue(session: Session, nowMs: number): boolean {
  return nowMs - session.rotatedAtMs >= rotationMs;
}

/** Until when a session lives that is used now. */
export function idleUntil(session: NewSession, nowMs: number): number {
  const { idleMs } = lifetimes[session.remembering === "persistent" ? "persistent" : "session"];
  return Math.min(nowMs + idleMs, session.absoluteUntilMs);
}

/** What a session becomes when the successor of its validator has been seen. */
export function afterPromotion(session: Session, pending: string, nowMs: number) {
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

/** The kind of browser, for people who look at their sessions; null where it names none that is known. */
export function browserOf(userAgent: string | null): string | null {
  return browsers.find(([word]) => userAgent?.includes(word))?.[1] ?? null;
}
