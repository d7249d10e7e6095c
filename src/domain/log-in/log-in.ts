import { foldUserName } from "./accounts/user-name.ts";
import type { ApplicationInstance } from "./form.ts";
import { prepareCompletion, type RightPassword } from "./good-log-in.ts";
import { createBlockedNetworks } from "./limits/blocked-networks.ts";
import { type CircuitBreaker, createCircuitBreaker } from "./limits/circuit-breaker.ts";
import { TooManyLogInsError } from "./limits/concurrency-limiter.ts";
import { type AttemptKeys, keysOfOwner, keysOfStranger } from "./limits/rate-limit-keys.ts";
import {
  accountRateLimit,
  networkRateLimit,
  type RateLimitDecision,
  secondsUntil,
} from "./limits/rate-limits.ts";
import type { LogInDeps } from "./log-in-deps.ts";
import type { AccountAttempt, CountedAttempt } from "./log-in-store.ts";
import { createHashFormCache, type HashFormCache } from "./passwords/hash-form-cache.ts";
import { isUsableText } from "./passwords/usable-text.ts";
import type { Session } from "./sessions/session.ts";
import type { CookieChange, Visitor } from "./visitor.ts";

/** What came of a log-in. */
export type LogInOutcome =
  | {
      readonly kind: "in";
      readonly recordId: bigint;
      readonly contactId: bigint;
      readonly cookie: CookieChange | null;
    }
  /** One and the same for every reason that has to do with the account. */
  | { readonly kind: "refused" }
  /** Nothing was looked at: too many log-ins from the same network have failed. */
  | { readonly kind: "network-held"; readonly retryAfterS: number }
  /** The page that calls is of an origin that is listed for no form. */
  | { readonly kind: "forbidden" };

/** What somebody gives to log in; null where nothing was given. */
export interface GivenCredentials {
  readonly userName: string | null;
  readonly password: string | null;
}

/** One attempt on its way. */
interface Attempt {
  /** When its caller came, by the clock that never jumps. */
  readonly cameMs: number;
  /** Folded; `""` for a name that nobody can have. */
  readonly name: string;
  /** null where name or password are such that nobody can have them. */
  readonly password: string | null;
  readonly visitor: Visitor;
  readonly instances: readonly ApplicationInstance[];
  /** The session that the caller comes with. */
  readonly session: Session | undefined;
  /** Whether that is one of the account, on this page. */
  readonly isOwner: boolean;
  readonly keys: AttemptKeys;
}

/** An attempt that was counted and, unless its network is held, cost a hash. */
interface HashedAttempt {
  readonly counted: CountedAttempt;
  /** Never for one that is held. */
  readonly isRight: boolean;
}

/** How long somebody waits for the word that there are too many, in milliseconds (decision 0022). */
const crowdedMs = 1_000;

/** Logs people in by name and password, in the order of steps of decision 0023. */
export class LogIn {
  readonly #parts: LogInDeps;
  readonly #hashForms: HashFormCache;
  readonly #heldNetworks = createBlockedNetworks();
  readonly #lateFailures: CircuitBreaker;

  constructor(parts: LogInDeps) {
    this.#parts = parts;
    this.#lateFailures = createCircuitBreaker(parts.elapsed);
    this.#hashForms = createHashFormCache(() => parts.store.listHashForms(), parts.now);
  }

  /**
   * Whatever the reason of a refusal, the response is the same, and so is the work that it takes (decision 0054).
   *
   * @throws {LogInUnavailableError} when the database does not answer, {TooManyLogInsError} when too many wait.
   */
  async withPassword(given: GivenCredentials, visitor: Visitor): Promise<LogInOutcome> {
    const cameMs = this.#parts.elapsed();
    const forms = await this.#parts.forms.current();
    if (!forms.mayLogIn(visitor)) return { kind: "forbidden" };
    const session = await this.#parts.sessions.findOwn(visitor);
    const attempt = this.#read(given, {
      cameMs,
      visitor,
      session,
      instances: forms.rememberingFor(visitor),
    });
    const { keys, name: account } = attempt;
    const heldUntilMs = this.#heldNetworks.find(keys.network, this.#parts.now());
    if (heldUntilMs !== undefined) return this.#toHeld(heldUntilMs);
    const { owners, strangers } = this.#parts.limiters;
    const admission = attempt.isOwner ? owners : strangers;
    return admission
      .run({ account, network: keys.network }, () => this.#attempt(attempt))
      .catch((cause) => this.#refuseLate(cause));
  }

  /** Who is refused at once tries again at once, and a crowd of those leaves no time for anybody else. */
  async #refuseLate(cause: unknown): Promise<never> {
    if (cause instanceof TooManyLogInsError) await this.#parts.pause(crowdedMs);
    throw cause;
  }

  async #attempt(attempt: Attempt): Promise<LogInOutcome> {
    const { visitor, session, keys, password, instances } = attempt;
    const { counted, isRight } = await this.#parts.limiters.counted.run(() =>
      this.#countAndHash(attempt),
    );
    if (counted.held === "network") {
      return this.#refuseNetwork(keys, visitor, counted.reservation);
    }
    const { account } = counted;
    if (account !== null && isRight && account.isEnabled) {
      const right = { account, password: password ?? "", visitor, instances, session, keys };
      return this.#complete(right);
    }
    await this.#noteRefusal(attempt, counted, isRight);
    return { kind: "refused" };
  }

  async #countAndHash(attempt: Attempt): Promise<HashedAttempt> {
    const { keys, name, password, cameMs } = attempt;
    const { store, now } = this.#parts;
    const counted = await this.#lateFailures.call(cameMs, () =>
      store.begin({
        network: { key: keys.network, rule: networkRateLimit },
        account: { key: keys.account, rule: accountRateLimit },
        foldedUserName: name,
        nowMs: now(),
      }),
    );
    const isRight = counted.held !== "network" && (await this.#verify(counted, password));
    return { counted, isRight };
  }

  /** One that is held costs the same hash as another, in the same turn, and has no record that it could be right about. */
  async #verify({ held, account }: AccountAttempt, password: string | null): Promise<boolean> {
    const { hashing } = this.#parts;
    const isVerified = held === null && password !== null;
    const record = isVerified ? (account?.hash ?? null) : null;
    const form = account === null ? null : hashing.formOf(account.hash);
    return hashing.verify(record, password ?? "", await this.#hashForms.listWith(form));
  }

  async #complete(right: RightPassword): Promise<LogInOutcome> {
    const { store, audit } = this.#parts;
    const { recordId, contactId } = right.account;
    const { logIn, cookie } = await prepareCompletion(right, this.#parts);
    const sessionId = await store.complete(logIn);
    if (sessionId === false) {
      const facts = { reason: "account-changed", accountId: recordId };
      await audit.record("log-in-refused", right.visitor, facts);
      return { kind: "refused" };
    }
    for (const event of logIn.events) audit.log({ ...event, sessionId });
    return { kind: "in", recordId, contactId, cookie };
  }

  async #noteRefusal(
    { visitor, password, isOwner }: Attempt,
    { held, reservation: { attempts }, account }: AccountAttempt,
    isRight: boolean,
  ): Promise<void> {
    const { audit } = this.#parts;
    const accountId = account?.recordId ?? null;
    const isLast = attempts >= accountRateLimit.blockAt;
    let reason = isRight ? "disabled" : "wrong-password";
    if (account === null) reason = "unknown-name";
    if (password === null) reason = "unusable";
    if (held !== null) reason = isLast ? "held" : "delayed";
    const events = [audit.draft("log-in-refused", visitor, { reason, accountId })];
    // Names that nobody can have share a counter, which says nothing of an account.
    if (held === null && isLast && password !== null) {
      const where = isOwner ? "on-own-device" : null;
      events.push(audit.draft("account-held", visitor, { accountId, reason: where }));
    }
    // In one transaction, so that the attempt that holds an account takes no longer than others.
    await audit.recordAll(events);
  }

  async #refuseNetwork(
    { network }: AttemptKeys,
    visitor: Visitor,
    { nextAtMs }: RateLimitDecision,
  ): Promise<LogInOutcome> {
    const isNews = this.#heldNetworks.keep(network, nextAtMs, this.#parts.now());
    // Once for each time that it is held: a flood of attempts would otherwise be a flood of rows.
    if (isNews) await this.#parts.audit.record("network-held", visitor);
    return this.#toHeld(nextAtMs);
  }

  #toHeld(untilMs: number): LogInOutcome {
    return { kind: "network-held", retryAfterS: secondsUntil(untilMs, this.#parts.now()) };
  }

  #read(
    { userName, password }: GivenCredentials,
    about: Omit<Attempt, "name" | "password" | "keys" | "isOwner">,
  ): Attempt {
    const { visitor, session } = about;
    const isUsable = isUsableText(userName ?? "") && isUsableText(password ?? "");
    const name = isUsableText(userName ?? "") ? foldUserName(userName ?? "") : "";
    const isOwner = session?.foldedUserName === name && session.origin === visitor.origin;
    const keys = isOwner
      ? keysOfOwner(session.id)
      : keysOfStranger(this.#parts.tokens, name, visitor);
    return { ...about, name, password: isUsable ? password : null, isOwner, keys };
  }
}
