import { spawn } from "node:child_process";
import { once } from "node:events";
import { baseFolder, scratchDatabase, startWordsOf } from "../harness/measured-program.ts";
import { residentOf } from "../harness/process-memory.ts";
import { median } from "../harness/tables.ts";
import { type BenchResult, timesOf } from "./results.ts";

interface Started {
  readonly ms: number;
  readonly residentMb: number;
}

/** Responds with what is looked for, and nothing else: the share of Node.js. */
const bareServer = `require("node:http").createServer((_request, response) =>
  response.end("<City>New York</City>")).listen(process.env.WFH_PORT, "127.0.0.1")`;

/**
 * Measures the time to the first right response, and memory, on new and existing databases, and the
 * time that two commands take.
 */
export async function benchStartUp(rounds: number): Promise<BenchResult> {
  const servers = [["web-forms-helper", "."], ...(baseFolder ? [["base", baseFolder]] : [])];
  const startBare = (port: number) => startOnce(port, "", ".", ["--eval", bareServer]);
  const kinds = [{ name: "bare node:http server", start: startBare }];
  for (const [name, folder = "."] of servers) {
    const existing = scratchDatabase();
    await startOnce(20_000, existing, folder);
    const startNew = (port: number) => startOnce(port, scratchDatabase(), folder);
    kinds.push({ name: `${name}, first start, creates the database`, start: startNew });
    kinds.push({
      name: `${name}, any later one`,
      start: (port) => startOnce(port, existing, folder),
    });
  }
  const database = scratchDatabase();
  for (const command of ["--help", "lookup 10001"]) {
    await runOnce(command, database);
    kinds.push({
      name: `wfh ${command}, to its end`,
      start: () => runOnce(command, database),
    });
  }
  const starts = new Map(kinds.map((kind) => [kind, [] as Started[]]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const [{ start }, own] of starts) own.push(await start(20_000 + round));
  }
  const rows = [...starts].map(([{ name }, own]) => ({
    what: name,
    ...timesOf(own.map(({ ms }) => ms)),
    p99Ms: Number.NaN,
    mb: median(own.map(({ residentMb }) => residentMb)),
  }));
  return { rows, notes: ["MB is the resident memory after the first response."] };
}

async function startOnce(
  port: number,
  databaseUrl: string,
  folder: string,
  words = startWordsOf(folder),
): Promise<Started> {
  const started = performance.now();
  const child = spawn(process.execPath, words, {
    env: { ...environmentOf(databaseUrl), WFH_PORT: String(port) },
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
    // In good order, so that compiled code is kept.
    child.kill("SIGINT");
    await once(child, "exit");
  }
}

/** Runs a command to its end. */
async function runOnce(command: string, databaseUrl: string): Promise<Started> {
  const started = performance.now();
  const child = spawn(process.execPath, ["dist/bin/wfh.cjs", ...command.split(" ")], {
    env: environmentOf(databaseUrl),
    stdio: "ignore",
  });
  await once(child, "exit");
  return { ms: performance.now() - started, residentMb: Number.NaN };
}

function environmentOf(databaseUrl: string): NodeJS.ProcessEnv {
  // Compiled code is beside the database, in the folder that systemd would name.
  const CACHE_DIRECTORY = `${databaseUrl.replace("sqlite:", "")}.cache`;
  return { ...process.env, WFH_DATABASE_URL: databaseUrl, CACHE_DIRECTORY };
}
