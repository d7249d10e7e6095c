import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A text file of the repository. */
export interface SourceFile {
  /** From the root of the repository, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** The root of the repository, with a slash at its end. */
export const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Text of a file by its path from the root. */
export function readText(path: string): string {
  return readFileSync(root + path, "utf8");
}

/** Reads the files of some paths. */
export function readFiles(paths: readonly string[]): readonly SourceFile[] {
  return paths.map((path) => ({ path, text: readText(path) }));
}

/** Paths of the repository's files, in order, but ignored ones; `.git` may be a file. */
export function listFiles(): readonly string[] {
  const isIgnored = compileIgnore(`.git\n${readText(".gitignore")}`);
  const walk = (folder: string): readonly string[] =>
    readdirSync(root + folder, { withFileTypes: true }).flatMap((entry) => {
      const path = folder + entry.name;
      if (isIgnored(entry.isDirectory() ? `${path}/` : path)) return [];
      return entry.isDirectory() ? walk(`${path}/`) : [path];
    });
  return walk("").toSorted();
}

/**
 * Compiles the lines of a `.gitignore`. Knows `name`, `folder/`, a star at either end and a leading
 * slash; refuses anything else, so that the walk sees the same files as git.
 */
export function compileIgnore(lines: string): (path: string) => boolean {
  const patterns = lines
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map(patternOf);
  return (path) => patterns.some((pattern) => pattern.test(path));
}

function patternOf(line: string): RegExp {
  const parts = /^(\/?)(\*?)([\w.-]+(?:\/[\w.-]+)*)(\*?)(\/?)$/.exec(line);
  if (parts === null) throw new SyntaxError(`source-files.ts cannot read ${line} of .gitignore`);
  const [, anchor, before, name = "", after, folder] = parts;
  const start = anchor === "/" || name.includes("/") ? "^" : "(?:^|/)";
  const any = (star: string | undefined) => (star === "*" ? "[^/]*" : "");
  const middle = any(before) + name.replaceAll(".", "\\.") + any(after);
  return new RegExp(start + middle + (folder === "/" ? "/" : "/?$"));
}
