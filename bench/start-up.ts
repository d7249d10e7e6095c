import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { startWords } from "./processes.ts";
import { median, renderMarkdown } from "./results.ts";
import { scratchDatabase } from "./scratch.ts";

/** From the start of the process to the first right answer, and the memory it then holds. */
export async function benchStartUp(rounds: number): Promise<string> {
  const times: number[] = [];
  const memory: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { ms, residentMb } = await startOnce(20_000 + round);
    times.push(ms);
    memory.push(residentMb);
  }
  const row = [median(times).toFixed(0), Math.max(...times).toFixed(0), median(memory).toFixed(0)];
  return renderMarkdown([["first answer, ms (median)", "slowest", "resident MB after it"], row]);
}

async function startOnce(port: number): Promise<{ ms: number; residentMb: number }> {
  const started = performance.now();
  const child = spawn(process.execPath, startWords, {
    env: { ...process.env, WFH_PORT: String(port), WFH_DATABASE_URL: scratchDatabase() },
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
