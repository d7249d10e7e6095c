import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
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

/** Makes the npm package in a folder; returns the path of its tarball. `dist` is built anew. */
function pack(folder: string): string {
  run("npm", ["run", "build", "--", "--no-types"]);
  run("npm", ["pack", "./dist", "--pack-destination", folder]);
  return join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "");
}

/**
 * Fills a new folder: the files of the npm package, its dependencies without those for development,
 * and this checkout's Node.js as `bin/node`, with its licence.
 *
 * @param tarball of the npm package.
 */
export function stage(folder: string, tarball: string): void {
  mkdirSync(folder, { recursive: true });
  run("tar", ["-xzf", tarball, "-C", folder, "--strip-components=1"]);
  run("npm", ["ci", "--omit=dev", ...options], folder);
  // Programs are not written against an installed server.
  rmSync(join(folder, "types"), { recursive: true, force: true });
  const node = join(
    root,
    `node_modules/node/node_modules/node-${process.platform}-${process.arch}`,
  );
  copyFileSync(join(node, "bin/node"), join(folder, "bin/node"));
  copyFileSync(join(node, "LICENSE"), join(folder, "bin/node.LICENSE"));
}

/** As {@link stage}, with the npm package of this checkout. */
export function stageCheckout(folder: string): void {
  const scratch = mkdtempSync(join(tmpdir(), "wfh-stage-"));
  try {
    stage(folder, pack(scratch));
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
