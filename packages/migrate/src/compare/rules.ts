import { posix } from "node:path";
import type { Exchange } from "../exchange.ts";
import type { ResponseDifference } from "./tree.ts";

/**
 * A rule for one field. It explains a value that differs, or a header that we do not send; never a
 * part of a body that is missing, added, nil or of another type.
 */
export interface FieldRule {
  readonly name: string;
  /** Reason why clients do not notice the difference. */
  readonly reason: string;
  /** Steps of a path; `*` is any one of them, `**` any number. */
  readonly path: string;
  /** Undefined for any. */
  readonly operation?: string | undefined;
  readonly binding?: string | undefined;
  /**
   * Explains another value, or not. With `mapped`, old values and ours match one to one in all
   * exchanges; 0 and empty stay. With `missing`, that only the old server sends a header.
   */
  readonly explains: "mapped" | "missing" | ((old: string, ours: string) => boolean);
}

/** Facts that rules look at beside the path. */
type ExchangeFacts = Pick<Exchange, "operation" | "binding">;

/** Values of Cache-Control that keep shared caches from storing a response. */
const uncached =
  /^(?=.*(?:no-store|no-cache|private))(?:(?:max-age=0|(?:must|proxy)-revalidate|no-cache|no-store|private)(?:, |$))+$/;

/** Rules that ship: what differs between any old server and ours, and means nothing to clients. */
const shippedRules: readonly FieldRule[] = [
  {
    name: "ids",
    reason: "State_id, Country_id and Continent_id are other numbers, but always the same ones",
    path: "**/{State,Country,Continent}_id",
    explains: "mapped",
  },
  {
    name: "error-position",
    reason: "line and column of an error in a request are counted in another way",
    path: "Fault/**",
    explains: (old, ours) => withoutPosition(old) === withoutPosition(ours),
  },
  {
    name: "addresses",
    reason: "documents name the address of the server that sends them",
    path: "**/@{location,schemaLocation,address,ref,docRef}",
    explains: (...addresses) => addresses.every((one) => /^https?:\/\/\S+$/.test(one)),
  },
  {
    name: "caching",
    reason: "neither server lets a shared cache keep the response",
    path: "headers/Cache-Control",
    explains: (old, ours) => (old === "not stated" || uncached.test(old)) && uncached.test(ours),
  },
  {
    name: "log-in-cookie",
    reason: "each server remembers a log-in with a cookie of its own",
    path: "headers/Set-Cookie",
    // One that other hosts get too, or that outlives the browser, is more than one that does not.
    explains: (old, ours) =>
      /^\.(?:ASPXAUTH|AspNet\.[\w.]+);(?!.*domain=)[^,]*$/i.test(old) &&
      /^(?:\.[\w.]+ removed;[^,]*, )*__Host-wfal;[^,]*$/.test(ours) &&
      (ours.includes("lasting") || !old.includes("lasting")),
  },
  {
    name: "refusal-message",
    reason: "there is one message for every refused log-in",
    path: "**/ErrorMessage",
    explains: isSameType,
  },
];

function withoutPosition(message: string): string {
  return message.replace(/\(\d+, \d+\)/g, "");
}

/** Rules together with the ids that they have mapped so far. */
export class RuleBook {
  readonly #rules: readonly FieldRule[];
  readonly #found = new Map<string, readonly FieldRule[]>();
  /** By rule, last step of the path such as `State_id`, direction and value. */
  readonly #mapped = new Map<string, string>();
  /** Keys of what was mapped since the last body. */
  readonly #recent: string[] = [];

  /** @param own come before those that ship. */
  constructor(own: readonly FieldRule[] = []) {
    this.#rules = [...own, ...shippedRules];
  }

  /**
   * Checks the values at a path, or a header that only one side sends; returns the rule that
   * explains it, or the difference. Undefined for equal values.
   */
  check(
    facts: ExchangeFacts,
    difference: ResponseDifference,
  ): FieldRule | ResponseDifference | undefined {
    const { path, kind, old, ours } = difference;
    const rules = this.#rulesFor(facts, path);
    if (kind === "missing") return rules.find(({ explains }) => explains === kind) ?? difference;
    if (old === null || ours === null) return difference;
    const isEqual = old === ours;
    const found = isEqual
      ? undefined
      : rules.find(({ explains }) => typeof explains === "function" && explains(old, ours));
    if (found !== undefined) return found;
    const mapping = rules.find(({ explains }) => explains === "mapped");
    const note = mapping && this.#map(`${mapping.name} ${path.replace(/^.*\//, "")}`, old, ours);
    if (note !== undefined) return { ...difference, note };
    return isEqual ? undefined : (mapping ?? difference);
  }

  /**
   * Ends a body. Its ids stay mapped only where its other values agree: those of another place are
   * of another state.
   */
  endBody(hasSameValues: boolean): void {
    if (!hasSameValues) for (const key of this.#recent) this.#mapped.delete(key);
    this.#recent.length = 0;
  }

  #rulesFor({ operation, binding }: ExchangeFacts, path: string): readonly FieldRule[] {
    const key = `${operation} ${binding} ${path}`;
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const found = this.#rules.filter(
      (rule) =>
        isAt(path.replace(/\[\d+\]/g, ""), rule.path) &&
        (rule.operation ?? operation) === operation &&
        (rule.binding ?? binding) === binding,
    );
    // Paths come from responses: a hostile one must not fill the memory.
    if (this.#found.size < 10_000) this.#found.set(key, found);
    return found;
  }

  /** Why two values do not belong together; undefined where they do, which is remembered. */
  #map(name: string, old: string, ours: string): string | undefined {
    if (typeOf(old) !== typeOf(ours)) return "of another type";
    const isFixed = old === "" || old === "0" || ours === "0";
    if (isFixed) return old === ours ? undefined : "0 means none";
    const there = `${name} of old ${old}`;
    const back = `${name} of ours ${ours}`;
    const expected = this.#mapped.get(there) ?? ours;
    const origin = this.#mapped.get(back) ?? old;
    if (expected !== ours) return `${old} was ${expected} in an earlier exchange`;
    if (origin !== old) return `${ours} was ${origin} of the old server in an earlier exchange`;
    if (!this.#mapped.has(there)) this.#recent.push(there, back);
    this.#mapped.set(there, ours).set(back, old);
    return undefined;
  }
}

/** True for a path of a rule; names of headers match in any case. */
function isAt(path: string, pattern: string): boolean {
  const isHeader = pattern.startsWith("headers/");
  return isHeader
    ? posix.matchesGlob(path.toLowerCase(), pattern.toLowerCase())
    : posix.matchesGlob(path, pattern);
}

/** True for two values of one type, such as whole numbers. */
export function isSameType(old: string, ours: string): boolean {
  return typeOf(old) === typeOf(ours);
}

function typeOf(text: string): string {
  if (text.trim() === "") return "empty";
  if (/^[+-]?\d+$/.test(text)) return "whole number";
  if (text === "true" || text === "false") return "boolean";
  return "text";
}
