import { spawn, spawnSync } from "node:child_process";
import { text } from "node:stream/consumers";

/** Longest run of one program, in milliseconds: most need one or two seconds. */
const patienceMs = 60_000;

/** True when a program is installed and exits with 0. */
export function isRunning(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { timeout: patienceMs }).status === 0;
}

/** Output of a program, on either stream; undefined where it is not installed or fails. */
export function outputOf(program: string, args: readonly string[]): string | undefined {
  const options = { encoding: "utf8", timeout: patienceMs } as const;
  const { status, stdout, stderr } = spawnSync(program, args, options);
  return status === 0 ? stdout + stderr : undefined;
}

/** Options of a program's run. */
interface RunOptions {
  /** Text on its standard input. */
  readonly input?: string;
  /** Its working directory. */
  readonly folder?: string;
}

/** Exit and output of a program. */
interface Ending {
  /** Standard output. */
  readonly output: string;
  readonly errors: string;
  /** Exit code; a signal counts as in shells, 128 and its number. */
  readonly status: number;
}

/**
 * Runs a program to its end; resolves to what it wrote to standard output.
 *
 * @throws {Error} when it does not end well; the error has what it wrote.
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const { status, output, errors } = await runToEnd(program, args, options);
  if (status === 0) return output;
  throw new Error(`${program} ended with ${status}: ${errors}${output}`);
}

/** As {@link runProgram} for Mono; retries once, since its runtime now and then aborts. */
export async function runMono(args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { status, output } = await runToEnd("mono", args, options);
  if (status === 0) return output;
  const program = ["mono", ...args].join(" ");
  if (status === aborted) process.emitWarning(`${program} aborted and is run once more`);
  return runProgram("mono", args, options);
}

/** Exit code of a program that called abort(). */
const aborted = 134;

/** Environment without this machine's proxies and certificates, which clients must not use. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/_proxy$|_CA_BUNDLE$/i.test(name)),
);

async function runToEnd(
  program: string,
  args: readonly string[],
  { input = "", folder }: RunOptions,
): Promise<Ending> {
  const child = spawn(program, args, {
    env: environment,
    cwd: folder,
    stdio: ["pipe", "pipe", "pipe"],
    timeout: patienceMs,
  });
  // A program that ends before it has read everything says by its exit code what was wrong.
  child.stdin.on("error", () => {}).end(input);
  const ended = new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(code ?? (signal === "SIGABRT" ? aborted : 128)));
  });
  const [output, errors, status] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    ended,
  ]);
  return { output, errors, status };
}
