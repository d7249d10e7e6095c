import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";

/** A process under measurement. */
export interface Measured {
  readonly url: string;
  /** Cpu time it and its workers, or only some of them, have used so far, in seconds. */
  cpuSeconds(pids?: readonly string[]): number;
  /** Most resident memory it and its workers have had, in MB. */
  peakMb(): number;
  /** It and its workers. */
  pids(): readonly string[];
  stop(): void;
}

/** Whether processes can be bound to cores, as the figures are meant to be taken. */
export const canPin = (() => {
  try {
    execFileSync("taskset", ["-c", "0", "true"]);
    return true;
  } catch {
    return false;
  }
})();

/** The core that a process has for itself; `any` leaves it where an operator would, on all of them. */
export type Core = number | "any";

/** Clock ticks of /proc in a second; Linux has had 100 on every common machine. */
const ticksPerSecond = 100;

/** What `npm start` runs, without the name of the program: the server is measured as it is started. */
export const startWords: readonly string[] = (() => {
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  const { scripts } = JSON.parse(manifest) as { scripts: { start: string } };
  return scripts.start.split(" ").slice(1);
})();

/** Starts a Node.js program on one core and resolves once it has printed its address. */
export function startOn(
  core: Core,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Measured> {
  return startProgramOn(core, [process.execPath, ...words], environment);
}

/** As {@link startOn}, for a program of any kind. */
export async function startProgramOn(
  core: Core,
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Measured> {
  const child = spawnOn(core, command, environment);
  const url = await firstMatch(child, /http:\/\/127\.0\.0\.1:\d+/);
  const pids = () => withWorkers(child.pid);
  return {
    url,
    cpuSeconds: (those = pids()) => sumOf(those.map(cpuSecondsOf)),
    peakMb: () => sumOf(pids().map(peakMbOf)),
    pids,
    stop: () => child.kill("SIGKILL"),
  };
}

/** A program that is one of several under measurement. */
export interface Part {
  readonly command: readonly string[];
  /** What it prints when it serves. */
  readonly readyAt: RegExp;
}

/**
 * Starts programs that serve together, on one core and in their order. Their memory is what they have resident when it is asked
 * for, with pages that several of them share counted once.
 */
export async function startTogetherOn(
  core: Core,
  url: string,
  parts: readonly Part[],
): Promise<Measured> {
  const children: ChildProcess[] = [];
  for (const { command, readyAt } of parts) {
    const child = spawnOn(core, command, {});
    children.push(child);
    await firstMatch(child, readyAt);
  }
  const pids = () => children.flatMap(({ pid }) => withWorkers(pid));
  return {
    url,
    cpuSeconds: (those = pids()) => sumOf(those.map(cpuSecondsOf)),
    peakMb: () => sumOf(pids().map(proportionalMbOf)),
    pids,
    // One that has workers takes them along only when it may end by itself.
    stop: () => {
      for (const child of children) child.kill("SIGTERM");
    },
  };
}

/** A process and those that it has started, as Linux lists them. */
function withWorkers(pid: number | undefined): readonly string[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return [String(pid), ...children.split(" ").filter((text) => text !== "")];
}

function cpuSecondsOf(pid: string): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

function peakMbOf(pid: string): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1_024;
}

function proportionalMbOf(pid: string): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1]) / 1_024;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** Runs a Node.js program on one core to its end and resolves to what it printed; `begun` is told its process. */
export async function runOn(
  core: Core,
  words: readonly string[],
  begun: (pid: string) => void = () => {},
): Promise<string> {
  const child = spawnOn(core, [process.execPath, ...words], {});
  begun(String(child.pid));
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
): ChildProcess {
  const isPinned = canPin && core !== "any";
  const pin = isPinned ? ["taskset", "-c", String(core)] : [];
  const [program = "", ...rest] = [...pin, ...command];
  const child = spawn(program, rest, {
    env: { ...process.env, ...environment },
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
