import { CachedRead } from "../../lib/cached-read.ts";
import {
  type Account,
  foldUserName,
  isUsableText,
  type PasswordHashing,
} from "./accounts/account.ts";
import type { Audit, EventFacts, EventSender, LogInEventName } from "./audit.ts";
import { type ConcurrencyLimiter, TooManyLogInsError } from "./limits/concurrency-limiter.ts";
import { BlockedNetworks, CircuitBreaker } from "./limits/database-guards.ts";
import {
  accountRateLimit,
  networkRateLimit,
  type RateLimitKeys,
  secondsUntil,
} from "./limits/rate-limits.ts";
import {
  type AccountAttempt,
  type CountedAttempt,
  LogInUnavailableError,
  type NewAttempt,
  type SuccessfulLogIn,
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
  readonly audit: Audit;
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

/** Reads a name and a password as they are given. */
export function readCredentials(
  name: string,
  password: string,
): Pick<PasswordAttempt, "name" | "password"> {
  const isName = isUsableText(name);
  return {
    name: isName ? foldUserName(name) : "",
    password: isName && isUsableText(password) ? password : null,
  };
}

/** An account whose password is right, and the record that is to replace its own. */
export type RightPassword<Found> = Pick<SuccessfulLogIn, "newHash"> & { readonly account: Found };

/** The result of a log-in by a name and a password that are not right. */
export type PasswordRefusal =
  /** The same for every reason that concerns the account. */
  | { readonly kind: "refused" }
  /** Too many log-ins of the network have failed. The name is a documented label of a metric. */
  | { readonly kind: "network-blocked"; readonly retryAfterS: number };

/** Events of refused log-ins. */
export interface RefusalEvents<Found> {
  /** Name of the event of each, with the reason in one word. */
  readonly refused: LogInEventName;
  /** Name of the one that follows the last attempt that an account has. */
  readonly blocked: LogInEventName;
  /** Facts of blocks of networks, which tell visitors from operators. */
  readonly networkFacts: EventFacts;
  /** Facts that name an account; null where none has the name. */
  readonly factsOf: (account: Found | null) => EventFacts;
}

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
  readonly #events: RefusalEvents<Found>;
  /** Forms of all hash records in the database. */
  readonly #hashForms: CachedRead<Set<string>>;
  readonly #blockedNetworks = new BlockedNetworks();
  readonly #circuitBreaker: CircuitBreaker;

  constructor(deps: PasswordCheckDeps<Found>, events: RefusalEvents<Found>) {
    this.#deps = deps;
    this.#events = events;
    this.#circuitBreaker = new CircuitBreaker(deps.elapsed);
    const read = async () => new Set(await deps.store.listHashForms());
    this.#hashForms = new CachedRead(read, deps.now, hashFormsMs);
  }

  /**
   * Checks an attempt when its turn comes, and resolves to what `complete` makes of a right
   * password; that resolves to false where the account was changed meanwhile. The next attempt on
   * the account waits for it. Refusals are recorded.
   *
   * @throws {LogInUnavailableError} when the database does not respond, {TooManyLogInsError} when
   * too many wait.
   */
  async run<Result>(
    attempt: PasswordAttempt,
    sender: EventSender,
    complete: (right: RightPassword<Found>) => Promise<Result | false>,
  ): Promise<Result | PasswordRefusal> {
    const { limiter, now, pause } = this.#deps;
    const { name, isOwner, keys, password } = attempt;
    const { network } = keys;
    const untilMs = this.#blockedNetworks.find(network, now());
    if (untilMs !== undefined) return this.#blockNetwork(sender, untilMs, false);
    try {
      return await limiter.run({ account: name, network, isOwner }, async (verified) => {
        const counted = await this.#count(attempt);
        if (counted.blocked === "network") {
          verified();
          const { nextAtMs } = counted.decision;
          const isNew = this.#blockedNetworks.add(network, nextAtMs, now());
          return this.#blockNetwork(sender, nextAtMs, isNew);
        }
        const isRight = await this.#verify(counted, password);
        verified();
        const { account } = counted;
        if (account === null || !isRight) {
          return this.#refuse(attempt, sender, account, toRefusal(counted, password !== null));
        }
        const newHash = await this.#renewHash(account, password ?? "");
        const changed = { reason: "account-changed", isBlocking: false };
        const result = await complete({ account, newHash });
        return result === false ? this.#refuse(attempt, sender, account, changed) : result;
      });
    } catch (cause) {
      // A caller that is refused at once tries again at once; a crowd leaves no time for others.
      if (cause instanceof TooManyLogInsError) await pause(refusalDelayMs);
      throw cause;
    }
  }

  async #renewHash({ hash }: Found, password: string): Promise<RightPassword<Found>["newHash"]> {
    const { hashing } = this.#deps;
    if (hashing.isCurrent(hash)) return null;
    const record = await hashing.hash(password);
    return { record, form: hashing.formOf(record) };
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

  async #refuse(
    { isOwner }: PasswordAttempt,
    sender: EventSender,
    account: Found | null,
    { reason, isBlocking }: Refusal,
  ): Promise<PasswordRefusal> {
    const { audit } = this.#deps;
    const { refused, blocked, factsOf } = this.#events;
    const facts = factsOf(account);
    const events = [audit.draft(refused, sender, { ...facts, reason })];
    if (isBlocking) {
      const where = isOwner ? "on-own-device" : null;
      events.push(audit.draft(blocked, sender, { ...facts, reason: where }));
    }
    // In one transaction, so that the attempt that blocks an account takes no longer than others.
    await audit.recordAll(events);
    return { kind: "refused" };
  }

  /** @param isNew true for the first caller who finds this block. */
  async #blockNetwork(
    sender: EventSender,
    untilMs: number,
    isNew: boolean,
  ): Promise<PasswordRefusal> {
    const { audit, now } = this.#deps;
    // Once for each block: a flood of attempts would otherwise be a flood of rows.
    if (isNew) await audit.record("network-blocked", sender, this.#events.networkFacts);
    return { kind: "network-blocked", retryAfterS: secondsUntil(untilMs, now()) };
  }
}

/** Why a password was refused, in one word; `isBlocking` for the last attempt of an account. */
interface Refusal {
  readonly reason: string;
  readonly isBlocking: boolean;
}

function toRefusal(
  { blocked, decision: { attempts }, account }: AccountAttempt<CheckedAccount>,
  isUsable: boolean,
): Refusal {
  const isLast = attempts >= accountRateLimit.blockAt;
  let reason = account?.isEnabled === false ? "disabled" : "wrong-password";
  if (account === null) reason = "unknown-name";
  if (!isUsable) reason = "unusable";
  if (blocked !== null) reason = isLast ? "blocked" : "delayed";
  // Unusable names share a counter, which says nothing of an account.
  return { reason, isBlocking: blocked === null && isLast && isUsable };
}

/** The error of a log-in that took too long. */
export function lateError(): LogInUnavailableError {
  const seconds = deadlineMs / 1_000;
  return new LogInUnavailableError(`The log-in has taken longer than ${seconds} seconds`);
}
