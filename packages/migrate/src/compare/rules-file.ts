import { CommandError, exitCodes } from "@wfh/cli/io/exit-codes.ts";
import { bindings } from "@wfh/server/contract/bindings.ts";
import { messageOf } from "@wfh/server/lib/file-error.ts";
import { readToml } from "@wfh/server/server/settings/config.ts";
import { operations } from "../services.ts";
import { type FieldRule, isSameType } from "./rules.ts";

type Members = Readonly<Record<string, unknown>>;

/** Members of a rule beside those that every rule has, by its kind. */
const ownMembers: Readonly<Record<string, readonly string[]>> = {
  "ignore-value": [],
  mapped: [],
  matches: ["old", "ours"],
  missing: [],
};
const commonMembers = ["name", "reason", "path", "operation", "binding", "kind"];

/**
 * Reads a file of rules, in TOML.
 *
 * @throws {CommandError} with the rule that is wrong, and what is allowed.
 */
export function readRules(file: string): readonly FieldRule[] {
  let place = "";
  try {
    const { rule: rules, ...rest } = readToml(file, "file of rules");
    place = `${file}: `;
    if (!Array.isArray(rules) || Object.keys(rest).length > 0) {
      throw new Error("It must hold rules and nothing else, each below a line [[rule]]");
    }
    return rules.map((rule, i) => {
      place = `${file}: Rule ${i + 1}: `;
      return toRule(rule);
    });
  } catch (cause) {
    throw new CommandError(`${place}${messageOf(cause)}.`, exitCodes.usage, cause);
  }
}

/** @throws {Error} with what is wrong. */
function toRule(rule: Members): FieldRule {
  const kind = readText(rule, "kind", Object.keys(ownMembers));
  const members = [...commonMembers, ...(ownMembers[kind] ?? [])];
  const unknown = Object.keys(rule).find((name) => !members.includes(name));
  if (unknown !== undefined) {
    throw new Error(`${unknown} is not known. Known are ${members.join(", ")}`);
  }
  const path = readText(rule, "path");
  if (path === "status") throw new Error("no rule explains another status");
  return {
    name: readText(rule, "name"),
    reason: readText(rule, "reason"),
    path,
    operation: readChoice(rule, "operation", Object.keys(operations)),
    binding: readChoice(rule, "binding", Object.keys(bindings)),
    explains: readExplains(rule, kind, path),
  };
}

function readExplains(rule: Members, kind: string, path: string): FieldRule["explains"] {
  if (kind === "mapped") return kind;
  if (kind === "ignore-value") return isSameType;
  if (kind === "missing") {
    if (/^headers\/[\w-]+$/i.test(path)) return kind;
    throw new Error("missing explains one header only: path must be such as headers/Set-Cookie");
  }
  const old = readPattern(rule, "old");
  const ours = readPattern(rule, "ours");
  return (before, now) => old.test(before) && ours.test(now);
}

function readText(rule: Members, name: string, choices?: readonly string[]): string {
  const value = rule[name];
  const isText = typeof value === "string" && value !== "";
  if (isText && choices?.includes(value) !== false) return value;
  const expected = choices === undefined ? "a text" : `one of ${choices.join(", ")}`;
  throw new Error(`${name} must be ${expected}`);
}

/** A text that may be left out. */
function readChoice(rule: Members, name: string, choices: readonly string[]) {
  return rule[name] === undefined ? undefined : readText(rule, name, choices);
}

function readPattern(rule: Members, name: string): RegExp {
  const source = readText(rule, name);
  try {
    return new RegExp(`^(?:${source})$`, "su");
  } catch (cause) {
    throw new Error(`${name} is not a regular expression: ${messageOf(cause)}`, { cause });
  }
}
