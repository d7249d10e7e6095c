import type { ApplicationInstance, Remembering, SameSite } from "../form.ts";
import type { NewCookie, SessionToken } from "../visitor.ts";

const second = 1_000;
const hour = 3_600 * second;
const day = 24 * hour;

/** Lives of a session and its cookie, unused and at most, in milliseconds (decision 0024). */
export const lifetimes = {
  /** The cookie itself goes when the browser is closed. */
  session: { idleMs: 8 * hour, absoluteMs: day },
  persistent: { idleMs: 14 * day, absoluteMs: 30 * day },
} as const;

/** Rules for the cookie of a session, on which its possible instances agree. */
export interface CookiePolicy {
  readonly remembering: Exclude<Remembering, "off">;
  readonly sameSite: SameSite;
}

const strictness: readonly SameSite[] = ["none", "lax", "strict"];

/** The strictest of some instances' policies; undefined where all of them remember nothing. */
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

/** The cookie that carries a token of a session. */
export function cookieFor(token: SessionToken, policy: CookiePolicy): NewCookie {
  const isPersistent = policy.remembering === "persistent";
  return {
    token,
    maxAgeS: isPersistent ? lifetimes.persistent.idleMs / second : null,
    sameSite: policy.sameSite,
  };
}
