import type { BindingName } from "../../contract/bindings.ts";
import type { ServiceContract } from "../../contract/operation.ts";
import type { Fault, FaultCode } from "../../fault.ts";

/** What became of a call: answered; not, by whose mistake; or turned away because there is too much to do. */
export type Outcome = "ok" | "caller_fault" | "server_fault" | "refused";

const outcomesOfFaults: Readonly<Record<FaultCode, Outcome>> = {
  sender: "caller_fault",
  "unknown-operation": "caller_fault",
  "unreadable-part": "caller_fault",
  forbidden: "caller_fault",
  malformed: "caller_fault",
  "too-large": "caller_fault",
  "unsupported-media": "caller_fault",
  "version-mismatch": "caller_fault",
  "must-understand": "caller_fault",
  busy: "refused",
  unavailable: "server_fault",
  receiver: "server_fault",
};

/** What a fault counts as. */
export function outcomeOf({ code }: Pick<Fault, "code">): Outcome {
  return outcomesOfFaults[code];
}

/**
 * Upper bounds of the classes of time, in milliseconds: three to a decade, so that a figure read from them is at most a
 * factor of about two off, from a look-up (0.1 ms) over a sync of the disk (some ms) and a hash (some 100 ms) to the longest
 * that a caller waits. Each bound is a line for each operation and binding at each reading (decision 0040).
 */
export const durationBucketsMs = [
  ...[0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000],
  ...[2_500, 5_000, 10_000],
] as const;

/** Counts the calls of one operation over one binding. All that a call costs here is a few additions. */
export class CallCounter {
  readonly counts: Record<Outcome, number> = {
    ok: 0,
    caller_fault: 0,
    server_fault: 0,
    refused: 0,
  };
  /** Calls of each class of time, not added up; the last is for what is beyond all bounds. */
  readonly buckets = new Float64Array(durationBucketsMs.length + 1);
  sumMs = 0;
  private readonly now: () => number;

  /** @param now the clock that calls are timed by, in milliseconds. */
  constructor(now: () => number) {
    this.now = now;
  }

  /** Counts a call that has just ended and began at `sinceMs` of the same clock. */
  add(outcome: Outcome, sinceMs: number): void {
    const tookMs = this.now() - sinceMs;
    let i = 0;
    while (i < durationBucketsMs.length && tookMs > (durationBucketsMs[i] ?? 0)) i += 1;
    this.buckets[i] = (this.buckets[i] ?? 0) + 1;
    this.sumMs += tookMs;
    this.counts[outcome] += 1;
  }
}

/** A counter and what it counts, in the words of the contract. */
export interface CountedCalls {
  readonly service: string;
  /** `"unknown"` for calls that were refused before it was known which operation they are of, if any. */
  readonly operation: string;
  readonly binding: BindingName;
  readonly counter: CallCounter;
}

/** The counter of an operation over a binding; of all unknown operations together where it is none of the contract's. */
export type FindCounter = (operation: string | undefined, binding: BindingName) => CallCounter;

/** What takes a request that is no call: a page, a document, a route, or nothing but an answer at once. */
const otherKinds = ["page", "document", "route", "answer"] as const;
/** Classes of status that answers have. */
const statusClasses = ["2xx", "3xx", "4xx", "5xx"] as const;

/** Requests that are no calls, with how many there were. */
export interface CountedOthers {
  readonly kind: (typeof otherKinds)[number];
  readonly status: (typeof statusClasses)[number];
  count: number;
}

/** Counts what becomes of requests. Names that a caller made up are counted, and never kept. */
export class RequestMeter {
  /** Milliseconds of a clock that never jumps, with fractions. */
  readonly now: () => number;
  readonly calls: CountedCalls[] = [];
  readonly others: readonly CountedOthers[] = otherKinds.flatMap((kind) =>
    statusClasses.map((status) => ({ kind, status, count: 0 })),
  );

  constructor(now: () => number) {
    this.now = now;
  }

  /** Makes the counters of a service, one for each operation and binding, and the way to find them. */
  countersOf(contract: ServiceContract): FindCounter {
    const countersOf = (operation: string) =>
      new Map(
        contract.bindings.map((binding) => {
          const counter = new CallCounter(this.now);
          this.calls.push({ service: contract.name, operation, binding, counter });
          return [binding, counter];
        }),
      );
    const known = new Map(
      Object.keys(contract.operations).map((name) => [name, countersOf(name)] as const),
    );
    const unknown = countersOf("unknown");
    return (operation, binding) => {
      const found = (operation === undefined ? undefined : known.get(operation)) ?? unknown;
      const counter = found.get(binding);
      if (counter === undefined) throw new Error(`${binding} is not part of the service`);
      return counter;
    };
  }

  /** Counts a request that is no call by the status of its answer. */
  countOther(kind: CountedOthers["kind"], status: number): void {
    const index = otherKinds.indexOf(kind) * statusClasses.length + Math.floor(status / 100) - 2;
    const others = this.others[index];
    if (others !== undefined) others.count += 1;
  }
}
