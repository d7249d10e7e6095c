import { bindings } from "../../contract/bindings.ts";
import { messageOf } from "../../lib/file-error.ts";
import type { FieldRule, ValueTest } from "./rules.ts";

/** A file of rules that cannot be used. The message says where and what is allowed. */
export class RulesError extends Error {}

type Members = Readonly<Record<string, unknown>>;

/** Members of a rule beside those that every rule has, by its kind. */
const ownMembers = {
  "ignore-value": [],
  mapped: [],
  "date-within": ["seconds"],
  matches: ["old", "ours"],
} as const;
const commonMembers = ["name", "reason", "path", "operation", "binding", "kind"];

/**
 * Reads rules from what a file of rules holds.
 *
 * @param operations names of all operations.
 * @throws {RulesError}
 */
export function parseRules(file: Members, operations: readonly string[]): readonly FieldRule[] {
  const { rule: rules, ...rest } = file;
  if (!Array.isArray(rules) || Object.keys(rest).length > 0) {
    throw new RulesError("It must hold rules and nothing else, each below a line [[rule]].");
  }
  return rules.map((rule, i) => toRule(rule as Members, `Rule ${i + 1}`, operations));
}

function toRule(rule: Members, where: string, operations: readonly string[]): FieldRule {
  const text = (name: string, choices?: readonly string[]) => {
    const value = rule[name];
    if (typeof value === "string" && value !== "" && choices?.includes(value) !== false) {
      return value;
    }
    const expected = choices === undefined ? "a text" : `one of ${choices.join(", ")}`;
    throw new RulesError(`${where}: ${name} must be ${expected}.`);
  };
  const optional = (name: string, choices: readonly string[]) =>
    rule[name] === undefined ? undefined : text(name, choices);
  const kind = text("kind", Object.keys(ownMembers)) as keyof typeof ownMembers;
  const members = [...commonMembers, ...ownMembers[kind]];
  const unknown = Object.keys(rule).find((name) => !members.includes(name));
  if (unknown !== undefined) {
    throw new RulesError(`${where}: ${unknown} is not known. Known are ${members.join(", ")}.`);
  }
  const path = text("path");
  if (path === "status") throw new RulesError(`${where}: no rule explains another status.`);
  return {
    ...{ name: text("name"), reason: text("reason"), path },
    operation: optional("operation", operations),
    binding: optional("binding", Object.keys(bindings)),
    test: toTest(kind, rule, where, text),
  };
}

function toTest(
  kind: keyof typeof ownMembers,
  { seconds }: Members,
  where: string,
  text: (name: string) => string,
): ValueTest {
  if (kind === "date-within") {
    if (typeof seconds === "number" && seconds >= 0) return { kind, seconds };
    throw new RulesError(`${where}: seconds must be a number from 0.`);
  }
  if (kind !== "matches") return { kind };
  const pattern = (name: string) => {
    try {
      return new RegExp(`^(?:${text(name)})$`, "su");
    } catch (cause) {
      if (cause instanceof RulesError) throw cause;
      throw new RulesError(`${where}: ${name} is not a regular expression: ${messageOf(cause)}.`);
    }
  };
  return { kind, old: pattern("old"), ours: pattern("ours") };
}
