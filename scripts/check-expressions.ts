// Fails where a regular expression of packages/ takes more than linear time for some text. Caches
// results in node_modules/.cache, so that only new expressions take time.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { compileRest } from "@wfh/server/bindings/rest/rest.ts";
import { restApi } from "@wfh/server/contract/rest-api.ts";
import { listFiles, readFiles, root, type SourceFile } from "@wfh/server/test/source-files.ts";
import { check } from "recheck";
import { codeOnly, lineAt, segmentsOf } from "../quality/house/source-text.ts";

/** A regular expression of the sources. */
export interface Expression {
  /** File, with the line of a literal. */
  readonly where: string;
  /** As a literal. */
  readonly text: string;
}

/** Expressions beyond linear time, by their starts, whose texts are short or never a caller's. */
const bounded: readonly (readonly [path: string, start: string, reason: string])[] = [
  ["packages/server/src/lib/printable.ts", String.raw`/\B(?=`, "the digits of a number"],
  ["packages/cli/src/program.ts", "/^(error: unknown", "the arguments of the command itself"],
  ["packages/cli/src/program.ts", "/^(error: too many", "the arguments of the command itself"],
  [
    "packages/server/src/domain/page-requests/secret-names.ts",
    String.raw`/\d+$/`,
    "100 characters (nameMax)",
  ],
  ["packages/cli/src/imports/region-names.ts", String.raw`/\([^)]*\)/g`, "names of regions"],
  [
    "packages/server/src/metadata/assets/highlight.ts",
    '/(?<name>"',
    "100,000 characters in a browser",
  ],
  [
    "packages/server/src/metadata/assets/highlight.ts",
    "/(?<dim>(?:^|",
    "100,000 characters in a browser",
  ],
  [
    "packages/server/src/metadata/assets/script-proxy-runtime.js",
    '/"[^"',
    "JSON of this server: strings end",
  ],
  ["packages/server/src/metadata/samples/indent.ts", "/(?<=", "looks back at most 200 characters"],
  [
    "packages/server/src/metadata/samples/indent.ts",
    "/<[^>]*>|",
    "documents of this server (codeLengthMax)",
  ],
  [
    "packages/server/src/metadata/samples/outcome.ts",
    String.raw`/[,\s]+(`,
    "a sentence of this server",
  ],
  ["packages/server/src/metadata/wsdl.ts", String.raw`/<([\w:]+)`, "a document of this server"],
  [
    "packages/migrate/src/compare/known-differences.ts",
    "/(?:^|[?&",
    "linear: each alternative is by itself",
  ],
  ["packages/migrate/src/harvest/old-server.ts", "/<style", "its start alone (searchedCharacters)"],
  [
    "packages/server/src/server/settings/config.ts",
    String.raw`/(\/\/[^`,
    "a value of the settings",
  ],
  ["packages/server/src/store/migrate.ts", String.raw`/\n\s*\)`, "SQL of this program"],
];

/** Files that build expressions when they are called, or for texts that no caller writes. */
const builtElsewhere: readonly (readonly [path: string, reason: string])[] = [
  ["packages/cli/src/commands/page-requests/import.ts", "a pattern of the command line"],
  ["packages/cli/src/commands/status/status.ts", "finds a metric of this server"],
  ["packages/server/src/lib/file-error.ts", "finds a user in /etc/passwd"],
  ["packages/migrate/src/compare/rules-file.ts", "written by the operator"],
];

/** Bundles are made of other sources. */
const derived = /^packages\/server\/src\/metadata\/(?:page-scripts|assets\/bundle)\.ts$/;

/** The literals of a file. */
export function literalsOf({ path, text }: SourceFile): readonly Expression[] {
  return segmentsOf(text)
    .filter(({ kind }) => kind === "regex")
    .map(({ start, end }) => ({
      where: `${path}:${lineAt(text, start)}`,
      text: text.slice(start, end),
    }));
}

/** Runs code and returns the expressions that files of the sources build meanwhile. */
async function recordBuilt(run: () => unknown): Promise<readonly Expression[]> {
  const original = globalThis.RegExp;
  const built: Expression[] = [];
  const construct: ProxyHandler<RegExpConstructor>["construct"] = (target, args) => {
    const made: unknown = Reflect.construct(target, args);
    // The first line names the error, the second this function.
    const caller = new Error("called").stack?.split("\n")[2] ?? "";
    const at = caller.indexOf(root);
    const [path = ""] = at < 0 ? [] : caller.slice(at + root.length).split(":", 1);
    if (/^packages\/\w+\/src\//.test(path)) built.push({ where: path, text: String(made) });
    return made as object;
  };
  globalThis.RegExp = new Proxy(original, { construct });
  try {
    await run();
  } finally {
    globalThis.RegExp = original;
  }
  return built;
}

/** Expressions that files build when they are loaded, and those of REST. */
async function listBuilt(files: readonly SourceFile[]): Promise<{
  readonly built: readonly Expression[];
  readonly problems: readonly string[];
}> {
  const paths = files
    .filter(({ text }) => codeOnly(text).includes("new RegExp("))
    .map(({ path }) => path);
  const all = await recordBuilt(async () => {
    for (const path of paths) await import(root + path);
    compileRest(restApi, { version: () => "" });
  });
  const elsewhere = builtElsewhere.map(([path]) => path);
  const known = new Set([...all.map(({ where }) => where), ...elsewhere]);
  return {
    built: all.filter(({ where }) => !elsewhere.includes(where)),
    problems: [
      ...paths
        .filter((path) => !known.has(path))
        .map((path) => `${path} builds an expression that is not checked: list it with a reason`),
      ...elsewhere
        .filter((path) => !paths.includes(path))
        .map((path) => `${path} builds no expression: remove it from the list`),
    ],
  };
}

/** True where no part repeats: such an expression takes the same time at each position. */
function repeatsNothing(text: string): boolean {
  const signs = text.replace(/\\./g, "").replace(/\[[^\]]*\]/g, "");
  return !/[*+]|\{\d+,/.test(signs);
}

/**
 * Describes an expression's weakness; undefined where it takes linear time for any text.
 *
 * @example await findWeakness("/a*a*b/"); // "2nd degree polynomial, as for 'a'.repeat(54773)"
 */
export async function findWeakness(text: string): Promise<string | undefined> {
  if (repeatsNothing(text)) return undefined;
  const end = text.lastIndexOf("/");
  const found = await check(text.slice(1, end), text.slice(end + 1), {
    timeout: timeoutMs,
    ...countedLimits,
  });
  if (found.status === "safe") return undefined;
  if (found.status === "unknown") return `not known: ${found.error.kind}`;
  return `${found.complexity.summary}, as for ${found.attack.pattern}`;
}

const advice =
  "Write these regular expressions so that they take linear time, or list them in scripts/check-expressions.ts with the reason why their texts are short:";

/** Time for one expression, in milliseconds; the slowest takes 2 s on an idle machine. */
const timeoutMs = 60_000;

/** Limits attacks by characters read, not by time, which a busy machine would exceed. */
const countedLimits = { attackTimeout: null, incubationTimeout: null, seedingTimeout: null };

const cacheFolder = `${root}node_modules/.cache/expressions`;
const cacheFile = `${cacheFolder}/safe.json`;

function readCache(): Set<string> {
  try {
    return new Set(JSON.parse(readFileSync(cacheFile, "utf8")) as string[]);
  } catch {
    return new Set();
  }
}

async function findProblems(): Promise<readonly string[]> {
  const files = readFiles(
    listFiles().filter(
      (path) =>
        /^packages\/\w+\/src\/.*\.[jt]s$/.test(path) &&
        !/\.test\.ts$/.test(path) &&
        !derived.test(path),
    ),
  );
  const { built, problems } = await listBuilt(files);
  const unused = new Set(bounded);
  const safe = readCache();
  const weak: string[] = [];
  for (const { where, text } of [...files.flatMap(literalsOf), ...built]) {
    const [path = ""] = where.split(":", 1);
    const entry = bounded.find(([of, start]) => of === path && text.startsWith(start));
    if (entry !== undefined) unused.delete(entry);
    if (entry !== undefined || safe.has(text)) continue;
    const weakness = await findWeakness(text);
    if (weakness === undefined) safe.add(text);
    else weak.push(`${where} ${text} takes more than linear time: ${weakness}`);
  }
  mkdirSync(cacheFolder, { recursive: true });
  writeFileSync(cacheFile, JSON.stringify([...safe]));
  const needless = [...unused].map(([path, start]) => `${path} has no ${start}: remove it here`);
  return [...problems, ...weak, ...needless];
}

if (import.meta.main) {
  const problems = await findProblems();
  if (problems.length > 0) console.error(advice);
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
