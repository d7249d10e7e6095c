import type { Account } from "./account.ts";
import { TooManyLogInsError } from "./admission.ts";
import { type AttemptKeys, keysOfOwner, keysOfStranger } from "./attempt-keys.ts";
import { accountRule, networkRule, type Reservation, secondsUntil } from "./attempts.ts";
import type { ApplicationInstance } from "./form.ts";
import { prepareCompletion, type RightPassword } from "./good-log-in.ts";
import { createHashForms, type HashForms } from "./hash-forms.ts";
import { createHeldNetworks } from "./held-networks.ts";
import { createLateFailures, type LateFailures } from "./late-failures.ts";
import type { LogInParts } from "./log-in-parts.ts";
import type { CountedAttempt } from "./log-in-store.ts";
import { createPunctualPause } from "./punctual-pause.ts";
import { createRecentTimes, type RecentTimes } from "./recent-times.ts";
import type { Session } from "./session.ts";
import { isUsableText } from "./usable-text.ts";
import { foldUserName } from "./user-name.ts";
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

/** An attempt that was counted and, unless it is held, verified. */
interface VerifiedAttempt {
  readonly counted: CountedAttempt;
  readonly isRight: boolean;
  /** When it began, by the clock that never jumps. */
  readonly sinceMs: number;
}

/** An attempt that was not verified, because there were too many before it. */
interface HeldBack {
  readonly kind: "held-back";
  readonly sinceMs: number;
}

/** How long somebody waits for the word that there are too many, in milliseconds (decision 0022). */
const crowdedMs = 1_000;

/** Logs people in by name and password, in the order of steps of decision 0023. */
export class LogIn {
  readonly #parts: LogInParts;
  readonly #hashForms: HashForms;
  readonly #failures: RecentTimes;
  readonly #heldNetworks = createHeldNetworks();
  readonly #lateFailures: LateFailures;
  /** For those who are refused as if they had been verified. */
  readonly #pause: (ms: number) => Promise<void>;

  constructor(parts: LogInParts) {
    this.#parts = parts;
    this.#failures = createRecentTimes(parts.random);
    this.#pause = createPunctualPause(parts);
    this.#lateFailures = createLateFailures(parts.elapsed);
    this.#hashForms = createHashForms(() => parts.store.listHashForms(), parts.now);
  }

  /**
   * Whatever the reason of a refusal, the answer and the time it takes are the same.
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
    const { owners, strangers } = this.#parts.turns;
    const admission = attempt.isOwner ? owners : strangers;
    const outcome = await admission
      .run({ account, network: keys.network }, () => this.#attempt(attempt))
      .catch((cause) => this.#refuseLate(cause));
    if (outcome.kind !== "held-back") return outcome;
    // Outside of the admission: those who are held back take nobody's place.
    await this.#waitAsOthersDo(outcome.sinceMs);
    return { kind: "refused" };
  }

  /** Who is refused at once tries again at once, and a crowd of those leaves no time for anybody else. */
  async #refuseLate(cause: unknown): Promise<never> {
    if (cause instanceof TooManyLogInsError) await this.#parts.pause(crowdedMs);
    throw cause;
  }

  async #attempt(attempt: Attempt): Promise<LogInOutcome | HeldBack> {
    const { audit, turns, elapsed } = this.#parts;
    const { visitor, session, keys, isOwner } = attempt;
    const { counted, isRight, sinceMs } = await turns.counted.run(() =>
      this.#countAndVerify(attempt),
    );
    const { reservation } = counted;
    if (counted.held === "network") return this.#refuseNetwork(keys, visitor, reservation);
    if (counted.held !== null) {
      const reason = reservation.attempts >= accountRule.holdAt ? "held" : "delayed";
      const accountId = counted.account?.recordId ?? null;
      await audit.record("log-in-refused", visitor, { reason, accountId });
      return { kind: "held-back", sinceMs };
    }
    const { account } = counted;
    if (account !== null && isRight && account.isEnabled) {
      const { password, instances } = attempt;
      const right = { account, password: password ?? "", visitor, instances, session, keys };
      return this.#complete(right);
    }
    await this.#noteRefusal(attempt, account, { isRight, isOwner, reservation });
    this.#failures.keep(elapsed() - sinceMs);
    return { kind: "refused" };
  }

  async #countAndVerify(attempt: Attempt): Promise<VerifiedAttempt> {
    const { keys, name, password, cameMs } = attempt;
    const { store, now, elapsed } = this.#parts;
    const sinceMs = elapsed();
    const counted = await this.#lateFailures.ask(cameMs, () =>
      store.begin({
        network: { key: keys.network, rule: networkRule },
        account: { key: keys.account, rule: accountRule },
        foldedUserName: name,
        nowMs: now(),
      }),
    );
    const isRight = counted.held === null && (await this.#verify(counted.account, password));
    return { counted, isRight, sinceMs };
  }

  async #verify(account: Account | null, password: string | null): Promise<boolean> {
    const { hashing } = this.#parts;
    const record = password === null ? null : (account?.hash ?? null);
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
    for (const event of logIn.events) audit.tell({ ...event, sessionId });
    return { kind: "in", recordId, contactId, cookie };
  }

  async #noteRefusal(
    { visitor, password }: Attempt,
    account: Account | null,
    found: { isRight: boolean; isOwner: boolean; reservation: Reservation },
  ): Promise<void> {
    const { audit } = this.#parts;
    const accountId = account?.recordId ?? null;
    let reason = found.isRight ? "disabled" : "wrong-password";
    if (account === null) reason = "unknown-name";
    if (password === null) reason = "unusable";
    await audit.record("log-in-refused", visitor, { reason, accountId });
    // Names that nobody can have share a counter, which says nothing of an account.
    if (found.reservation.attempts === accountRule.holdAt && password !== null) {
      const where = found.isOwner ? "on-own-device" : null;
      await audit.record("account-held", visitor, { accountId, reason: where });
    }
  }

  async #refuseNetwork(
    { network }: AttemptKeys,
    visitor: Visitor,
    { nextAtMs }: Reservation,
  ): Promise<LogInOutcome> {
    const isNews = this.#heldNetworks.keep(network, nextAtMs, this.#parts.now());
    // Once for each time that it is held: a flood of attempts would otherwise be a flood of rows.
    if (isNews) await this.#parts.audit.record("network-held", visitor);
    return this.#toHeld(nextAtMs);
  }

  #toHeld(untilMs: number): LogInOutcome {
    return { kind: "network-held", retryAfterS: secondsUntil(untilMs, this.#parts.now()) };
  }

  /** Waits until as much time has passed as an attempt takes that is verified and fails. */
  async #waitAsOthersDo(sinceMs: number): Promise<void> {
    const { elapsed } = this.#parts;
    const usualMs = this.#failures.pick();
    if (usualMs !== undefined) {
      return this.#pause(Math.max(0, usualMs - (elapsed() - sinceMs)));
    }
    await this.#verify(null, null);
    // The next ones need no hash: nothing bounds how many of them there are at once.
    this.#failures.keep(elapsed() - sinceMs);
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
