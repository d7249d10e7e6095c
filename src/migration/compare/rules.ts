import type { Exchange } from "../exchange.ts";
import type { Difference } from "./tree.ts";

/** A rule for one field. It explains a value that differs; never one that is missing, added, nil or of another type. */
export interface FieldRule {
  readonly name: string;
  /** Why the difference is none for clients. */
  readonly reason: string;
  /** Steps of a path; `*` is any one of them, `**` any number. */
  readonly path: string;
  /** Undefined for any. */
  readonly operation?: string | undefined;
  readonly binding?: string | undefined;
  readonly test: ValueTest;
}

/** A text with placeholders: few enough to look for all of what may take their place. */
const fewPlaceholders = /^(?:[^{]{0,200}\{\d\}){1,3}[^{]{0,200}$/;

/** When a value that differs is explained. */
export type ValueTest =
  /** Both are of the same type, such as whole numbers. */
  | { readonly kind: "ignore-value" }
  /** Each old value has one of ours and the other way round, in all exchanges. 0 and empty stay as they are. */
  | { readonly kind: "mapped" }
  | { readonly kind: "date-within"; readonly seconds: number }
  | { readonly kind: "matches"; readonly old: RegExp; readonly ours: RegExp }
  /** Both are equal once what the pattern finds is taken out. */
  | { readonly kind: "equal-without"; readonly pattern: RegExp }
  /** The old value has placeholders such as `{0}`, ours is the same text with values. */
  | { readonly kind: "placeholders" };

/** What rules look at beside the path. */
type ExchangeFacts = Pick<Exchange, "operation" | "binding">;

/** Each keeps shared caches from storing a response; without a header they store none that has no validator. */
const uncached = /^(?:no-store|no-cache|(?:max-age=0, )?private)$/;

/** Rules that ship: what differs between any old server and ours, and means nothing to clients. */
const shippedRules: readonly FieldRule[] = [
  {
    name: "ids",
    reason: "State_id, Country_id and Continent_id are other numbers, but always the same ones",
    path: "**/*_id",
    test: { kind: "mapped" },
  },
  {
    name: "error-position",
    reason: "line and column of an error in a request are counted in another way",
    path: "Fault/**",
    test: { kind: "equal-without", pattern: /\(\d+, \d+\)/g },
  },
  {
    name: "placeholders",
    reason: "some runtimes do not fill in their messages",
    path: "**",
    test: { kind: "placeholders" },
  },
  {
    name: "addresses",
    reason: "documents name the address of the server that sends them",
    path: "**/@*",
    test: { kind: "matches", old: /^https?:\/\/\S+$/, ours: /^https?:\/\/\S+$/ },
  },
  {
    name: "caching",
    reason: "neither server lets a shared cache keep the response",
    path: "headers/Cache-Control",
    test: { kind: "matches", old: new RegExp(`${uncached.source}|^not stated$`), ours: uncached },
  },
  {
    name: "log-in-cookie",
    reason: "each server remembers a log-in with a cookie of its own",
    path: "headers/Set-Cookie",
    test: {
      kind: "matches",
      old: /^\.(?:ASPXAUTH|AspNet\.[\w.]+);[^,]*$/i,
      ours: /^(?:.+, )?__Host-wfal;.*$/,
    },
  },
  {
    name: "refusal-message",
    reason: "there is one message for every refused log-in",
    path: "**/ErrorMessage",
    test: { kind: "ignore-value" },
  },
];

type CompiledRule = FieldRule & { readonly pattern: RegExp };

/** Rules together with the ids that they have mapped so far. */
export class RuleBook {
  readonly #rules: readonly CompiledRule[];
  readonly #found = new Map<string, readonly CompiledRule[]>();
  /** By rule and last step of the path, such as `State_id`. */
  readonly #mapped = new Map<string, { there: Map<string, string>; back: Map<string, string> }>();

  /** @param own come before those that ship. */
  constructor(own: readonly FieldRule[] = []) {
    this.#rules = [...own, ...shippedRules].map((rule) => ({
      ...rule,
      pattern: compilePath(rule.path),
    }));
  }

  /** Compares the values at a path; returns the rule that explains them, or the difference. Undefined for equal ones. */
  compare(
    facts: ExchangeFacts,
    path: string,
    old: string,
    ours: string,
  ): FieldRule | Difference | undefined {
    const rules = this.#rulesFor(facts, path);
    const found = old === ours ? undefined : rules.find(({ test }) => isExplained(test, old, ours));
    const mapping = rules.find(({ test }) => test.kind === "mapped");
    const isMapped = mapping !== undefined && found === undefined;
    const step = path.replace(/^.*\//, "");
    const note = isMapped ? this.#map(`${mapping.name} ${step}`, old, ours) : undefined;
    if (note !== undefined) return { path, kind: "value", old, ours, note };
    if (old === ours) return undefined;
    return found ?? mapping ?? { path, kind: "value", old, ours };
  }

  #rulesFor({ operation, binding }: ExchangeFacts, path: string): readonly CompiledRule[] {
    const key = `${operation} ${binding} ${path}`;
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const plain = path.replace(/\[\d+\]/g, "");
    const found = this.#rules.filter(
      (rule) =>
        rule.pattern.test(plain) &&
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
    const { there, back } = this.#mapped.get(name) ?? { there: new Map(), back: new Map() };
    const [expected = ours, origin = old] = [there.get(old), back.get(ours)];
    if (expected !== ours) return `${old} was ${expected} in an earlier exchange`;
    if (origin !== old) return `${ours} was ${origin} of the old server in an earlier exchange`;
    there.set(old, ours);
    back.set(ours, old);
    this.#mapped.set(name, { there, back });
    return undefined;
  }
}

/** A pattern for a whole text, in which each of the variables stands for any text of its form. */
function toPattern(text: string, variables: RegExp, formOf: (variable: string) => string): RegExp {
  let pattern = "";
  let end = 0;
  for (const { 0: variable, index } of text.matchAll(variables)) {
    pattern += escapePattern(text.slice(end, index)) + formOf(variable);
    end = index + variable.length;
  }
  return new RegExp(`^${pattern}${escapePattern(text.slice(end))}$`, "s");
}

function escapePattern(text: string): string {
  return text.replace(/[.+*?^${}()|[\]\\]/g, "\\$&");
}

function compilePath(path: string): RegExp {
  const pattern = toPattern(path, /\*\*\/|\*\*|\*/g, (variable) => {
    if (variable === "**/") return "(?:[^/]+/)*";
    return variable === "**" ? ".*" : "[^/]*";
  });
  // Names of headers match in any case.
  return path.startsWith("headers/") ? new RegExp(pattern, "i") : pattern;
}

function isExplained(test: ValueTest, old: string, ours: string): boolean {
  switch (test.kind) {
    case "mapped":
      // That depends on all exchanges.
      return false;
    case "ignore-value":
      return typeOf(old) === typeOf(ours);
    case "date-within":
      return Math.abs(toInstant(old) - toInstant(ours)) <= test.seconds * 1_000;
    case "matches":
      return test.old.test(old) && test.ours.test(ours);
    case "equal-without":
      return old.replace(test.pattern, "") === ours.replace(test.pattern, "");
    case "placeholders":
      return fewPlaceholders.test(old) && toPattern(old, /\{\d\}/g, () => ".*").test(ours);
  }
}

/** What a value looks like; a rule never makes one pass for another. */
function typeOf(text: string): string {
  if (text === "" || text.trim() === "") return "empty";
  if (/^[+-]?\d+$/.test(text)) return "whole number";
  if (text === "true" || text === "false") return "boolean";
  return Number.isNaN(toInstant(text)) ? "text" : "date";
}

/** Milliseconds of a date as SOAP or the JSON of .NET writes it; NaN for anything else. */
function toInstant(text: string): number {
  const ticks = /^\/Date\((-?\d+)(?:[+-]\d{4})?\)\/$/.exec(text)?.[1];
  if (ticks !== undefined) return Number(ticks);
  return /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
}
