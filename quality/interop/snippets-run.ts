import { spawn } from "node:child_process";
import { buffer, text } from "node:stream/consumers";

/** Longest run of one program, in milliseconds; the slowest takes two seconds where nothing else runs. */
const patienceMs = 60_000;

/** What came of a program. */
export interface Ended {
  readonly status: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs a program with a text as its input. It does not block: the server that it calls is in this process. */
export async function runToEnd(
  program: string,
  args: readonly string[],
  { input = "", folder }: { readonly input?: string; readonly folder?: string } = {},
): Promise<Ended> {
  const child = spawn(program, args, {
    stdio: ["pipe", "pipe", "pipe"],
    timeout: patienceMs,
    ...(folder !== undefined && { cwd: folder }),
  });
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const [output, errors, status] = await Promise.all([
    buffer(child.stdout),
    text(child.stderr),
    ended,
  ]);
  return { status, output: output.toString("utf8"), errors };
}

/**
 * As {@link runToEnd}, and resolves to the output.
 *
 * @throws {Error} with all that the program said, when it fails.
 */
export async function runWell(...given: Parameters<typeof runToEnd>): Promise<string> {
  const { status, output, errors } = await runToEnd(...given);
  if (status !== 0) throw new Error(`${given[0]} ended with ${status}: ${errors}${output}`);
  return output;
}
