import { locationHelper } from "@wfh/server/contract/location-helper.ts";
import { startBoth } from "../harness/measured-program.ts";
import type { BenchResult, BenchRow } from "./results.ts";
import { compare, type Plan, serverCore } from "./rounds.ts";
import { pageRequestWork } from "./workload.ts";

/** Look-ups over every binding, and page requests, of this checkout beside those of another one. */
export async function benchAgainstBase(plan: Plan): Promise<BenchResult> {
  const both = await startBoth(serverCore);
  if (both.length === 1) throw new Error("Name the other checkout, already built: --base FOLDER");
  const rows: BenchRow[] = [];
  for (const work of [...locationHelper.bindings, ...Object.keys(pageRequestWork)]) {
    rows.push(...(await compare(work, both, plan)));
  }
  for (const { server } of both) server.stop();
  return { rows };
}
