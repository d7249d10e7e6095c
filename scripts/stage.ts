import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/*
 * Puts the program and its dependencies into a folder, for the Debian package and container.
 *
 *   node scripts/stage.ts FOLDER
 */

const root = fileURLToPath(new URL("../", import.meta.url));
const options = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];

/** Runs a command; its output goes to standard error. Throws an Error when it fails. */
export function run(command: string, words: readonly string[], cwd = root): void {
  execFileSync(command, words, { cwd, stdio: ["ignore", 2, 2] });
}

/** Makes the npm package in an empty folder; returns the path. `dist` is built anew. */
export function packProgram(folder: string, ...buildOptions: readonly string[]): string {
  run("npm", ["run", "build", "--", ...buildOptions]);
  return packTarball("./dist", folder);
}

/** Lets npm pack a package into a folder without other packages; returns the path. */
function packTarball(name: string, folder: string): string {
  run("npm", ["pack", name, "--pack-destination", folder]);
  return join(folder, readdirSync(folder).find((file) => file.endsWith(".tgz")) ?? "");
}

/**
 * Fills a new folder: the files of the npm package, its dependencies without those for development,
 * and this checkout's Node.js as `bin/node`, with its licence.
 *
 * @param tarball of the npm package.
 * @param cpu that the folder is for, as Node.js names it.
 * @throws {Error} when npm has no Node.js for it.
 */
export function stage(folder: string, tarball: string, cpu: string = process.arch): void {
  mkdirSync(folder, { recursive: true });
  run("tar", ["-xzf", tarball, "-C", folder, "--strip-components=1"]);
  run("npm", ["ci", "--omit=dev", `--cpu=${cpu}`, ...options], folder);
  // Programs are not written against an installed server.
  rmSync(join(folder, "types"), { recursive: true, force: true });
  removeUnneeded(join(folder, "node_modules"));
  placeNode(folder, cpu);
}

/** Copies Node.js of this checkout's version: its own, or that of another processor from npm. */
function placeNode(folder: string, cpu: string): void {
  const name = `node-${process.platform}-${cpu}`;
  const own = join(root, "node_modules/node/node_modules", name);
  const scratch = `${folder}.node`;
  if (!existsSync(own)) {
    mkdirSync(scratch);
    const tarball = packTarball(`${name}@${process.versions.node}`, scratch);
    run("tar", ["-xzf", tarball, "-C", scratch]);
  }
  const node = existsSync(own) ? own : join(scratch, "package");
  copyFileSync(join(node, "bin/node"), join(folder, "bin/node"));
  copyFileSync(join(node, "LICENSE"), join(folder, "bin/node.LICENSE"));
  rmSync(scratch, { recursive: true, force: true });
}

/** Folders of dependencies that have nothing of a program, beside their `package.json`. */
const unneeded = new Set(["test", "tests", "benchmarks", "docs", "examples"]);

/** Removes tests of dependencies with their fixtures, and what else a program does not need. */
function removeUnneeded(modules: string): void {
  for (const entry of readdirSync(modules, { recursive: true, withFileTypes: true })) {
    const { name, parentPath } = entry;
    const isFolder = unneeded.has(name) && existsSync(join(parentPath, "package.json"));
    if (isFolder || name.includes(".test.")) {
      rmSync(join(parentPath, name), { recursive: true, force: true });
    }
  }
}

/** As {@link stage}, with the npm package of this checkout. */
export function stageCheckout(folder: string, cpu?: string): void {
  const scratch = mkdtempSync(join(tmpdir(), "wfh-stage-"));
  try {
    stage(folder, packProgram(scratch, "--no-types"), cpu);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) {
    console.error("usage: node scripts/stage.ts FOLDER (a new one)");
    process.exitCode = 2;
  } else {
    stageCheckout(folder);
  }
}
