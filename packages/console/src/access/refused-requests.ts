import type { Audit, EventFacts, EventSender } from "@wfh/server/domain/log-in/audit.ts";
import { maskAddress } from "@wfh/server/domain/network.ts";
import { NetworkRateLimiter } from "@wfh/server/domain/page-requests/rate-limiter.ts";
import { counter, LabelledCounter, type Metric } from "@wfh/server/server/metrics/metric.ts";

/** Reasons for which a request for the operator's page or for reports is refused. */
export const accessRefusals = [
  "bad-session", // the cookie is of no session, or its session has ended
  "untrusted-header", // the header of an authenticating proxy came from elsewhere
  "unknown-operator", // the proxy names a person who is no operator
  "other-origin", // the action comes from a page of another origin
  "bad-csrf-token", // the action has no CSRF token, or that of another session
  "role", // the operator's role does not allow the action
  "other-form", // the operator or the token may not see the form
  "no-token", // the request for reports has no token
  "bad-token", // there is no such token
  "ended-token", // the token has ended
  "other-scope", // the token is for another purpose
] as const;

/** Why a request was refused, in one word: a label of a metric, and the reason of an event. */
export type AccessRefusal = (typeof accessRefusals)[number];

/**
 * Tokens of a network's bucket, which refills in a minute: at most twice as many refusals, ten, are
 * recorded in any minute.
 */
const recordedMax = 5;

/** Counts refused requests, and records some of them. */
export class RefusedRequests {
  readonly #counter = new LabelledCounter({ reason: accessRefusals });
  readonly metric: Metric = counter(
    "wfh_operator_refusals_total",
    "Refused requests for the operator's page and for reports, by reason.",
    () => this.#counter.samples,
  );
  readonly #audit: Pick<Audit, "record">;
  readonly #limiter: NetworkRateLimiter;

  /** @param elapsed milliseconds of a clock that never jumps. */
  constructor(audit: Pick<Audit, "record">, elapsed: () => number) {
    this.#audit = audit;
    this.#limiter = new NetworkRateLimiter(recordedMax, elapsed);
  }

  /** Counts a refused request, and records at most ten a minute of each network. */
  async add(reason: AccessRefusal, sender: EventSender, facts: EventFacts = {}): Promise<void> {
    this.#counter.add({ reason });
    const network = (sender.address === null ? null : maskAddress(sender.address)) ?? "unknown";
    if (!this.#limiter.consume(network)) return;
    // The request is refused all the same, and the log has the event.
    await this.#audit
      .record("operator-request-refused", sender, { ...facts, reason })
      .catch(() => {});
  }
}
