import { setImmediate } from "node:timers/promises";

/** Runs work that pauses every few milliseconds, and lets other work of the process run then. */
export async function runInSteps<Result>(steps: Generator<undefined, Result>): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await setImmediate();
  }
}
