import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as pause } from "node:timers/promises";
import { scratchDatabase, scratchFolder, startServer } from "../harness/measured-program.ts";
import { residentOf } from "../harness/process-memory.ts";
import { median } from "../harness/tables.ts";
import { callWhile } from "./paced-calls.ts";
import { type BenchResult, timesOf } from "./results.ts";

/** Amount of rows, and how often they are imported, each time with other names. */
export interface ImportPlan {
  readonly rounds: number;
  readonly rows: number;
}

/** Time of look-ups without an import in each round, in milliseconds. */
const aloneMs = 10_000;
const pollMs = 20;
const work = "look-ups-checked";
const countries = ["BR", "DE", "ES", "FR", "GB", "IN", "IT", "JP", "MX", "NL", "PL", "PT"];
const statesOfCountry = 16;
const linesAtOnce = 10_000;

/** Measures imports of a large postal file beside look-ups of a server that then serves it. */
export async function benchImport({ rounds, rows }: ImportPlan): Promise<BenchResult> {
  const folder = scratchFolder();
  // The imported places are beside the database.
  const environment = { WFH_DATABASE_URL: scratchDatabase() };
  const server = await startServer("any", environment);
  await callWhile(server.url, work, pause(aloneMs / 2));
  const alone: number[] = [];
  const beside: number[] = [];
  const commands: { ms: number; peakMb: number; servedMs: number }[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const file = join(folder, "rows.txt");
    await writeRows(file, round, rows);
    alone.push(...(await callWhile(server.url, work, pause(aloneMs))));
    const importing = importRows(file, environment).then(async (command) => {
      commands.push({ ...command, servedMs: await waitForTown(server.url, round) });
    });
    beside.push(...(await callWhile(server.url, work, importing)));
    process.stderr.write(`\rround ${round} of ${rounds}   `);
  }
  const peakMb = server.peakMb();
  server.stop();
  const quiet = timesOf(alone);
  const busy = timesOf(beside);
  const durations = timesOf(commands.map(({ ms }) => ms));
  const mb = median(commands.map((one) => one.peakMb));
  return {
    rows: [
      {
        what: `the command, ${rows} rows`,
        perSecond: (rows * 1_000) / durations.p50Ms,
        ...durations,
        mb,
      },
      {
        what: "end of the command to responses from it",
        ...timesOf(commands.map(({ servedMs }) => servedMs)),
      },
      { what: "look-ups alone", ...quiet },
      { what: "look-ups beside the import", ...busy, ratio: busy.p99Ms / quiet.p99Ms, mb: peakMb },
    ],
    notes: ["The ratio is of p99."],
  };
}

/** Writes a file as GeoNames does: each row has a postal code of its own. */
async function writeRows(file: string, round: number, rows: number): Promise<void> {
  const blocks = function* () {
    for (let from = 0; from < rows; from += linesAtOnce) {
      const count = Math.min(linesAtOnce, rows - from);
      yield Array.from({ length: count }, (_, i) => rowOf(from + i, round)).join("");
    }
  };
  await pipeline(Readable.from(blocks()), createWriteStream(file));
}

function rowOf(i: number, round: number): string {
  const country = countries[i % countries.length];
  const state = i % statesOfCountry;
  const code = codeOf(Math.floor(i / countries.length));
  return `${country}\t${code}\tTown ${round}-${i % 90_001}\tRegion ${state}\tR${state}\t\t\t\t\t50.1\t8.2\t4\n`;
}

function codeOf(number: number): string {
  return `X${number.toString(36).toUpperCase().padStart(4, "0")}`;
}

/** Runs the command; resolves to its duration and most resident memory. */
async function importRows(file: string, environment: Readonly<Record<string, string>>) {
  const beganMs = performance.now();
  const words = ["dist/bin/wfh.cjs", "places", "import", "geonames", file, "--merge", "--quiet"];
  const env = { ...process.env, ...environment };
  const command = spawn(process.execPath, words, { env, stdio: ["ignore", "ignore", "inherit"] });
  let peakMb = 0;
  const watch = setInterval(() => {
    if (command.exitCode === null) peakMb = residentOf(command.pid, "peak") / 1_048_576 || peakMb;
  }, pollMs);
  const [code] = await once(command, "exit");
  clearInterval(watch);
  if (code !== 0) throw new Error(`The import ended with ${code}`);
  return { ms: performance.now() - beganMs, peakMb };
}

/** Resolves to the milliseconds until the server has the first row of a round. */
async function waitForTown(url: string, round: number): Promise<number> {
  const beganMs = performance.now();
  const address = `${url}/api/v1/places/${countries[0]}/${codeOf(0)}`;
  while (!(await (await fetch(address)).text()).includes(`"Town ${round}-0"`)) await pause(pollMs);
  return performance.now() - beganMs;
}
