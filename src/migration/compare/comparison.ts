import { type Exchange, toRecordedBody } from "../exchange.ts";
import type { Redact } from "../redact.ts";
import { compareExchange, oldResponseOf } from "./compare.ts";
import { decodeBody, type WholeResponse } from "./response.ts";
import type { RuleBook } from "./rules.ts";
import type { Difference } from "./tree.ts";

/** Most kinds of differences that are told apart; others are only counted. */
const groupsMax = 1_000;
/** Longest body that a report shows, in UTF-16 units. */
const shownMax = 20_000;

/** What a report has for a value of which a secret may be a part. */
const leftOut = "(left out)";

/** How many exchanges of one operation over one binding compare how. */
export interface CallCounts {
  readonly operation: string | null;
  readonly binding: string | null;
  identical: number;
  explained: number;
  different: number;
  notCompared: number;
}

/** Differences at one place, with the first of them. */
export interface DifferenceGroup extends Difference {
  readonly operation: string | null;
  readonly binding: string | null;
  count: number;
  readonly example: {
    readonly at: string;
    readonly request: string;
    readonly oldBody: string;
    readonly ourBody: string;
  };
}

/** All that a comparison has found, without secrets. */
export interface ComparisonReport {
  readonly identical: number;
  readonly explained: number;
  readonly different: number;
  readonly notCompared: number;
  readonly calls: readonly CallCounts[];
  readonly differences: readonly DifferenceGroup[];
  /** Rules with the number of exchanges that they explain. */
  readonly rules: readonly Count[];
  /** Why exchanges were not compared. */
  readonly reasons: readonly Count[];
}

interface Count {
  readonly name: string;
  readonly reason: string;
  count: number;
}

/** Compares exchanges with our responses, and counts. */
export class Comparison {
  readonly #rules: RuleBook;
  readonly #redact: Redact;
  readonly #calls = new Map<string, CallCounts>();
  readonly #groups = new Map<string, DifferenceGroup>();
  readonly #explained = new Map<string, Count>();
  readonly #reasons = new Map<string, Count>();

  constructor(rules: RuleBook, redact: Redact) {
    this.#rules = rules;
    this.#redact = redact;
  }

  /** Counts an exchange that is not compared. */
  skip(exchange: Exchange, reason: string): void {
    this.#callsOf(exchange).notCompared += 1;
    count(this.#reasons, reason, reason);
  }

  /** @param ours our response, or why there is none. */
  add(exchange: Exchange, ours: WholeResponse | Error): void {
    const old = oldResponseOf(exchange);
    const calls = this.#callsOf(exchange);
    if (ours instanceof Error) {
      calls.different += 1;
      const difference = { path: "response", kind: "missing", old: String(old.status) } as const;
      this.#group(exchange, old, undefined, { ...difference, ours: ours.message });
      return;
    }
    const { result, explained, differences } = compareExchange(exchange, ours, this.#rules);
    calls[result] += 1;
    for (const [name, reason] of explained) count(this.#explained, name, reason);
    for (const difference of differences) this.#group(exchange, old, ours, difference);
  }

  /** What was found so far, the most frequent first. */
  report(): ComparisonReport {
    const calls = [...this.#calls.values()].sort(
      (a, b) => b.different - a.different || nameOf(a).localeCompare(nameOf(b), "en"),
    );
    const sum = (name: "identical" | "explained" | "different" | "notCompared") =>
      calls.reduce((total, call) => total + call[name], 0);
    return {
      identical: sum("identical"),
      explained: sum("explained"),
      different: sum("different"),
      notCompared: sum("notCompared"),
      calls,
      differences: byCount(this.#groups),
      rules: byCount(this.#explained),
      reasons: byCount(this.#reasons),
    };
  }

  #callsOf({ operation, binding }: Exchange): CallCounts {
    const key = `${operation} ${binding}`;
    const counts = { identical: 0, explained: 0, different: 0, notCompared: 0 };
    const calls = this.#calls.get(key) ?? { operation, binding, ...counts };
    this.#calls.set(key, calls);
    return calls;
  }

  #group(
    exchange: Exchange,
    old: WholeResponse,
    ours: WholeResponse | undefined,
    difference: Difference,
  ): void {
    const { operation, binding } = exchange;
    const path = difference.path.replace(/\[\d+\]/g, "");
    const key = `${operation} ${binding} ${difference.kind} ${path}`;
    const group = this.#groups.get(key);
    if (group !== undefined) group.count += 1;
    else if (this.#groups.size < groupsMax) {
      const example = this.#show(exchange, [old, ours], difference);
      this.#groups.set(key, { operation, binding, count: 1, ...example });
    }
  }

  /** A difference with its exchange, without what redaction takes out of either response. */
  #show(
    exchange: Exchange,
    responses: readonly (WholeResponse | undefined)[],
    difference: Difference,
  ): Pick<DifferenceGroup, "example" | keyof Difference> {
    const shown = responses.map((response) =>
      this.#showResponse(exchange, response, difference.path),
    );
    const isHidden = shown.some((one) => one.isHidden);
    const { method, target } = this.#redact(exchange).request;
    return {
      ...difference,
      ...(isHidden && { old: leftOut, ours: leftOut }),
      example: {
        at: exchange.at,
        request: `${method} ${target}`,
        oldBody: shown[0]?.text ?? "",
        ourBody: shown[1]?.text ?? "",
      },
    };
  }

  /** The body of a response, and whether what it has at a path is not shown. */
  #showResponse(exchange: Exchange, response: WholeResponse | undefined, path: string) {
    if (response === undefined) return { text: "", isHidden: false };
    const body = toRecordedBody(response.body);
    const redacted = this.#redact({ ...exchange, response: { ...response, statusText: "", body } });
    const { body: left, headers } = redacted.response ?? { body, headers: [] };
    const name = /^headers\/(?!set-cookie$)(.*)/i.exec(path)?.[1]?.toLowerCase();
    const isHeaderHidden = response.headers.some(
      (text, i, { [i - 1]: of }) =>
        i % 2 === 1 && of?.toLowerCase() === name && text !== headers[i],
    );
    if ("omitted" in left) {
      return {
        text: `Left out: ${left.omitted}.`,
        isHidden: !path.startsWith("headers/") || isHeaderHidden,
      };
    }
    return { text: decodeBody(response).text.slice(0, shownMax), isHidden: isHeaderHidden };
  }
}

function nameOf({ operation, binding }: CallCounts): string {
  return `${operation ?? "~"} ${binding}`;
}

function count(counts: Map<string, Count>, name: string, reason: string): void {
  const known = counts.get(name);
  if (known !== undefined) known.count += 1;
  else counts.set(name, { name, reason, count: 1 });
}

function byCount<Counted extends { readonly count: number }>(
  counts: ReadonlyMap<string, Counted>,
): readonly Counted[] {
  return [...counts.values()].sort((a, b) => b.count - a.count);
}
