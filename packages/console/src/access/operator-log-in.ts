import type { EventSender } from "@wfh/server/domain/log-in/audit.ts";
import { accountKeyOf, networkKeyOf } from "@wfh/server/domain/log-in/limits/rate-limits.ts";
import { type LogInEnd, reportEnd } from "@wfh/server/domain/log-in/log-in.ts";
import {
  PasswordCheck,
  type PasswordCheckDeps,
  type PasswordRefusal,
  readCredentials,
} from "@wfh/server/domain/log-in/password-check.ts";
import type { Tokens } from "@wfh/server/domain/log-in/sessions/session.ts";
import type { StartTimer } from "@wfh/server/lib/timer.ts";
import type { OperatorAccount } from "./operator.ts";
import type { OperatorQueries } from "./operator-queries.ts";

/** Collaborators of `OperatorLogIn`. */
export interface OperatorLogInDeps extends Omit<PasswordCheckDeps<OperatorAccount>, "store"> {
  readonly operators: () => Promise<Pick<OperatorQueries, "listHashForms" | "begin" | "complete">>;
  readonly tokens: Tokens;
  readonly after: StartTimer;
  readonly onEnd: (end: LogInEnd) => void;
}

/** The result of a log-in by password: the token of a new session, or the reason of the refusal. */
export type OperatorLogInOutcome =
  | { readonly kind: "in"; readonly token: string }
  | PasswordRefusal;

/** Tells tokens of operators from those of visitors, whose selectors have 22 characters. */
export const sessionSelector = "operator";

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
    this.#passwords = new PasswordCheck(
      { ...deps, store },
      {
        refused: "operator-log-in-refused",
        blocked: "operator-blocked",
        networkFacts: { reason: "operators" },
        factsOf: (operator) => ({ operator: operator?.name ?? null }),
      },
    );
  }

  /**
   * Every refusal has the same response and takes the same work (decision 0054).
   *
   * @throws {LogInUnavailableError} when the database does not respond, {TooManyLogInsError} when
   * too many wait.
   * @param oldToken the token that the caller comes with; null without one.
   */
  withPassword(
    given: { readonly name: string; readonly password: string },
    sender: EventSender,
    oldToken: string | null,
  ): Promise<OperatorLogInOutcome> {
    const { operators, tokens, audit, after, now, elapsed, onEnd } = this.#deps;
    const credentials = readCredentials(given.name, given.password);
    const accountKey = accountKeyOf(tokens, credentials.name, "operator");
    const networkKey = networkKeyOf(sender, "operators");
    const attempt = {
      ...credentials,
      arrivedMs: elapsed(),
      // Operators have no device on which strangers cannot use up their attempts.
      isOwner: false,
      keys: { account: accountKey, network: networkKey },
    };
    const logIn = this.#passwords.run(attempt, sender, async ({ account: operator, newHash }) => {
      const token = tokens.newValidator(sessionSelector);
      const event = audit.draft("operator-logged-in", sender, { operator: operator.name });
      const isDone = await (await operators()).complete({
        operator,
        newHash,
        tokenHash: tokens.digest(token),
        oldTokenHash: oldToken === null ? null : tokens.digest(oldToken),
        accountKey,
        networkKey,
        event,
        nowMs: now(),
      });
      if (!isDone) return false;
      audit.log(event);
      return { kind: "in", token } as const;
    });
    return reportEnd({ after, onEnd: (_, end) => onEnd(end) }, "password", logIn);
  }
}
