import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { residentOf } from "./process-memory.ts";

/** A process under measurement. */
export interface Measured {
  readonly url: string;
  /** Cpu time it and its workers have used so far, in seconds. */
  cpuSeconds(): number;
  /** Most resident memory it and its workers have had, in MB. */
  peakMb(): number;
  stop(): void;
}

/** True when processes can be bound to cores, as measurements should be. */
export const canPin = (() => {
  try {
    execFileSync("taskset", ["-c", "0", "true"]);
    return true;
  } catch {
    return false;
  }
})();

/** Core that a process has for itself; `any` leaves it on all of them, as an operator would. */
export type Core = number | "any";

const mebibyte = 1_048_576;
/** Clock ticks of /proc in a second; Linux has had 100 on every common machine. */
const ticksPerSecond = 100;

/** Folder of another checkout that is measured beside this one (`--base`); undefined without. */
export const baseFolder: string | undefined = (() => {
  const at = process.argv.indexOf("--base");
  return at < 0 ? undefined : resolve(process.argv[at + 1] ?? "");
})();

/** Arguments of `npm start` in a folder, without the program: measurements use the same. */
export function startWordsOf(folder = "."): readonly string[] {
  const manifest = readFileSync(join(folder, "package.json"), "utf8");
  const { scripts } = JSON.parse(manifest) as { scripts: { start: string } };
  const words = scripts.start.split(" ");
  return words.slice(words.indexOf("node") + 1);
}

/** Starts a checkout's server with its settings, on a free port and a new SQLite database. */
export function startServer(
  core: Core,
  environment: Readonly<Record<string, string>> = {},
  folder?: string,
): Promise<Measured> {
  const settings = { WFH_PORT: "0", WFH_DATABASE_URL: scratchDatabase(), ...environment };
  return startProgramOn(core, [process.execPath, ...startWordsOf(folder)], settings, folder);
}

/** This checkout's server, and the other one's where there is one, each started in its own way. */
export async function startBoth(
  core: Core,
  environmentOf: () => Readonly<Record<string, string>> = () => ({}),
): Promise<{ readonly name: string; readonly server: Measured }[]> {
  const ours = { name: "web-forms-helper", server: await startServer(core, environmentOf()) };
  if (baseFolder === undefined) return [ours];
  const server = await startServer(core, environmentOf(), baseFolder);
  return [{ name: "base", server }, ours];
}

/** Starts a Node.js program on one core and resolves once it has printed its address. */
export function startOn(core: Core, words: readonly string[]): Promise<Measured> {
  return startProgramOn(core, [process.execPath, ...words]);
}

/** As {@link startOn}, for a program of any kind. */
export async function startProgramOn(
  core: Core,
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  folder?: string,
): Promise<Measured> {
  const child = spawnOn(core, command, environment, folder);
  const url = await firstMatch(child, /http:\/\/127\.0\.0\.1:\d+/);
  const pids = () => withWorkers(child.pid);
  return {
    url,
    cpuSeconds: () => cpuSecondsOfAll(child.pid),
    peakMb: () => sumOf(pids().map((pid) => residentOf(pid, "peak") / mebibyte)),
    stop: () => child.kill("SIGKILL"),
  };
}

/**
 * Starts cooperating programs on one core, in order, each ready when it prints its pattern. Their
 * memory is the resident one when read, with shared pages counted once.
 */
export async function startTogetherOn(
  core: Core,
  url: string,
  programs: readonly { readonly command: readonly string[]; readonly readyAt: RegExp }[],
): Promise<Measured> {
  const children: ChildProcess[] = [];
  for (const { command, readyAt } of programs) {
    const child = spawnOn(core, command, {});
    children.push(child);
    await firstMatch(child, readyAt);
  }
  const pids = () => children.flatMap(({ pid }) => withWorkers(pid));
  return {
    url,
    cpuSeconds: () => sumOf(pids().map(cpuSecondsOf)),
    peakMb: () => sumOf(pids().map(proportionalMbOf)),
    // One that has workers takes them along only when it may end by itself.
    stop: () => {
      for (const child of children) child.kill("SIGTERM");
    },
  };
}

/** CPU seconds of a process and its children so far, including those that have ended. */
export function cpuSecondsOfAll(pid: number | undefined): number {
  return sumOf(withWorkers(pid).map(cpuSecondsOf));
}

/** Binds a running process and its children to a core; those that it starts from then on follow. */
export function pinAll(pid: number, core: number): void {
  if (!canPin) return;
  // Workers that have ended since they were listed cannot be bound.
  for (const each of withWorkers(pid)) spawnSync("taskset", ["-acp", String(core), each]);
}

/** A process and those that it has started, as Linux lists them. */
function withWorkers(pid: number | undefined): readonly string[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return [String(pid), ...children.split(" ").filter((text) => text !== "")];
}

function cpuSecondsOf(pid: string): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    // In user and kernel mode, then the same of children that have ended.
    return sumOf(fields.slice(11, 15).map(Number)) / ticksPerSecond;
  } catch {
    // It has ended since it was listed: its parent has its time from then on.
    return 0;
  }
}

function proportionalMbOf(pid: string): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1]) / 1_024;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** Runs a Node.js program on one core to its end and resolves to what it printed. */
export async function runOn(core: Core, words: readonly string[]): Promise<string> {
  const child = spawnOn(core, [process.execPath, ...words], {});
  let out = "";
  child.stdout?.setEncoding("utf8").on("data", (text) => {
    out += text;
  });
  let err = "";
  child.stderr?.setEncoding("utf8").on("data", (text) => {
    err += text;
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}: ${err}`);
  return out;
}

/** Those that run; they end with the benchmark, however that ends. */
const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGTERM");
});

function spawnOn(
  core: Core,
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
  folder?: string,
): ChildProcess {
  const isPinned = canPin && core !== "any";
  const pin = isPinned ? ["taskset", "-c", String(core)] : [];
  const commandLine = [...pin, ...command];
  const [program = "", ...rest] = commandLine;
  const child = spawn(program, rest, {
    env: { ...process.env, ...environment },
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  child.on("exit", () => running.delete(child));
  return child;
}

/** Resolves to the first text that a program prints of a pattern. */
function firstMatch(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let seen = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text) => {
        seen += text;
        const found = pattern.exec(seen)?.[0];
        if (found === undefined) return;
        // What it logs from now on is read and dropped.
        for (const other of [child.stdout, child.stderr])
          other?.removeAllListeners("data").resume();
        resolve(found);
      });
    }
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`It ended with ${code}: ${seen}`)));
  });
}

const scratch = temporaryFolder();
// The user of PostgreSQL must be able to enter.
chmodSync(scratch, 0o755);
let scratchCount = 0;

/** Address of a new SQLite database, which is removed when the program ends. */
export function scratchDatabase(): string {
  scratchCount += 1;
  return `sqlite:${join(scratch, `${scratchCount}.db`)}`;
}

/** A new folder, which is removed when the program ends. */
export function scratchFolder(): string {
  scratchCount += 1;
  const path = join(scratch, String(scratchCount));
  mkdirSync(path);
  return path;
}
