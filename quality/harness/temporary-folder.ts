import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Makes a temporary folder, by default below the system's, removed when the test process ends. */
export function temporaryFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, "wfh-quality-"));
  // A program that is ending may still write.
  process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}
