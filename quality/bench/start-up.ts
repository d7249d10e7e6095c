import { spawn } from "node:child_process";
import { baseFolder, scratchDatabase, startWordsOf } from "../harness/measured-program.ts";
import { residentOf } from "../harness/process-memory.ts";
import { median, renderMarkdown } from "../harness/tables.ts";

interface Started {
  readonly ms: number;
  readonly residentMb: number;
}

const heading = ["server", "first response, ms (median)", "slowest", "resident MB after it"];

/** Measures the time to the first right response, and memory, on new and existing databases. */
export async function benchStartUp(rounds: number): Promise<string> {
  const servers = [["web-forms-helper", "."], ...(baseFolder ? [["base", baseFolder]] : [])];
  const rows: { readonly name: string; readonly start: (port: number) => Promise<Started> }[] = [];
  for (const [name, folder = "."] of servers) {
    const existing = scratchDatabase();
    await startOnce(20_000, existing, folder);
    const startNew = (port: number) => startOnce(port, scratchDatabase(), folder);
    rows.push({ name: `${name}, first start, creates the database`, start: startNew });
    rows.push({
      name: `${name}, any later one`,
      start: (port) => startOnce(port, existing, folder),
    });
  }
  const starts = new Map(rows.map((row) => [row, [] as Started[]]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const [{ start }, own] of starts) own.push(await start(20_000 + round));
  }
  const cells = [...starts].map(([{ name }, own]) => [
    name,
    median(own.map(({ ms }) => ms)).toFixed(0),
    Math.max(...own.map(({ ms }) => ms)).toFixed(0),
    median(own.map(({ residentMb }) => residentMb)).toFixed(0),
  ]);
  return renderMarkdown([heading, ...cells]);
}

async function startOnce(port: number, databaseUrl: string, folder: string): Promise<Started> {
  const started = performance.now();
  const child = spawn(process.execPath, startWordsOf(folder), {
    env: { ...process.env, WFH_PORT: String(port), WFH_DATABASE_URL: databaseUrl },
    cwd: folder,
    stdio: "ignore",
  });
  const url = `http://127.0.0.1:${port}/api/LocationUIHelper.asmx/PostalCodeToCityState?postalCode=10001`;
  try {
    for (;;) {
      const text = await fetch(url).then(
        (response) => response.text(),
        () => "",
      );
      if (!text.includes("<City>New York</City>")) continue;
      const ms = performance.now() - started;
      return { ms, residentMb: residentOf(child.pid) / 1_048_576 };
    }
  } finally {
    child.kill("SIGKILL");
  }
}
