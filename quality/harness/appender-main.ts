import { writeSync } from "node:fs";
import { openTestStore, pageRequest } from "@wfh/server/test/store/sample.ts";

// A process that appends page requests as fast as it can and writes the id of each to standard
// output once it was acknowledged. It runs until it is killed.

const [url = "", prefix = "", inFlight = "32", mode = "honest"] = process.argv.slice(2);
const { store } = await openTestStore(url);
let sent = 0;

/** Writes a line before it returns: what is in the pipe outlives this process. */
function acknowledge(line: string): void {
  while (true) {
    try {
      writeSync(1, line);
      return;
    } catch (cause) {
      // The pipe is full until the reader has taken some of it.
      if ((cause as NodeJS.ErrnoException).code !== "EAGAIN") throw cause;
    }
  }
}

async function send(): Promise<never> {
  while (true) {
    const requestId = `${prefix}-${++sent}`;
    const appended = store.pageRequests.append(
      pageRequest({ requestId, pageUrl: "/".repeat(100) }),
    );
    if (mode === "honest") await appended;
    acknowledge(`${requestId}\n`);
    // What a lazy server does: it answers first.
    if (mode === "lazy") await appended;
  }
}

await Promise.all(Array.from({ length: Number(inFlight) }, send));
