import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** Longest wait for output or for the end, in milliseconds: only a program that hangs needs it. */
const patienceMs = 60_000;

const children = new Set<ChildProcess>();
process.on("exit", killPrograms);

/** Kills programs that failed tests left running: they would keep the test process alive. */
export function killPrograms(): void {
  for (const child of children) child.kill("SIGKILL");
}

/** Options of a program. */
export interface ProgramOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Working directory. */
  readonly cwd?: string | undefined;
  /** User and group that run it. */
  readonly uid?: number | undefined;
  /** Descriptor of a socket that it gets as its own descriptor 3. */
  readonly socket?: number | undefined;
  /** Takes each complete line of standard output. */
  readonly onLine?: (line: string) => void;
}

/** A program in a process of its own. */
export interface RunningProgram {
  readonly pid: number;
  /** Text that it has written so far, on standard output and standard error. */
  output(): string;
  /**
   * Resolves to the first group of a pattern, or to the whole match, once the output has it.
   *
   * @param from length of the output in which it is not looked for.
   */
  match(pattern: RegExp, from?: number): Promise<string>;
  /** Resolves to what a function finds, which is called whenever there is more output. */
  until<Found>(find: () => Found | undefined, wanted: string): Promise<Found>;
  signal(name: NodeJS.Signals): void;
  /** True once it has ended. */
  isOver(): boolean;
  /** Resolves to the exit code, null after a signal; kills a program that takes a minute. */
  ended(): Promise<number | null>;
  kill(): Promise<void>;
}

/** Starts a program and follows its output. */
export function startProgram(
  [command = "", ...words]: readonly string[],
  { env, cwd, uid, socket, onLine }: ProgramOptions = {},
): RunningProgram {
  const child = spawn(command, words, {
    env,
    cwd,
    stdio: ["ignore", "pipe", "pipe", socket ?? "ignore"],
    ...(uid !== undefined && { uid, gid: uid }),
  });
  children.add(child);
  let text = "";
  let isOver = false;
  let more = Promise.withResolvers<void>();
  const wake = () => {
    more.resolve();
    more = Promise.withResolvers();
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      wake();
    });
  }
  if (onLine !== undefined) passLines(child, onLine);
  child.once("error", ({ message }) => {
    text += message;
  });
  const closed = new Promise<number | null>((resolve) => {
    child.once("close", (code) => {
      isOver = true;
      children.delete(child);
      wake();
      resolve(code);
    });
  });
  const until: RunningProgram["until"] = async (find, wanted) => {
    let isLate = false;
    const late = once(AbortSignal.timeout(patienceMs), "abort").then(() => {
      isLate = true;
    });
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      if (isOver) throw new Error(`${command} ended without ${wanted}:\n${text}`);
      if (isLate) throw new Error(`${command} does not write ${wanted}:\n${text}`);
      await Promise.race([more.promise, late]);
    }
  };
  return {
    pid: child.pid ?? 0,
    output: () => text,
    match: (pattern, from = 0) =>
      until(() => {
        const [whole, group = whole] = pattern.exec(text.slice(from)) ?? [];
        return group;
      }, String(pattern)),
    until,
    signal: (name) => child.kill(name),
    isOver: () => isOver,
    ended: async () => {
      const timer = setTimeout(() => child.kill("SIGKILL"), patienceMs);
      return closed.finally(() => clearTimeout(timer));
    },
    kill: async () => {
      child.kill("SIGKILL");
      await closed;
    },
  };
}

/** Passes on lines of standard output; the last one only when it has its end. */
function passLines({ stdout }: ChildProcess, onLine: (line: string) => void): void {
  let rest = "";
  // Ahead of those who wait for more output.
  stdout?.prependListener("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  });
}
