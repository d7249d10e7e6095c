import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "@wfh/server/test/source-files.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";

/** Unpacks the files of a commit and installs its packages; returns the path of its program. */
export function unpackVersion(commit: string): string {
  const folder = temporaryFolder();
  const files = execFileSync("git", ["archive", commit], { cwd: root, maxBuffer: 2 ** 30 });
  execFileSync("tar", ["-x"], { cwd: folder, input: files });
  execFileSync("npm", ["ci", "--omit=dev", "--no-audit", "--no-fund"], { cwd: folder });
  const mains = ["packaging/npm/wfh.ts", "src/cli/main.ts"].map((path) => join(folder, path));
  return mains.find(existsSync) ?? "";
}
