import { CachedRead } from "../../lib/cached-read.ts";
import type { Account, PasswordHashing } from "./accounts/account.ts";
import { type ConcurrencyLimiter, TooManyLogInsError } from "./limits/concurrency-limiter.ts";
import { BlockedNetworks, CircuitBreaker } from "./limits/database-guards.ts";
import { accountRateLimit, networkRateLimit, type RateLimitKeys } from "./limits/rate-limits.ts";
import {
  type AccountAttempt,
  type CountedAttempt,
  LogInUnavailableError,
  type NewAttempt,
} from "./log-in-store.ts";

/** The part of an account that a password is checked against. */
export type CheckedAccount = Pick<Account, "hash" | "isEnabled">;

/** Collaborators of `PasswordCheck`. */
export interface PasswordCheckDeps<Found extends CheckedAccount> {
  readonly store: {
    /** Distinct forms of the hash records of all accounts. */
    listHashForms(): Promise<readonly string[]>;
    /** Counts an attempt before it is made, for network and account, and finds the account. */
    begin(attempt: NewAttempt): Promise<CountedAttempt<Found>>;
  };
  readonly hashing: PasswordHashing;
  readonly limiter: Pick<ConcurrencyLimiter, "run">;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Milliseconds of a monotonic clock, with fractions. */
  readonly elapsed: () => number;
  /** Resolves after an integer number of milliseconds. */
  readonly pause: (ms: number) => Promise<void>;
}

/** An attempt to log in by name and password. */
export interface PasswordAttempt {
  /** When the call arrived, by the monotonic clock. */
  readonly arrivedMs: number;
  /** Folded; `""` when the text cannot be a name. */
  readonly name: string;
  /** null when no account can have this name or password. */
  readonly password: string | null;
  /** True where the caller is logged in to the account on this device. */
  readonly isOwner: boolean;
  readonly keys: RateLimitKeys;
}

/** Why a password was refused, in one word that is stored with the event. */
export type PasswordRefusal =
  | "disabled"
  | "wrong-password"
  | "unknown-name"
  | "unusable"
  | "blocked"
  | "delayed";

/** The result of a check. */
export type CheckedPassword<Found> =
  | { readonly kind: "right"; readonly account: Found }
  | {
      readonly kind: "wrong";
      readonly reason: PasswordRefusal;
      /** null where no account has the name. */
      readonly account: Found | null;
      /** True where this attempt was the last that the account has. */
      readonly isBlocking: boolean;
    }
  | {
      readonly kind: "network-blocked";
      /** UTC, milliseconds. */
      readonly untilMs: number;
      /** True for the first caller who finds this block. */
      readonly isNew: boolean;
    };

/** Longest time for a log-in, in milliseconds: twice that of a call to the database. */
export const deadlineMs = 10_000;

/** Time before a caller is refused because too many wait, in milliseconds (decision 0022). */
const refusalDelayMs = 1_000;

/** Age in milliseconds at which the forms of hash records are read again; they seldom change. */
const hashFormsMs = 60_000;

/**
 * Checks names and passwords: counts each attempt before it is verified, and lets every refusal
 * take the same work (decisions 0023 and 0054).
 */
export class PasswordCheck<Found extends CheckedAccount> {
  readonly #deps: PasswordCheckDeps<Found>;
  /** Forms of all hash records in the database. */
  readonly #hashForms: CachedRead<Set<string>>;
  readonly #blockedNetworks = new BlockedNetworks();
  readonly #circuitBreaker: CircuitBreaker;

  constructor(deps: PasswordCheckDeps<Found>) {
    this.#deps = deps;
    this.#circuitBreaker = new CircuitBreaker(deps.elapsed);
    const read = async () => new Set(await deps.store.listHashForms());
    this.#hashForms = new CachedRead(read, deps.now, hashFormsMs);
  }

  /**
   * Checks an attempt when its turn comes, and resolves to what `finish` makes of the result; the
   * next attempt on the account waits for that.
   *
   * @throws {LogInUnavailableError} when the database does not respond, {TooManyLogInsError} when
   * too many wait.
   */
  async run<Result>(
    attempt: PasswordAttempt,
    finish: (checked: CheckedPassword<Found>) => Promise<Result>,
  ): Promise<Result> {
    const { limiter, now, pause } = this.#deps;
    const { name: account, isOwner, keys } = attempt;
    const untilMs = this.#blockedNetworks.find(keys.network, now());
    if (untilMs !== undefined) return finish({ kind: "network-blocked", untilMs, isNew: false });
    try {
      return await limiter.run({ account, network: keys.network, isOwner }, async (verified) => {
        const checked = await this.#check(attempt);
        verified();
        return finish(checked);
      });
    } catch (cause) {
      // A caller that is refused at once tries again at once; a crowd leaves no time for others.
      if (cause instanceof TooManyLogInsError) await pause(refusalDelayMs);
      throw cause;
    }
  }

  async #check(attempt: PasswordAttempt): Promise<CheckedPassword<Found>> {
    const { keys, password } = attempt;
    const counted = await this.#count(attempt);
    if (counted.blocked === "network") {
      const { nextAtMs: untilMs } = counted.decision;
      const isNew = this.#blockedNetworks.add(keys.network, untilMs, this.#deps.now());
      return { kind: "network-blocked", untilMs, isNew };
    }
    const isRight = await this.#verify(counted, password);
    const { account } = counted;
    return account !== null && isRight
      ? { kind: "right", account }
      : toRefusal(counted, password !== null);
  }

  async #count({ keys, name, arrivedMs }: PasswordAttempt): Promise<CountedAttempt<Found>> {
    const { store, now, elapsed } = this.#deps;
    // Its caller has been refused while it waited for its turn.
    if (elapsed() - arrivedMs >= deadlineMs) throw lateError();
    return this.#circuitBreaker.call(arrivedMs, () =>
      store.begin({
        network: { key: keys.network, limit: networkRateLimit },
        account: { key: keys.account, limit: accountRateLimit },
        foldedUserName: name,
        nowMs: now(),
      }),
    );
  }

  /**
   * A blocked attempt, and one on a disabled account, costs the same hash as another, in the same
   * queue, and is compared with no record (decision 0054).
   */
  async #verify(
    { blocked, account }: AccountAttempt<Found>,
    password: string | null,
  ): Promise<boolean> {
    const { hashing } = this.#deps;
    const isVerified = blocked === null && password !== null && account?.isEnabled === true;
    const record = isVerified ? account.hash : null;
    const forms = await this.#hashForms.current();
    // It may be newer than the list, and must not stand out.
    if (account !== null) forms.add(hashing.formOf(account.hash));
    return hashing.verify(record, password ?? "", [...forms]);
  }
}

function toRefusal<Found extends CheckedAccount>(
  { blocked, decision: { attempts }, account }: AccountAttempt<Found>,
  isUsable: boolean,
): CheckedPassword<Found> {
  const isLast = attempts >= accountRateLimit.blockAt;
  let reason: PasswordRefusal = account?.isEnabled === false ? "disabled" : "wrong-password";
  if (account === null) reason = "unknown-name";
  if (!isUsable) reason = "unusable";
  if (blocked !== null) reason = isLast ? "blocked" : "delayed";
  // Unusable names share a counter, which says nothing of an account.
  const isBlocking = blocked === null && isLast && isUsable;
  return { kind: "wrong", reason, account, isBlocking };
}

/** The error of a log-in that took too long. */
export function lateError(): LogInUnavailableError {
  const seconds = deadlineMs / 1_000;
  return new LogInUnavailableError(`The log-in has taken longer than ${seconds} seconds`);
}
