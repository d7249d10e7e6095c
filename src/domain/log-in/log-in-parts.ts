import type { Audit } from "./audit.ts";
import type { FormBook } from "./form-book.ts";
import type { LogInStore } from "./log-in-store.ts";
import type { LogInTurns } from "./log-in-turns.ts";
import type { PasswordHashing } from "./password-hashing.ts";
import type { Tokens } from "./tokens.ts";
import type { VisitorSessions } from "./visitor-sessions.ts";

/** What log-ins are made with. */
export interface LogInParts {
  readonly store: LogInStore;
  readonly forms: FormBook;
  readonly sessions: Pick<VisitorSessions, "findOwn">;
  readonly hashing: PasswordHashing;
  readonly tokens: Tokens;
  readonly audit: Audit;
  /** How many log-ins are verified or wait for it at the same time. */
  readonly turns: Omit<LogInTurns, "hashes">;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Milliseconds of a clock that never jumps, with fractions. */
  readonly elapsed: () => number;
  /** Resolves after so many milliseconds, a whole number. */
  readonly pause: (ms: number) => Promise<void>;
}
