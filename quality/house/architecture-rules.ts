import { posix } from "node:path";
import type { SourceFile } from "@wfh/server/test/source-files.ts";
import { codeOnly, importsOf, lineAt } from "./source-text.ts";

/** Allowed imports. Folders and files are those directly in `packages/server/src/`. */
export interface Architecture {
  /** Imports that each folder and root file may have besides itself. Others may not exist. */
  readonly mayImport: Readonly<Record<string, readonly string[]>>;
  /** Who may import the modules of Node. */
  readonly nodeModules: readonly string[];
  /** Who may import which package, by folder or by file. */
  readonly packages: Readonly<Record<string, readonly string[]>>;
  /** The one file that reads the environment. */
  readonly environment: string;
  /** Folders without a clock and without chance of their own. */
  readonly timeless: readonly string[];
  /** Folder of code that runs in browsers, which may use their clock. */
  readonly browser: string;
}

/** Finds breaches of the architecture, one sentence each, with paths from there. */
export function findBreaches(
  files: readonly SourceFile[],
  architecture: Architecture,
): readonly string[] {
  const code = files.filter(({ path }) => !isTest(path));
  return [
    ...files.flatMap(({ path }) => misplaced(path, code, architecture)),
    ...code.flatMap((file) => forbiddenImports(file, architecture)),
    ...code.flatMap((file) => forbiddenWords(file, architecture)),
    ...findCycles(code),
  ];
}

function isTest(path: string): boolean {
  return path.endsWith(".test.ts");
}

function topOf(path: string): string {
  return path.split("/", 1)[0] ?? path;
}

function misplaced(
  path: string,
  code: readonly SourceFile[],
  { mayImport }: Architecture,
): readonly string[] {
  if (isTest(path)) {
    const folder = posix.dirname(path);
    const hasCode = code.some((file) => posix.dirname(file.path) === folder);
    return hasCode ? [] : [`${path} does not lie beside the code that it tests`];
  }
  return Object.hasOwn(mayImport, topOf(path)) ? [] : [`${path} is not in the table of imports`];
}

function forbiddenImports(
  { path, text }: SourceFile,
  architecture: Architecture,
): readonly string[] {
  const top = topOf(path);
  return importsOf(text)
    .filter((specifier) => {
      if (specifier.startsWith("node:")) return !architecture.nodeModules.includes(top);
      if (!specifier.startsWith(".")) return !packagesOf(path, architecture).includes(specifier);
      const target = targetOf(path, specifier);
      const allowed = [top, ...(architecture.mayImport[top] ?? [])];
      return isTest(target) || !allowed.includes(topOf(target));
    })
    .map((specifier) => {
      const target = specifier.startsWith(".") ? targetOf(path, specifier) : specifier;
      return `${path} must not import ${target}`;
    });
}

function packagesOf(path: string, { packages }: Architecture): readonly string[] {
  return [...(packages[topOf(path)] ?? []), ...(packages[path] ?? [])];
}

function targetOf(path: string, specifier: string): string {
  return posix.join(posix.dirname(path), specifier);
}

const environment = /\bprocess\s*(?:\.\s*env\b|\[)|\benv\b[^{}]*\}\s*=\s*process\b/g;
const nodeModule = /\bgetBuiltinModule\b/g;
const clockOrChance =
  /\bDate\s*\.\s*now\b|\bnew\s+Date\b(?!\s*\(\s*[^\s)])|\bMath\s*\.\s*random\b|\bperformance\s*\.\s*now\b|\bcrypto\s*\.\s*(?:randomUUID|getRandomValues)\b/g;

function forbiddenWords({ path, text }: SourceFile, architecture: Architecture): readonly string[] {
  const code = codeOnly(text);
  const found = (pattern: RegExp, where: string) =>
    [...code.matchAll(pattern)].map(
      ({ 0: word, index }) => `${path}:${lineAt(code, index)} must not use ${word}: ${where}`,
    );
  return [
    ...(path === architecture.environment
      ? []
      : found(environment, `the environment is read in ${architecture.environment}`)),
    ...(architecture.nodeModules.includes(topOf(path))
      ? []
      : found(nodeModule, "modules of Node are for the edges")),
    ...(architecture.timeless.includes(topOf(path)) && !path.startsWith(architecture.browser)
      ? found(clockOrChance, "clock and randomness are passed in")
      : []),
  ];
}

/** Import cycles, values and types alike; each is told once, from its first file by name. */
function findCycles(files: readonly SourceFile[]): readonly string[] {
  const targets = new Map(
    files.map(({ path, text }) => [
      path,
      importsOf(text).flatMap((specifier) =>
        specifier.startsWith(".") ? targetOf(path, specifier) : [],
      ),
    ]),
  );
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const seen = trail.indexOf(path);
    if (seen >= 0) cycles.push(`Import cycle: ${[...trail.slice(seen), path].join(" -> ")}`);
    if (seen >= 0 || done.has(path)) return;
    for (const target of targets.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of [...targets.keys()].toSorted()) visit(path, []);
  return cycles;
}
