import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A new folder, which is removed when the process of the tests ends; by default below that of temporary files. */
export function temporaryFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, "wfh-quality-"));
  // A program that is ending may still write.
  process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}
