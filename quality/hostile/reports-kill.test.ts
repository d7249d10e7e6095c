import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { compareRandomly, openReports } from "@wfh/console/test/opened-reports.ts";
import { createRandom } from "@wfh/console/test/random-page-requests.ts";
import { describeEngines, type Engine } from "@wfh/server/test/store/engines.ts";
import { openTestStore } from "@wfh/server/test/store/sample.ts";
import { isLong } from "./effort.ts";

const program = fileURLToPath(new URL("../harness/report-reader-main.ts", import.meta.url));
const rounds = isLong ? 200 : 3;
/** Most lines of a process before it is killed. */
const linesMax = 40;

/** Starts a process that counts for reports, and kills it after so many lines. */
async function countUntilKilled(url: string, seed: number, lines: number): Promise<void> {
  const child = spawn(process.execPath, [program, url, String(seed)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const kill = () => child.kill("SIGKILL");
  process.on("exit", kill);
  let left = lines;
  child.stdout.on("data", (data: Buffer) => {
    left -= data.length;
    if (left <= 0) kill();
  });
  const [, signal] = await once(child, "close");
  process.off("exit", kill);
  if (signal !== "SIGKILL") throw new Error(`The process ended by itself, by ${signal}`);
}

/** Kills processes that count, and compares reports with an export each time. */
async function killRepeatedly(engine: Engine): Promise<void> {
  const database = await engine.createDatabase({ isNew: false });
  await (await openTestStore(database.url)).store.close();
  const random = createRandom(29);
  for (let round = 1; round <= rounds; round += 1) {
    await countUntilKilled(database.url, round, 1 + Math.floor(random() * linesMax));
    const { reports, end } = await openReports(database);
    await compareRandomly(database, reports, random, 2);
    await end();
  }
  await database.drop();
}

await describeEngines("kill -9 of what counts for reports", (engine) => {
  test(`counts each row once in ${rounds} rounds`, { timeout: rounds * 20_000 }, () =>
    killRepeatedly(engine),
  );
});
