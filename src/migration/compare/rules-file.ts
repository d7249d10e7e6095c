import { bindings } from "../../contract/bindings.ts";
import { messageOf } from "../../lib/file-error.ts";
import { operations } from "../services.ts";
import { type FieldRule, isSameType, toInstant } from "./rules.ts";

/** A file of rules that cannot be used. The message says where and what is allowed. */
export class RulesError extends Error {}

type Members = Readonly<Record<string, unknown>>;

/** Members of a rule beside those that every rule has, by its kind. */
const ownMembers = {
  "ignore-value": [],
  mapped: [],
  "date-within": ["seconds"],
  matches: ["old", "ours"],
  missing: [],
} as const;
const commonMembers = ["name", "reason", "path", "operation", "binding", "kind"];

/**
 * Reads rules from what a file of rules holds.
 *
 * @throws {RulesError}
 */
export function parseRules({ rule: rules, ...rest }: Members): readonly FieldRule[] {
  if (!Array.isArray(rules) || Object.keys(rest).length > 0) {
    throw new RulesError("It must hold rules and nothing else, each below a line [[rule]].");
  }
  return rules.map((rule, i) => toRule(rule as Members, `Rule ${i + 1}`));
}

function toRule(rule: Members, where: string): FieldRule {
  const refuse = (problem: string): never => {
    throw new RulesError(`${where}: ${problem}.`);
  };
  const text = (name: string, choices?: readonly string[]): string => {
    const value = rule[name];
    const isText = typeof value === "string" && value !== "";
    if (isText && choices?.includes(value) !== false) return value;
    const expected = choices === undefined ? "a text" : `one of ${choices.join(", ")}`;
    return refuse(`${name} must be ${expected}`);
  };
  const optional = (name: string, choices: readonly string[]) =>
    rule[name] === undefined ? undefined : text(name, choices);
  const pattern = (name: string): RegExp => {
    const source = text(name);
    try {
      return new RegExp(`^(?:${source})$`, "su");
    } catch (cause) {
      return refuse(`${name} is not a regular expression: ${messageOf(cause)}`);
    }
  };
  const explainsOf = {
    "ignore-value": () => isSameType,
    mapped: () => "mapped" as const,
    missing: () =>
      /^headers\/[\w-]+$/i.test(text("path"))
        ? ("missing" as const)
        : refuse("missing explains one header only: path must be such as headers/Set-Cookie"),
    "date-within": () => {
      const { seconds } = rule;
      const isCount = typeof seconds === "number" && seconds >= 0;
      const maxMs = isCount ? seconds * 1_000 : refuse("seconds must be a number from 0");
      return (before: string, now: string) => Math.abs(toInstant(before) - toInstant(now)) <= maxMs;
    },
    matches: () => {
      const old = pattern("old");
      const ours = pattern("ours");
      return (before: string, now: string) => old.test(before) && ours.test(now);
    },
  };
  const kind = text("kind", Object.keys(ownMembers)) as keyof typeof ownMembers;
  const members = [...commonMembers, ...ownMembers[kind]];
  const unknown = Object.keys(rule).find((name) => !members.includes(name));
  if (unknown !== undefined) refuse(`${unknown} is not known. Known are ${members.join(", ")}`);
  if (rule["path"] === "status") refuse("no rule explains another status");
  return {
    name: text("name"),
    reason: text("reason"),
    path: text("path"),
    operation: optional("operation", Object.keys(operations)),
    binding: optional("binding", Object.keys(bindings)),
    explains: explainsOf[kind](),
  };
}
