import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A new folder, which is removed when the process of the tests ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "wfh-interop-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
