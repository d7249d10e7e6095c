import { writeSync } from "node:fs";
import { openReports, today } from "@wfh/console/test/opened-reports.ts";
import { createPageRequests, createRandom } from "@wfh/console/test/random-page-requests.ts";
import { arrivalMs, openTestStore } from "@wfh/server/test/store/sample.ts";

// A process that stores page requests, deletes some of them and reads reports, which counts both.
// It writes a line before each of these, and runs until it is killed.

const [url = "", seed = "0"] = process.argv.slice(2);
const random = createRandom(Number(seed));
const create = createPageRequests(random, today - 10, today);
const { store } = await openTestStore(url);
const { reports, queries } = await openReports({ url });
const span = { fromDay: today - 10, toDay: today };

async function deleteSome(): Promise<void> {
  const filter = { contactId: null, formId: 2n, beforeMs: null };
  const position = await queries.deletion.begin(filter, arrivalMs);
  if (position !== null) await queries.deletion.deleteStep(filter, position);
}

const works: readonly (() => Promise<unknown>)[] = [
  () => Promise.all(Array.from({ length: 50 }, () => store.pageRequests.append(create()))),
  () => reports.days(span, null),
  deleteSome,
  () => reports.funnel(span, "1"),
];

while (true) {
  for (const work of works) {
    writeSync(1, "\n");
    await work();
  }
}
