import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { sessionRule } from "@wfh/console/reports/report-types.ts";
import { type Engine, startEngines } from "@wfh/server/test/store/engines.ts";
import { arrivalMs, openTestStore, pageRequest } from "@wfh/server/test/store/sample.ts";
import { openFixtureOn } from "./cli-fixture.ts";

const engines = await startEngines();

/** Day of the page requests. */
const span = ["--from", "2026-11-20", "--to", "2026-11-21"];

const longPage = `https://a.example/\u001b[31mhelp${"/more".repeat(80)}`;

/** Page requests of a form in two sessions and in none, and one without a form. */
const rows = [
  { formId: 7n, pageUrl: "https://a.example/order?x=1", step: "address", crossAppSessionId: 1n },
  { formId: 7n, pageUrl: "https://a.example/order", step: "payment", crossAppSessionId: 1n },
  { formId: 7n, pageUrl: "https://a.example/order", step: "address", crossAppSessionId: 2n },
  { formId: 7n, pageUrl: longPage },
  { pageUrl: "=cmd()" },
];

async function openPlace(engine: Engine, t: TestContext) {
  const fixture = await openFixtureOn(engine, t, { isNew: false });
  const { store } = await openTestStore(fixture.database.url, { now: () => arrivalMs });
  for (const row of rows) await store.pageRequests.append(pageRequest(row));
  await store.close();
  return (...words: readonly string[]) => fixture.run(["report", ...words]);
}

for (const engine of engines) {
  const skip = engine.missing ?? false;

  test(`wfh report on ${engine.name} prints a table with bars, JSON and CSV`, {
    skip,
  }, async (t) => {
    const run = await openPlace(engine, t);
    const shown = await run("pages", ...span, "--max", "1");
    assert.deepEqual([shown.code, shown.err], [0, ""]);
    assert.match(shown.out, /^Page requests by page, from 2026-11-20 to 2026-11-21 \(UTC\)$/m);
    assert.match(shown.out, /^ +3 +60\.0 % +█{24} +https:\/\/a\.example\/order$/m);
    assert.match(shown.out, /^ +2 +40\.0 % +█{16} +\(other\)$/m);
    assert.match(shown.out, /^Page requests in all: 5$/m);
    const { total, rows: found } = JSON.parse((await run("days", ...span, "--json")).out);
    assert.equal(total, 5);
    assert.deepEqual(found, [
      { day: "2026-11-20", pageRequests: 0 },
      { day: "2026-11-21", pageRequests: 5 },
    ]);
    const csv = await run("pages", ...span, "--csv");
    assert.match(csv.out, /^"page","pageRequests"\r\n"https:\/\/a\.example\/order",3\r\n/);
    assert.match(csv.out, /^"'=cmd\(\)",1\r$/m);
  });

  test(`wfh report on ${engine.name} counts the forms that are named`, { skip }, async (t) => {
    const run = await openPlace(engine, t);
    const of = async (...forms: readonly string[]) =>
      JSON.parse((await run("forms", ...span, "--json", ...forms)).out).rows;
    const seven = { form: "7", pageRequests: 4 };
    const none = { form: null, pageRequests: 1 };
    assert.deepEqual(await of(), [seven, none]);
    assert.deepEqual(await of("--form", "7", "none"), [seven, none]);
    assert.deepEqual(await of("--form", "none"), [none]);
    assert.deepEqual(await of("--form", "9"), []);
    assert.deepEqual(await of("--form", "0"), []);
    const { out } = await run("pages", ...span, "--form", "9");
    assert.equal(out, "There are no page requests from 2026-11-20 to 2026-11-21 (UTC).\n");
  });

  test(`wfh report on ${engine.name} escapes and cuts values for the terminal`, {
    skip,
  }, async (t) => {
    const run = await openPlace(engine, t);
    const { out } = await run("pages", ...span);
    assert.ok(!out.includes("\u001b"));
    assert.match(out, /help(\/more)+\S*…$/m);
    assert.ok(out.split("\n").every((line) => line.length < 140));
  });

  test(`wfh report funnel on ${engine.name} counts sessions by step`, { skip }, async (t) => {
    const run = await openPlace(engine, t);
    const funnel = JSON.parse((await run("funnel", "7", ...span, "--json")).out);
    assert.deepEqual([funnel.countedBy, funnel.sessions], ["sessions", 2]);
    assert.deepEqual(funnel.steps, [
      { step: "address", reached: 2, share: 1, goesOn: 0.5 },
      { step: "payment", reached: 1, share: 0.5, goesOn: null },
    ]);
    const shown = await run("funnel", "7", ...span);
    assert.match(shown.out, /^ +2 +100\.0 % +50\.0 % +█{24} +address$/m);
    assert.match(shown.out, /^Page requests without a session are not counted: 1\.$/m);
    const csv = await run("funnel", "7", ...span, "--csv");
    assert.match(csv.out, /^"address",2,1,0\.5\r\n"payment",1,0\.5,\r\n/m);
    const withoutForm = JSON.parse((await run("funnel", "none", ...span, "--json")).out);
    assert.deepEqual([withoutForm.form, withoutForm.withoutSession], [null, 1]);
    assert.match((await run("funnel", "none", ...span)).out, /^Steps without a form, from/);
    const zero = await run("funnel", "0", ...span);
    assert.match(zero.out, /^There are no page requests of the form 0 from/);
    const none = await run("funnel", "9", ...span);
    assert.match(none.out, /^There are no page requests of the form 9 from/);
  });
}

test("the help of a funnel and its documents say when a session counts", async (t) => {
  const [sqlite] = engines;
  const { run } = await openFixtureOn(sqlite ?? assert.fail(), t, { isNew: false });
  const help = (await run(["report", "funnel", "--help"])).out;
  const documents = ["reports", "operator"].map((name) =>
    readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), "utf8"),
  );
  for (const text of [help, ...documents]) {
    assert.ok(text.replaceAll(/\s+/g, " ").includes(sessionRule), text);
  }
});

const refused = [
  [["days", "--from", "2026-02-30"], /--from 2026-02-30: expected a day/],
  [["days", "--from", "2026-11-02", "--to", "2026-11-01"], /--from, 2026-11-02, is later than/],
  [["days", "--from", "1900-01-01"], /at most 7305 days \(20 years\)/],
  [["pages", "--form", "x"], /--form x: expected a whole number/],
  [["pages", "--max", "0"], /--max 0: expected/],
  [["days", "--json", "--csv"], /cannot be used with/],
  [["funnel"], /missing required argument 'form'/],
  [["funnel", "x"], /form x: expected/],
] as const;
for (const [words, error] of refused) {
  test(`wfh report ${words.join(" ")} is refused`, async (t) => {
    const [sqlite] = engines;
    const { run } = await openFixtureOn(sqlite ?? assert.fail(), t, { isNew: false });
    const { code, err } = await run(["report", ...words]);
    assert.equal(code, 2);
    assert.match(err, error);
  });
}
