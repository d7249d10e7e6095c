import type { Audit } from "./audit.ts";
import type { FormCache } from "./form-cache.ts";
import type { LogInLimiters } from "./limits/log-in-limiters.ts";
import type { LogInStore } from "./log-in-store.ts";
import type { PasswordHashing } from "./passwords/password-hashing.ts";
import type { Tokens } from "./sessions/tokens.ts";
import type { VisitorSessions } from "./sessions/visitor-sessions.ts";

/** What log-ins are made with. */
export interface LogInDeps {
  readonly store: LogInStore;
  readonly forms: FormCache;
  readonly sessions: Pick<VisitorSessions, "findOwn">;
  readonly hashing: PasswordHashing;
  readonly tokens: Tokens;
  readonly audit: Audit;
  /** How many log-ins are verified or wait for it at the same time. */
  readonly limiters: Omit<LogInLimiters, "hashes">;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Milliseconds of a clock that never jumps, with fractions. */
  readonly elapsed: () => number;
  /** Resolves after so many milliseconds, a whole number. */
  readonly pause: (ms: number) => Promise<void>;
}
