import type { BindingName } from "../../contract/bindings.ts";
import type { ServiceContract } from "../../contract/operation.ts";
import type { Fault, FaultCode } from "../../fault.ts";
import { counter, Histogram, histogram, LabelledCounter, type Metric } from "./metric.ts";

/** End of a call: a result, a fault by whose mistake it was, or refused for too much load. */
export type Outcome = "ok" | "caller_fault" | "server_fault" | "refused";

const outcomesOfFaults: Readonly<Record<FaultCode, Outcome>> = {
  sender: "caller_fault",
  "unknown-operation": "caller_fault",
  "not-found": "caller_fault",
  "unreadable-part": "caller_fault",
  forbidden: "caller_fault",
  unauthorized: "caller_fault",
  "forbidden-token": "caller_fault",
  malformed: "caller_fault",
  "too-large": "caller_fault",
  "unsupported-media": "caller_fault",
  "version-mismatch": "caller_fault",
  "must-understand": "caller_fault",
  busy: "refused",
  unavailable: "server_fault",
  receiver: "server_fault",
};

/** Outcome as which a fault counts. */
export function outcomeOf({ code }: Pick<Fault, "code">): Outcome {
  return outcomesOfFaults[code];
}

/**
 * Upper bounds of call durations, in milliseconds, three to a decade: from a look-up (0.1 ms) over
 * a sync of the disk (some ms) and a hash (some 100 ms) to the longest that a caller waits. Each
 * bound is a line for each operation and binding.
 */
export const durationBucketsMs = [
  0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000,
] as const;

/** Binding of a call, or REST. */
export type CountedBinding = BindingName | "rest";

/** Labels of a call, in the words of the contract: never a name that a caller made up. */
export interface CallLabels {
  readonly service: string;
  /** `"unknown"` for calls that were refused before their operation was known. */
  readonly operation: string;
  readonly binding: CountedBinding;
}

/**
 * Counts the calls of one operation over one binding. A counter and a histogram of the package
 * would take a tenth of a look-up, as they join labels each time; this takes 1.5 % (decision 0040).
 */
export class CallCounter {
  readonly counts: Record<Outcome, number> = {
    ok: 0,
    caller_fault: 0,
    server_fault: 0,
    refused: 0,
  };
  readonly durations = new Histogram(durationBucketsMs);
  readonly labels: CallLabels;
  private readonly now: () => number;

  /** @param now the clock that calls are timed by, in milliseconds. */
  constructor(labels: CallLabels, now: () => number) {
    this.labels = labels;
    this.now = now;
  }

  /** Counts a call that has just ended and began at `sinceMs` of the same clock. */
  add(outcome: Outcome, sinceMs: number): void {
    this.durations.observe(this.now() - sinceMs);
    this.counts[outcome] += 1;
  }
}

/** Finds the counter of an operation over a binding; `"unknown"` for other names. */
export type FindCounter = (operation: string | undefined, binding: CountedBinding) => CallCounter;
/** Handlers of requests that are not calls; `response` is any other, such as a 404. */
const otherKinds = ["page", "document", "response"] as const;
const statusClasses = ["2xx", "3xx", "4xx", "5xx"] as const;

interface CountedService extends Pick<ServiceContract, "name" | "operations"> {
  readonly bindings: readonly CountedBinding[];
}

/** Counts requests. Names that callers made up are counted as `"unknown"`, and never kept. */
export class RequestMeter {
  /** Milliseconds of a monotonic clock, with fractions. */
  readonly now: () => number;
  readonly calls: CallCounter[] = [];
  readonly #others = new LabelledCounter({ kind: otherKinds, status: statusClasses });

  constructor(now: () => number) {
    this.now = now;
  }

  /** Creates the counters of a service, and returns the way to find them. */
  countersOf(contract: CountedService): FindCounter {
    const countersOf = (operation: string) =>
      new Map(
        contract.bindings.map((binding) => {
          const one = new CallCounter({ service: contract.name, operation, binding }, this.now);
          this.calls.push(one);
          return [binding, one];
        }),
      );
    const known = new Map(
      Object.keys(contract.operations).map((name) => [name, countersOf(name)] as const),
    );
    const unknown = countersOf("unknown");
    return (operation, binding) => {
      const found = (operation === undefined ? undefined : known.get(operation)) ?? unknown;
      const one = found.get(binding);
      if (one === undefined) throw new Error(`${binding} is not part of the service`);
      return one;
    };
  }

  /** Counts a request that is not a call by the status of its response. */
  countOther(kind: (typeof otherKinds)[number], status: number): void {
    this.#others.add({ kind, status: `${Math.floor(status / 100)}xx` });
  }

  /** Returns all counts as metrics, labelled with names of the contract and our own. */
  metrics(): readonly Metric[] {
    return [
      counter(
        "wfh_requests_total",
        "Calls by outcome; the operation is unknown where a call was refused before it was read.",
        () =>
          this.calls.flatMap(({ counts, labels }) =>
            Object.entries(counts).map(([outcome, value]) => ({
              labels: { ...labels, outcome },
              value,
            })),
          ),
      ),
      counter(
        "wfh_other_requests_total",
        "Requests that are not calls, by what handled them and class of status.",
        () => this.#others.samples,
      ),
      histogram(
        "wfh_request_duration_seconds",
        "Time from the head of a call to its response; that of a page request includes the sync.",
        {
          unit: 1_000,
          // An operation has its lines with its first call over a binding.
          list: () =>
            this.calls
              .filter(({ durations }) => durations.buckets.some((count) => count > 0))
              .map(({ labels, durations }) => ({ labels: { ...labels }, histogram: durations })),
        },
      ),
    ];
  }
}
