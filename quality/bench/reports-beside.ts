import { execFileSync } from "node:child_process";
import { startPostgres } from "@wfh/server/test/store/postgres-server.ts";
import { scratchDatabase, scratchFolder, startServer } from "../harness/measured-program.ts";
import type { BenchResult, BenchRow } from "./results.ts";
import { type Contender, compare, type Plan } from "./rounds.ts";

/** Starts a server, and reads a report of it, from which on it counts in the background. */
async function startUsed(database: string): Promise<Contender> {
  const settings = { WFH_DATABASE_URL: database };
  const server = await startServer("any", settings);
  const words = ["dist/bin/wfh.cjs", "tokens", "add", "bench", "--json"];
  const env = { ...process.env, ...settings };
  const added = execFileSync(process.execPath, words, { env, encoding: "utf8" });
  const token = /wfh_[\w-]+/.exec(added)?.[0];
  const headers = { Authorization: `Bearer ${token}` };
  const { status } = await fetch(`${server.url}/api/v1/reports/days`, { headers });
  if (status !== 200) throw new Error(`A report has the status ${status}`);
  return { name: "reports are counted", server };
}

async function startUnused(database: string): Promise<Contender> {
  const server = await startServer("any", { WFH_DATABASE_URL: database });
  return { name: "console not used", server };
}

/** Measures page requests of servers that count them for reports every five seconds, or not. */
export async function benchReportsBeside(plan: Plan): Promise<BenchResult> {
  const rows: BenchRow[] = [];
  const measure = async (engine: string, databases: readonly [string, string]) => {
    const servers = [await startUnused(databases[0]), await startUsed(databases[1])];
    const contenders = servers.map((one) => ({ ...one, name: `${engine}, ${one.name}` }));
    rows.push(...(await compare("page-requests-json", contenders, plan)));
    for (const { server } of contenders) server.stop();
  };
  await measure("SQLite", [scratchDatabase(), scratchDatabase()]);
  const servers = [await startPostgres(scratchFolder()), await startPostgres(scratchFolder())];
  const [first, second] = servers;
  if (typeof first === "object" && typeof second === "object") {
    await measure("PostgreSQL", [first.url, second.url]);
  }
  for (const server of servers) if (typeof server === "object") await server.close();
  return { rows };
}
