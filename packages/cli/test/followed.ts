import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { after } from "node:test";
import { plainEnvironment } from "@wfh/server/test/test-server.ts";
import { program } from "./wfh-process.ts";

/** A line of a follower, as far as tests look at it. */
export interface FollowedLine {
  readonly id: number;
  readonly requestId: string;
}

/** Starts `wfh page-requests follow` on a database. */
export function startFollowing(databaseUrl: string, words: readonly string[]) {
  const child = spawn(process.execPath, [program, "page-requests", "follow", ...words], {
    env: { ...plainEnvironment, WFH_DATABASE_URL: databaseUrl },
    stdio: ["ignore", "pipe", "pipe"],
  });
  // A test that fails leaves none behind.
  after(() => child.kill("SIGKILL"));
  const messages = createInterface({ input: child.stderr })[Symbol.asyncIterator]();
  return {
    child,
    lines: completeLines(child.stdout),
    /** Resolves with the next message that matches. */
    said: async (wanted: RegExp): Promise<string> => {
      for (;;) {
        const { value, done } = await messages.next();
        if (done === true) throw new Error(`Nothing was said like ${wanted}`);
        if (wanted.test(value)) return value;
      }
    },
    ended: once(child, "exit") as Promise<[code: number | null, signal: string | null]>,
  };
}

/** The lines that have a line end, without a last one that a kill has cut. */
async function* completeLines(output: Readable): AsyncGenerator<FollowedLine> {
  let rest = "";
  for await (const text of Readable.from(output).setEncoding("utf8")) {
    const lines = `${rest}${text}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line);
  }
}
