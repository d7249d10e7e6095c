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
  const ignored = compileIgnored(readText(".gitignore"));
  const walk = (folder: string): readonly string[] =>
    readdirSync(root + folder, { withFileTypes: true }).flatMap((entry) => {
      if (ignored.test(entry.name)) return [];
      const path = folder + entry.name;
      return entry.isDirectory() ? walk(`${path}/`) : [path];
    });
  return walk("").toSorted();
}

/** Compiles a `.gitignore` of names, with stars or with a slash at the end, and without paths. */
export function compileIgnored(lines: string): RegExp {
  const names = lines.split("\n").filter((line) => line !== "");
  const patterns = [".git", ...names].map((name) =>
    name.replace(/\/$/, "").replaceAll(".", "\\.").replaceAll("*", ".*"),
  );
  return new RegExp(`^(?:${patterns.join("|")})$`);
}
