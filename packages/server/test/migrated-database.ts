import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { openAdmin } from "../src/store/admin/open-admin.ts";
import { listFiles, readFiles, root } from "./source-files.ts";

const folder = join(root, "node_modules/.cache");

/** A database that has the current schema, kept until a migration changes. */
const template = join(folder, `migrated-${hashMigrations()}.db`);

function hashMigrations(): string {
  const files = readFiles(
    listFiles().filter((path) => path.startsWith("packages/server/src/store/migrations/")),
  );
  const text = files.map((file) => file.text).join();
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

if (!existsSync(template)) {
  mkdirSync(folder, { recursive: true });
  // Other test files may be at it as well.
  const draft = `${template}.${process.pid}`;
  await (await openAdmin(`sqlite:${draft}`, "write", () => 0)).close();
  renameSync(draft, template);
}

/** Copies a migrated SQLite database to a path: a migration takes longer than most tests. */
export function copyMigratedDatabase(file: string): void {
  copyFileSync(template, file);
}
