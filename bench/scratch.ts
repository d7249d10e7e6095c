import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "wfh-bench-"));
let count = 0;
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** Address of a new SQLite database, which is removed when the program ends. */
export function scratchDatabase(): string {
  count += 1;
  return `sqlite:${join(folder, `${count}.db`)}`;
}

/** A new folder, which is removed when the program ends. */
export function scratchFolder(): string {
  count += 1;
  const path = join(folder, String(count));
  mkdirSync(path);
  return path;
}
