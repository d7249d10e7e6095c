import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../source-files.ts";

/** The program of another version, with the packages of this one. */
export interface UnpackedVersion {
  readonly main: string;
  remove(): void;
}

/** Unpacks the files of a commit. */
export function unpackVersion(commit: string): UnpackedVersion {
  const folder = mkdtempSync(join(tmpdir(), "wfh-version-"));
  const files = execFileSync("git", ["archive", commit, "package.json", "src", "browser", "data"], {
    cwd: root,
    maxBuffer: 2 ** 30,
  });
  execFileSync("tar", ["-x"], { cwd: folder, input: files });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return {
    main: join(folder, "src/cli/main.ts"),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
