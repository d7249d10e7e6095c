/** Requests in a row without a response that open the circuit. */
const failuresMax = 5;
/** How long an open circuit sends nothing, in milliseconds. */
export const openMs = 10_000;

/** `closed` sends every request, `open` none; `half-open` sends one, to see whether the side is back. */
export type BreakerState = "closed" | "open" | "half-open";

/** How a request ended: with a response, without one, or by its client, which says nothing of the side. */
export type Ending = "response" | "no-response" | "aborted";

/** The circuit breaker of one side: requests to a server that is down fail at once (decision 0081). */
export class CircuitBreaker {
  state: BreakerState = "closed";
  readonly #now: () => number;
  readonly #onChange: (state: BreakerState) => void;
  #failures = 0;
  #openedAtMs = 0;

  /** @param now milliseconds of a monotonic clock. */
  constructor(now: () => number, onChange: (state: BreakerState) => void) {
    this.#now = now;
    this.#onChange = onChange;
  }

  /** Begins a request; returns what takes its ending, or undefined where it must not be sent. */
  begin(): ((ending: Ending) => void) | undefined {
    if (this.state === "closed") return (ending) => this.#count(ending);
    if (this.state === "half-open" || this.retryAfterMs() > 0) return undefined;
    this.#change("half-open");
    return (ending) => {
      this.#failures = 0;
      if (ending === "no-response") this.#openedAtMs = this.#now();
      this.#change(ending === "response" ? "closed" : "open");
    };
  }

  /** How long an open circuit will still send nothing, in milliseconds. */
  retryAfterMs(): number {
    return Math.max(0, this.#openedAtMs + openMs - this.#now());
  }

  #count(ending: Ending): void {
    // A request that began before the circuit opened says nothing of the side as it is now.
    if (this.state !== "closed" || ending === "aborted") return;
    this.#failures = ending === "response" ? 0 : this.#failures + 1;
    if (this.#failures < failuresMax) return;
    this.#openedAtMs = this.#now();
    this.#change("open");
  }

  #change(state: BreakerState): void {
    this.state = state;
    this.#onChange(state);
  }
}
