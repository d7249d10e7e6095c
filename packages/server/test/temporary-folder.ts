import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folders: string[] = [];
process.on("exit", () => {
  // A program that is ending may still write.
  const options = { recursive: true, force: true, maxRetries: 10 };
  for (const folder of folders) rmSync(folder, options);
});

/** Makes a temporary folder, by default below the system's, removed when the test process ends. */
export function temporaryFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, "wfh-test-"));
  folders.push(folder);
  return folder;
}
