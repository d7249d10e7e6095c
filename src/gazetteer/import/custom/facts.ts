import type { Problems } from "./problems.ts";

/** A value and the line that said it first. */
export interface Said<Value> {
  readonly value: Value;
  readonly line: number;
}

/** What all rows together say of countries, states or continents. Each may be said often, and only once differently. */
export interface SubjectFacts<Facts extends object> {
  /** What is said of each, by its name. */
  readonly byName: ReadonlyMap<string, Subject<Facts>>;
  /** Takes a value of a row, undefined where its cell is empty; what another row says differently is a problem. */
  say<Field extends keyof Facts & string>(
    subject: { readonly name: string; readonly line: number },
    field: Field,
    value: Facts[Field] | undefined,
  ): void;
}

/** One country, state or continent. */
export interface Subject<Facts extends object> {
  /** The first line that names it. */
  readonly line: number;
  readonly facts: { readonly [Field in keyof Facts]?: Said<Facts[Field]> };
}

/** Collects facts; the fields are named as the columns are. */
export function createSubjectFacts<Facts extends object>(problems: Problems): SubjectFacts<Facts> {
  type Subject = { line: number; facts: { [Field in keyof Facts]?: Said<Facts[Field]> } };
  const byName = new Map<string, Subject>();
  return {
    byName,
    say({ name, line }, field, value) {
      const known: Subject = byName.get(name) ?? { line, facts: {} };
      byName.set(name, known);
      if (value === undefined) return;
      const before = known.facts[field];
      if (before === undefined) known.facts[field] = { value, line };
      else if (before.value !== value) {
        problems.add(
          line,
          `${field} of ${name} is ${String(value)}, but ${String(before.value)} on line ${before.line}`,
        );
      }
    },
  };
}
