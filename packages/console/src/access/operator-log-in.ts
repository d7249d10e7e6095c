import { foldUserName, isUsableText } from "@wfh/server/domain/log-in/accounts/account.ts";
import type { Audit, EventSender } from "@wfh/server/domain/log-in/audit.ts";
import {
  accountKeyOf,
  networkKeyOf,
  secondsUntil,
} from "@wfh/server/domain/log-in/limits/rate-limits.ts";
import { type LogInEnd, reportEnd } from "@wfh/server/domain/log-in/log-in.ts";
import {
  type CheckedPassword,
  type PasswordAttempt,
  PasswordCheck,
  type PasswordCheckDeps,
} from "@wfh/server/domain/log-in/password-check.ts";
import type { Tokens } from "@wfh/server/domain/log-in/sessions/session.ts";
import type { StartTimer } from "@wfh/server/lib/timer.ts";
import type { OperatorAccount } from "./operator.ts";
import type { OperatorQueries } from "./operator-queries.ts";

/** Collaborators of `OperatorLogIn`. */
export interface OperatorLogInDeps extends Omit<PasswordCheckDeps<OperatorAccount>, "store"> {
  readonly operators: () => Promise<Pick<OperatorQueries, "listHashForms" | "begin" | "complete">>;
  readonly tokens: Tokens;
  readonly audit: Audit;
  readonly after: StartTimer;
  readonly onEnd: (end: LogInEnd) => void;
}

/** The result of a log-in by password. */
export type OperatorLogInOutcome =
  | { readonly kind: "in"; readonly token: string }
  /** The same for every reason that concerns the name. */
  | { readonly kind: "refused" }
  /** Too many log-ins of the network have failed. */
  | { readonly kind: "network-blocked"; readonly retryAfterS: number };

/** Tells tokens of operators from those of visitors, whose selectors have 22 characters. */
export const sessionSelector = "operator";

/** A log-in that has begun. */
interface Attempt extends PasswordAttempt {
  readonly sender: EventSender;
  /** The token that the caller came with; null without one. */
  readonly oldToken: string | null;
}

/** Logs operators in by password, with the limits of visitors and counters of their own. */
export class OperatorLogIn {
  readonly #deps: OperatorLogInDeps;
  readonly #passwords: PasswordCheck<OperatorAccount>;

  constructor(deps: OperatorLogInDeps) {
    this.#deps = deps;
    const store = {
      listHashForms: async () => (await deps.operators()).listHashForms(),
      begin: async (...given: Parameters<OperatorQueries["begin"]>) =>
        (await deps.operators()).begin(...given),
    };
    this.#passwords = new PasswordCheck({ ...deps, store });
  }

  /**
   * Every refusal has the same response and takes the same work (decision 0054).
   *
   * @throws {LogInUnavailableError} when the database does not respond, {TooManyLogInsError} when
   * too many wait.
   */
  withPassword(
    given: { readonly name: string; readonly password: string },
    sender: EventSender,
    oldToken: string | null,
  ): Promise<OperatorLogInOutcome> {
    const { after, onEnd } = this.#deps;
    const attempt = this.#toAttempt(given, sender, oldToken);
    const logIn = this.#passwords.run(attempt, (checked) => this.#finish(attempt, checked));
    return reportEnd({ after, onEnd: (_, end) => onEnd(end) }, "password", logIn);
  }

  #toAttempt(
    given: { readonly name: string; readonly password: string },
    sender: EventSender,
    oldToken: string | null,
  ): Attempt {
    const { tokens, elapsed } = this.#deps;
    const isName = isUsableText(given.name);
    const name = isName ? foldUserName(given.name) : "";
    const keys = {
      account: accountKeyOf(tokens, name, "operator"),
      network: networkKeyOf(sender, "operators"),
    };
    return {
      arrivedMs: elapsed(),
      name,
      password: isName && isUsableText(given.password) ? given.password : null,
      // Operators have no device on which strangers cannot use up their attempts.
      isOwner: false,
      keys,
      sender,
      oldToken,
    };
  }

  async #finish(
    attempt: Attempt,
    checked: CheckedPassword<OperatorAccount>,
  ): Promise<OperatorLogInOutcome> {
    const { audit, now } = this.#deps;
    switch (checked.kind) {
      case "right":
        return this.#complete(attempt, checked.account);
      case "wrong":
        await this.#recordRefusal(attempt, checked);
        return { kind: "refused" };
      case "network-blocked": {
        const { untilMs, isNew } = checked;
        if (isNew) await audit.record("network-blocked", attempt.sender, { reason: "operators" });
        return { kind: "network-blocked", retryAfterS: secondsUntil(untilMs, now()) };
      }
    }
  }

  async #complete(
    { sender, oldToken, password, keys }: Attempt,
    operator: OperatorAccount,
  ): Promise<OperatorLogInOutcome> {
    const { operators, hashing, tokens, audit, now } = this.#deps;
    const isCurrent = hashing.isCurrent(operator.hash);
    const record = isCurrent ? null : await hashing.hash(password ?? "");
    const token = tokens.newValidator(sessionSelector);
    const event = audit.draft("operator-logged-in", sender, { operator: operator.name });
    const isDone = await (await operators()).complete({
      operator,
      newHash: record === null ? null : { record, form: hashing.formOf(record) },
      tokenHash: tokens.digest(token),
      oldTokenHash: oldToken === null ? null : tokens.digest(oldToken),
      accountKey: keys.account,
      networkKey: keys.network,
      event,
      nowMs: now(),
    });
    if (!isDone) {
      const facts = { operator: operator.name, reason: "account-changed" };
      await audit.record("operator-log-in-refused", sender, facts);
      return { kind: "refused" };
    }
    audit.log(event);
    return { kind: "in", token };
  }

  async #recordRefusal(
    { sender }: Attempt,
    { reason, account, isBlocking }: Extract<CheckedPassword<OperatorAccount>, { kind: "wrong" }>,
  ): Promise<void> {
    const { audit } = this.#deps;
    const operator = account?.name ?? null;
    const events = [audit.draft("operator-log-in-refused", sender, { reason, operator })];
    if (isBlocking) events.push(audit.draft("operator-blocked", sender, { operator }));
    // In one transaction, so that the attempt that blocks a name takes no longer than others.
    await audit.recordAll(events);
  }
}
