import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../test/source-files.ts";

/** The program of another version, with its own packages. */
export interface UnpackedVersion {
  readonly main: string;
  remove(): void;
}

/** Unpacks the files of a commit and installs its packages. */
export function unpackVersion(commit: string): UnpackedVersion {
  const folder = mkdtempSync(join(tmpdir(), "wfh-version-"));
  const files = execFileSync("git", ["archive", commit], { cwd: root, maxBuffer: 2 ** 30 });
  execFileSync("tar", ["-x"], { cwd: folder, input: files });
  execFileSync("npm", ["ci", "--omit=dev", "--no-audit", "--no-fund"], { cwd: folder });
  return {
    main: join(folder, "src/cli/main.ts"),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
