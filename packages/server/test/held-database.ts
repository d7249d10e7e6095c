import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import type { TestContext } from "node:test";

/** Blocks a process that opens a SQLite file, like an unresponsive disk; returns the release. */
export function holdOpening(t: TestContext, databaseUrl: string): () => Promise<void> {
  // SQLite opens a journal that another program left, and a pipe is opened once it has a writer.
  const journal = `${databaseUrl.slice("sqlite:".length)}-journal`;
  execFileSync("mkfifo", [journal]);
  let held: Promise<void> | undefined;
  const letGo = async () => {
    // The folder of the test may be gone.
    if (!existsSync(journal)) return;
    // For writing alone it would wait for a reader.
    const pipe = await open(journal, "r+");
    rmSync(journal);
    await pipe.close();
  };
  const release = () => {
    held ??= letGo();
    return held;
  };
  t.after(release);
  return release;
}
