import { fileURLToPath } from "node:url";
import { runProgram } from "../harness/programs.ts";
import type { SoapOutcome, SoapTask } from "./soap-client.ts";

/** Name of a file beside this one, as programs are given it. */
export function besideThis(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** Gives a task to a client that takes it as JSON, and reads what it says came of the calls. */
export async function runScript(
  program: string,
  script: string,
  task: SoapTask,
): Promise<readonly SoapOutcome[]> {
  return readOutcomes(
    await runProgram(program, [besideThis(script)], { input: JSON.stringify(task) }),
  );
}

/** Reads what a client says came of its calls. */
export function readOutcomes(json: string): readonly SoapOutcome[] {
  return JSON.parse(json) as readonly SoapOutcome[];
}
