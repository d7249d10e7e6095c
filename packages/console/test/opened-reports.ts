import type { TestDatabase } from "@wfh/server/test/store/engines.ts";
import { arrivalMs } from "@wfh/server/test/store/sample.ts";
import { openConsoleDatabase } from "../src/database/console-database.ts";
import { valueReports } from "../src/reports/report-resources.ts";
import { Reports, type ReportsDeps } from "../src/reports/reports.ts";
import { readExport } from "./counted-again.ts";
import { chooser } from "./random-page-requests.ts";

/** Day (UTC, since 1970) of the tests, and the first one with page requests. */
export const today = Math.floor(arrivalMs / 86_400_000);
export const firstDay = today - 70;

/** Opens the reports of a database, which are never late; `end` closes it. */
export async function openReports(
  { url }: Pick<TestDatabase, "url">,
  deps: Partial<ReportsDeps> = {},
) {
  const database = await openConsoleDatabase(url);
  // However busy this machine.
  const after = () => () => {};
  const reports = new Reports({ open: async () => database, now: () => arrivalMs, after, ...deps });
  return { reports, queries: database.queries, end: () => database.close() };
}

/** Compares so many random spans and forms with an export, and first all of it. */
export async function compareRandomly(
  { url }: Pick<TestDatabase, "url">,
  reports: Reports,
  random: () => number,
  count: number,
): Promise<void> {
  const exported = await readExport(url);
  await exported.compare(reports, { fromDay: firstDay - 400, toDay: today + 400 }, null);
  const choose = chooser(random);
  const dayAt = () => firstDay - 3 + Math.floor(random() * 76);
  for (let i = 0; i < count; i += 1) {
    const [fromDay = 0, toDay = 0] = [dayAt(), dayAt()].toSorted((a, b) => a - b);
    const forms = choose([null, null, ["1"], [""], ["2", "9007199254740993"]]);
    await exported.compare(reports, { fromDay, toDay }, forms, [choose(valueReports)]);
    const form = choose(["1", "3", "", "9007199254740993", "4"]);
    await exported.compareFunnel(reports, { fromDay, toDay }, form);
  }
}
