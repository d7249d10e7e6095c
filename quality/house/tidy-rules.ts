import type { SourceFile } from "@wfh/server/test/source-files.ts";
import { codeOnly, commentsOf, importsOf, lineAt, segmentsOf } from "./source-text.ts";

/** A rule about one file: lists its breaches, one sentence each, with the line if there is one. */
export type Rule = (file: SourceFile) => readonly string[];

const drawers = ["utils", "util", "helpers", "helper", "common", "types", "misc"];

/** Names say what is inside: no drawers. */
const hasTellingName: Rule = ({ path }) =>
  path
    .split("/")
    .filter((name) => drawers.includes(name.split(".", 1)[0] ?? ""))
    .map((name) => `${path}: ${name} does not say what is inside`);

const reExport = /^export\s+(?:type\s+)?(?:\*|\{[^}]*\}\s*from\b)/;
const exported = /^export\s+(?:(?:default|declare|abstract|async)\s+)*[a-z]+\*?\s+([\w$]+)/;

/** Every export has a docstring directly above it, where it is declared. */
const documentsExports: Rule = ({ path, text }) => {
  const code = codeOnly(text);
  const seen = new Set<string>();
  return [...code.matchAll(/^export\b/gm)].flatMap(({ index }) => {
    const statement = code.slice(index);
    if (reExport.test(statement)) return [];
    const name = exported.exec(statement)?.[1];
    if (name === undefined) return [`${path}:${lineAt(text, index)} exports at a distance`];
    // A further signature of an overloaded function shares the docstring of the first.
    const isKnown = seen.has(name);
    seen.add(name);
    if (isKnown || hasDocstring(text, index)) return [];
    return [`${path}:${lineAt(text, index)} exports ${name} without a docstring`];
  });
};

function hasDocstring(text: string, index: number): boolean {
  const before = segmentsOf(text).findLast(({ end }) => end <= index);
  if (before?.kind !== "comment" || text.slice(before.end, index) !== "\n") return false;
  const comment = text.slice(before.start, before.end);
  // A suppression may stand between the docstring and what it describes.
  if (comment.startsWith("//")) return hasDocstring(text, before.start);
  return comment.startsWith("/**") && /\w.{6}/s.test(comment);
}

const suppression = /(?:biome-ignore[^:]*:?|@ts-expect-error:?)(.*)/s;

/** A finding of the checkers is switched off for a reason, never altogether. */
const explainsSuppressions: Rule = ({ path, text }) =>
  commentsOf(text).flatMap((comment) => {
    if (/@ts-(?:[i]gnore|nocheck)/.test(comment.text)) {
      return [`${path}:${comment.line} switches the type checker off`];
    }
    const reason = suppression.exec(comment.text)?.[1];
    if (reason === undefined || /\w+\W+\w+/.test(reason)) return [];
    return [`${path}:${comment.line} suppresses a finding without a reason`];
  });

const mark = /\b(?:TO[D]O|FIX[M]E|X[X]X|HA[C]K)\b/g;

/** Nothing is left open: what is to be done is in an issue. */
const leavesNothingOpen: Rule = ({ path, text }) =>
  [...text.matchAll(mark)].map(
    ({ 0: found, index }) => `${path}:${lineAt(text, index)} leaves something open: ${found}`,
  );

const statementLine = /(?:^|\s)[\w$.[\]]+(?:\s*=|\()[^;]*;$|^[})\]]+[;,]?$|[)=]>?\s*\{$/;

/** Code that does not run is deleted; git has it. */
const hasNoDeadCode: Rule = ({ path, text }) =>
  commentsOf(text)
    .filter((comment) => !comment.text.startsWith("/**"))
    .flatMap((comment) =>
      comment.text
        .split("\n")
        .map((line) => line.replace(/^\s*(?:\/\/|\/?\*+)|\*\/$/g, "").trim())
        .flatMap((line, offset) =>
          statementLine.test(line) ? [`${path}:${comment.line + offset} is code in a comment`] : [],
        ),
    );

const vagueStart = /^\/\*\*[\s*]*(What|How|Whether)\b/;
const columnsMax = 100;

/** Comments are no wider than code, and docstrings begin with a verb or the thing they describe. */
const writesPlainComments: Rule = ({ path, text }) => {
  const lines = text.split("\n");
  return commentsOf(text).flatMap((comment) => {
    const start = vagueStart.exec(comment.text)?.[1];
    const vague = start ? [`${path}:${comment.line} begins a docstring with ${start}`] : [];
    const wide = comment.text
      .split("\n")
      .map((_, offset) => comment.line + offset)
      .filter((line) => (lines[line - 1] ?? "").length > columnsMax)
      .map((line) => `${path}:${line} has a comment beyond column ${columnsMax}`);
    return vague.concat(wide);
  });
};

const testCall = /\b(?:test|it|describe|suite)\s*(?:\.\s*\w+\s*)?\(\s*/g;
const ticket = /(?:^|\s)#\d+|\b(?:issue|ticket|bug|gh|pr)[- #]?\d+\b/i;

/** A test is named after what it promises, not after the ticket that asked for it. */
const namesTestsByRule: Rule = ({ path, text }) => {
  const code = codeOnly(text);
  const names = segmentsOf(text).filter(({ kind }) => kind === "string" || kind === "template");
  return [...code.matchAll(testCall)].flatMap(({ 0: call, index }) => {
    // Blanks of the code may be the name itself, so it begins after the bracket at the earliest.
    const bracket = index + call.indexOf("(");
    const name = names.find(({ start }) => start > bracket);
    if (name === undefined || text.slice(bracket + 1, name.start).trim() !== "") return [];
    const found = ticket.exec(text.slice(name.start + 1, name.end - 1));
    if (found === null) return [];
    return [`${path}:${lineAt(text, index)} is named after a ticket: ${found[0].trim()}`];
  });
};

const shortcut = /\.\s*(s[k]ip|o[n]ly|t[o]do)\s*\(|\b(s[k]ip|o[n]ly|t[o]do)\s*:/g;

/** A test that does not run says why, and no test runs alone. */
const explainsSkips: Rule = ({ path, text }) => {
  const code = codeOnly(text);
  return [...code.matchAll(shortcut)].flatMap(({ 0: found, 1: method, 2: option, index }) => {
    const word = method ?? option;
    const argument = text.slice(index + found.length).trimStart();
    const receiver = /[\w$]*$/.exec(code.slice(0, index))?.[0] ?? "";
    const isReasonGiven =
      /^s[k]ip$/.test(word ?? "") &&
      (method === undefined
        ? !/^(?:true|1)\b/.test(argument)
        : /^["'`]/.test(argument) && !/^(?:test|it|describe|suite)$/.test(receiver));
    return isReasonGiven ? [] : [`${path}:${lineAt(text, index)} uses ${word} without a reason`];
  });
};

const workplace = /\/wor[k]\/|\/far[m]\/|\b[f]arm-|registry\.[n]pmjs|deb\.[d]ebian|sub[a]gent/g;

/** Nothing tells of the machines the code was written on. */
const keepsWorkplaceOut: Rule = ({ path, text }) =>
  [...text.matchAll(workplace)].map(
    ({ 0: found, index }) => `${path}:${lineAt(text, index)} tells of the workplace: ${found}`,
  );

const pastedSql = /\.(?:query|exec|prepare)\(\s*`(?!PRAGMA )[^`]*?(?:'|[=<>(,]\s*)\$\{/g;

/** Values are bound, never written into SQL; only a PRAGMA of SQLite takes no parameters. */
const bindsValues: Rule = ({ path, text }) => {
  const isShown = segmentsOf(text).filter(({ kind }) => kind === "comment");
  return [...text.matchAll(pastedSql)]
    .filter(({ index }) => !isShown.some(({ start, end }) => start <= index && index < end))
    .map(({ index }) => `${path}:${lineAt(text, index)} writes a value into SQL`);
};

const typeImport = /^import type\b[^;]*;$/gm;

/** A migration imports only types and its neighbours: today's lists of columns may change. */
const freezesMigrations: Rule = ({ path, text }) =>
  importsOf(text.replace(typeImport, ""))
    .filter((specifier) => !specifier.startsWith("./"))
    .map((specifier) => `${path} depends on ${specifier}, which may change`);

/** All rules by their names. */
export const rules = {
  hasTellingName,
  documentsExports,
  explainsSuppressions,
  leavesNothingOpen,
  hasNoDeadCode,
  writesPlainComments,
  namesTestsByRule,
  explainsSkips,
  keepsWorkplaceOut,
  freezesMigrations,
  bindsValues,
} as const satisfies Record<string, Rule>;

/**
 * Finds exported names that files define more than once: a name has one meaning, and where two
 * areas need the same noun it gets its owner's name.
 *
 * @param shared names that several files may define, each with the reason.
 */
export function findRepeatedExports(
  files: readonly SourceFile[],
  shared: Readonly<Record<string, string>>,
): readonly string[] {
  const definitions = new Map<string, Set<string>>();
  for (const { path, text } of files) {
    const code = codeOnly(text);
    for (const { index } of code.matchAll(/^export\b/gm)) {
      const name = exported.exec(code.slice(index))?.[1];
      if (name === undefined) continue;
      definitions.set(name, (definitions.get(name) ?? new Set()).add(path));
    }
  }
  const repeated = [...definitions].filter(
    ([name, paths]) => paths.size > 1 && !Object.hasOwn(shared, name),
  );
  const stale = Object.keys(shared).filter((name) => (definitions.get(name)?.size ?? 0) < 2);
  return [
    ...repeated.map(([name, paths]) => `${name} is exported by ${[...paths].join(", ")}`),
    ...stale.map((name) => `${name} is exported once and needs no exception`),
  ];
}
