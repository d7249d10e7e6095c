import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { startWords } from "./processes.ts";
import { median, renderMarkdown } from "./results.ts";
import { scratchDatabase } from "./scratch.ts";

const heading = ["start", "first response, ms (median)", "slowest", "resident MB after it"];

/** From the start of the process to the first right response, and the memory it then holds: on a new database, and on an existing one. */
export async function benchStartUp(rounds: number): Promise<string> {
  const existing = scratchDatabase();
  await startOnce(20_000, existing);
  const rows: string[][] = [];
  for (const [name, databaseOf] of [
    ["first, creates the database", scratchDatabase],
    ["any later one", () => existing],
  ] as const) {
    const times: number[] = [];
    const memory: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      const { ms, residentMb } = await startOnce(20_000 + round, databaseOf());
      times.push(ms);
      memory.push(residentMb);
    }
    const slowest = Math.max(...times).toFixed(0);
    rows.push([name, median(times).toFixed(0), slowest, median(memory).toFixed(0)]);
  }
  return renderMarkdown([heading, ...rows]);
}

async function startOnce(
  port: number,
  databaseUrl: string,
): Promise<{ ms: number; residentMb: number }> {
  const started = performance.now();
  const child = spawn(process.execPath, startWords, {
    env: { ...process.env, WFH_PORT: String(port), WFH_DATABASE_URL: databaseUrl },
    stdio: "ignore",
  });
  const url = `http://127.0.0.1:${port}/api/LocationUIHelper.asmx/PostalCodeToCityState?postalCode=10001`;
  try {
    for (;;) {
      const text = await fetch(url).then(
        (answer) => answer.text(),
        () => "",
      );
      if (!text.includes("<City>New York</City>")) continue;
      const ms = performance.now() - started;
      const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
      return { ms, residentMb: Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_024 };
    }
  } finally {
    child.kill("SIGKILL");
  }
}
