import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Engine, startEngines } from "@wfh/server/test/store/engines.ts";
import { arrivalMs, openTestStore, pageRequest } from "@wfh/server/test/store/sample.ts";
import { runProgram } from "../src/program.ts";
import { openFixtureOn } from "./cli-fixture.ts";

const minuteMs = 60_000;
const engines = await startEngines();

/** The page requests that are shown, a minute apart. */
const rows = [
  ["https://a.example/order?step=1", 7n],
  ["https://a.example/order?step=2#end", 7n],
  ["https://a.example/order#top", 8n],
  ["https://a.example/Order", 8n],
  ["https://a.example/\u001b[31mhelp", 7n],
  [null, null],
] as const;

async function openPlace(engine: Engine, t: TestContext) {
  const fixture = await openFixtureOn(engine, t, { isNew: false });
  const { database } = fixture;
  const { store } = await openTestStore(database.url, { now: () => arrivalMs });
  t.after(() => store.close());
  const append = (pageUrl: string | null, formId: bigint | null, minutes: number) =>
    store.pageRequests.append(
      pageRequest({ pageUrl, formId, contactId: 5n, arrivedAtMs: arrivalMs + minutes * minuteMs }),
    );
  for (const [i, [pageUrl, formId]] of rows.entries()) await append(pageUrl, formId, i);
  const run = (...words: readonly string[]) => fixture.run(["page-requests", ...words]);
  return { run, append, database };
}

for (const engine of engines) {
  const skip = engine.missing ?? false;

  test(`wfh page-requests tail on ${engine.name} shows the newest, the latest last`, {
    skip,
  }, async (t) => {
    const { run } = await openPlace(engine, t);
    const { code, out } = await run("tail", "--max", "2");
    assert.equal(code, 0);
    assert.equal(
      out,
      [
        "Arrived (UTC)            Form      Contact     Page",
        "2026-11-21 10:04:00.000  7         5           https://a.example/\\u001b[31mhelp",
        "2026-11-21 10:05:00.000  -         5           -",
        "",
      ].join("\n"),
    );
    const json = await run("tail", "--form", "8", "--url", "/order", "--json");
    assert.equal(JSON.parse(json.out).pageUrl, "https://a.example/order#top");
  });

  test(`wfh page-requests tail --follow on ${engine.name} goes on until Ctrl+C`, {
    skip,
  }, async (t) => {
    const { append, database } = await openPlace(engine, t);
    const { env } = process;
    env["WFH_DATABASE_URL"] = database.url;
    const others = new Set(process.listeners("SIGINT"));
    let shown = "";
    const words = ["page-requests", "tail", "--follow", "--max", "1", "--url", "/order"];
    const out = (text: string) => {
      shown += text;
    };
    const ended = runProgram(words, { out, err: assert.fail });
    const until = async (pattern: RegExp) => {
      while (!pattern.test(shown)) await nextTurn();
    };
    await until(/#top\n$/);
    await append("https://a.example/help", 7n, 7);
    await append("https://a.example/order?new", 7n, 8);
    await until(/order\?new\n$/);
    process.listeners("SIGINT").find((one) => !others.has(one))?.("SIGINT");
    assert.equal(await ended, 0);
    delete env["WFH_DATABASE_URL"];
    assert.equal(shown.split("\n").length, 4);
  });
}
