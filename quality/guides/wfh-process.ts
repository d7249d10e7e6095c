import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { quickFolder } from "@wfh/server/test/quick-folder.ts";
import { root } from "@wfh/server/test/source-files.ts";
import { plainEnvironment } from "@wfh/server/test/test-server.ts";

/** Longest time for a program to write what is waited for, in milliseconds. */
const patienceMs = 30_000;

const children = new Set<ChildProcess>();
const folders: string[] = [];
/** Ends what a failed test left behind, which would keep the process of the tests waiting. */
export function killAll(): void {
  for (const child of children) child.kill("SIGKILL");
}
process.on("exit", () => {
  killAll();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** An empty folder, which is removed when the process of the tests ends. */
export function emptyFolder(): string {
  const folder = mkdtempSync(join(quickFolder, "wfh-guide-"));
  folders.push(folder);
  return folder;
}

/** A program that runs, and all that it has written. */
export interface Running {
  readonly pid: number;
  output(): string;
  /** Resolves to the first group of a pattern, once the output has it. */
  match(pattern: RegExp): Promise<string>;
  kill(): Promise<void>;
}

/** Options of a run. */
interface RunOptions {
  /** Working directory; by default an empty folder. */
  readonly cwd?: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** The command in place of `node main.ts`. */
  readonly command?: readonly string[];
  /** User and group that run it. */
  readonly uid?: number;
}

const main = join(root, "packaging/npm/wfh.ts");

/** Starts `wfh` with words, in a folder of its own. */
export function startWfh(words: readonly string[], options: RunOptions = {}): Running {
  const { cwd = emptyFolder(), settings = {}, command = [process.execPath, main], uid } = options;
  const [program = "", ...first] = command;
  const child = spawn(program, [...first, ...words], {
    cwd,
    env: { ...plainEnvironment, WFH_PORT: "0", WFH_DISK_RESERVE_MB: "0", ...settings },
    stdio: ["ignore", "pipe", "pipe"],
    ...(uid !== undefined && { uid, gid: uid }),
  });
  children.add(child);
  let text = "";
  let noteMore = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
      noteMore.resolve();
      noteMore = Promise.withResolvers();
    });
  }
  const closed = once(child, "close");
  const match = async (pattern: RegExp) => {
    const timeout = AbortSignal.timeout(patienceMs);
    const late = once(timeout, "abort").then(() => "late");
    for (;;) {
      const [whole, group = whole] = pattern.exec(text) ?? [];
      if (group !== undefined) return group;
      const isOver = await Promise.race([noteMore.promise, closed.then(() => "ended"), late]);
      if (isOver !== undefined && !pattern.test(text)) {
        throw new Error(`${isOver} without ${pattern}:\n${text}`);
      }
    }
  };
  return {
    pid: child.pid ?? 0,
    output: () => text,
    match,
    kill: async () => {
      child.kill("SIGKILL");
      await closed;
      children.delete(child);
    },
  };
}

/** Starts a server, waits for a pattern in its output and ends it; resolves to the output. */
export async function serveUntil(awaited: RegExp, options: RunOptions = {}): Promise<string> {
  const server = startWfh(["serve"], options);
  await server.match(awaited).finally(server.kill);
  return server.output();
}

/** Runs `wfh` to its end, and resolves to all that it has written. */
export async function runWfh(words: readonly string[], options: RunOptions = {}): Promise<string> {
  const running = startWfh(words, options);
  // Nothing matches: it ends.
  await running.match(/(?!)/).catch(() => {});
  return running.output();
}
