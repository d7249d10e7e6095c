/** Requests in a row without a response that open the circuit. */
const failuresMax = 5;
/** How long an open circuit sends nothing, in milliseconds. */
export const openMs = 10_000;

/** How a request ended: with a response, without one, or by its client, which says nothing of the side. */
export type Ending = "response" | "no-response" | "aborted";

/** The circuit breaker of one side: requests to a server that is down fail at once (decision 0081). */
export class CircuitBreaker {
  readonly #now: () => number;
  readonly #onChange: (isOpen: boolean) => void;
  #failures = 0;
  #trialAtMs = 0;

  /** @param now milliseconds of a monotonic clock. */
  constructor(now: () => number, onChange: (isOpen: boolean) => void) {
    this.#now = now;
    this.#onChange = onChange;
  }

  /** Whether nothing is sent but one request each 10 seconds, to see whether the side is back. */
  get isOpen(): boolean {
    return this.#failures >= failuresMax;
  }

  /** Begins a request; returns what takes its ending, or undefined where it must not be sent. */
  begin(): ((ending: Ending) => void) | undefined {
    const isTrial = this.isOpen;
    if (isTrial && this.#now() < this.#trialAtMs) return undefined;
    // A trial that takes longer, such as an upload, is followed by another.
    if (isTrial) this.#trialAtMs = this.#now() + openMs;
    return (ending) => {
      // A request that began before the circuit opened says nothing of the side as it is now.
      if (this.isOpen && !isTrial) return;
      if (ending === "aborted") this.#trialAtMs = 0;
      else this.#end(ending);
    };
  }

  #end(ending: Exclude<Ending, "aborted">): void {
    const wasOpen = this.isOpen;
    this.#failures = ending === "response" ? 0 : this.#failures + 1;
    this.#trialAtMs = this.#now() + openMs;
    if (this.isOpen !== wasOpen) this.#onChange(this.isOpen);
  }
}
