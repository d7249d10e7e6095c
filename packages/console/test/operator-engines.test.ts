import assert from "node:assert/strict";
import { test } from "node:test";
import { describeEngines, type Engine } from "@wfh/server/test/store/engines.ts";
import { newAccount } from "@wfh/server/test/store/log-in-sample.ts";
import { openSite, presentMs } from "./operator-site.ts";

const dayMs = 86_400_000;

/** First cells of the rows of a table. */
function firstCells(page: string, table: string): readonly string[] {
  const section = page.slice(page.indexOf(`id="${table}"`));
  const rows = section.slice(0, section.indexOf("</table>"));
  return [...rows.matchAll(/<th scope="row">(?:<[^>]*>)?([^<]*)/g)].map(([, text = ""]) => text);
}

function describeAccounts(engine: Engine): void {
  test("accounts are searched, sorted and counted by the database", async (t) => {
    const { url } = await engine.createDatabase({ isNew: false });
    const { site, cookie } = await openSite(t, { WFH_DATABASE_URL: url });
    const { administration } = site.queries;
    for (const [index, userName] of ["maria_a", "mariaXa", "Olga%", "-7"].entries()) {
      const account = newAccount({ recordId: BigInt(70 - index), userName });
      await administration.addAccount(account, presentMs + index * 1_000);
    }
    const list = async (query: string) =>
      firstCells(await site.read(`/operator/accounts?${query}`, cookie), "accounts");
    assert.deepEqual(await list("q=maria_A"), ["maria_a"]);
    assert.deepEqual(await list("q=OLGA%25"), ["Olga%"]);
    assert.deepEqual(await list("q=67"), ["-7"], "by record ID");
    assert.deepEqual(await list("sort=accounts.recordId.up"), [
      "-7",
      "Olga%",
      "mariaXa",
      "maria_a",
    ]);
    assert.equal((await list("sort=accounts.createdAt.up"))[0], "maria_a");
    assert.equal((await list("sort=accounts.userName.down"))[0], "Olga%");
    assert.equal((await list("sort=accounts.lastLogInAt.down")).length, 4);
    assert.match(await site.read("/operator/account?id=67", cookie), /<h1[^>]*>-7</);
  });
}

function describeReports(engine: Engine): void {
  test("events are filtered by day, name, account and form, and counted by day", async (t) => {
    const { url } = await engine.createDatabase({ isNew: false });
    const { site, cookie } = await openSite(t, { WFH_DATABASE_URL: url });
    const { administration, logIn } = site.queries;
    await administration.addAccount(newAccount({ recordId: 7n, userName: "maria" }), presentMs);
    const facts = {
      reason: null,
      sessionId: null,
      network: null,
      instanceId: null,
      requestId: null,
      operator: null,
    };
    const event = { ...facts, name: "logged-in", accountId: 7n, formId: 1n } as const;
    await logIn.addEvents([
      { ...event, atMs: presentMs },
      { ...event, atMs: presentMs - 3 * dayMs },
      { ...event, atMs: presentMs - 60 * dayMs },
      { ...event, atMs: presentMs, formId: 2n, accountId: null },
      { ...event, atMs: presentMs, name: "log-in-refused" },
      { ...event, atMs: presentMs, name: "network-blocked", reason: "operators" },
    ]);
    const count = async (query: string) =>
      firstCells(await site.read(`/operator/events?event=logged-in&${query}`, cookie), "events")
        .length;
    assert.equal(await count(""), 3);
    assert.equal(await count("period=90d"), 4);
    assert.equal(await count("form=1"), 2);
    const own = "/operator/events?event=operator-logged-in&operator=";
    assert.equal(firstCells(await site.read(`${own}ADA`, cookie), "events").length, 1);
    assert.equal(firstCells(await site.read(`${own}vera`, cookie), "events").length, 0);
    assert.match(await site.read("/operator/events?event=%00", cookie), /No events in these days/);
    assert.equal(await count("account=MARIA"), 2);
    assert.equal(await count("from=2026-11-23&to=2026-11-23"), 1);
    const overview = await site.read("/operator?form=1", cookie);
    assert.match(overview, /Log-ins today<\/h2><p class="value">1<.*1 refused, 50\.0 %/s);
    assert.doesNotMatch(overview, /1 blocked/);
    assert.equal(firstCells(overview, "log-in-days").length, 2);
    const earlier = await site.read("/operator?from=2026-09-01&to=2026-09-30", cookie);
    assert.match(earlier, /Log-ins today<\/h2><p class="value">2</, "today, whatever the period");
  });

  test("the numbers of charts, forms and funnels are those of the page requests", async (t) => {
    const { url } = await engine.createDatabase({ isNew: false });
    const { site, cookie } = await openSite(t, { WFH_DATABASE_URL: url });
    const step = { formId: 1n, kind: "step" };
    await site.log(
      { ...step, transId: 1n, step: "start" },
      { ...step, transId: 2n, step: "start", arrivedAtMs: presentMs - dayMs },
      { ...step, transId: 1n, step: "end" },
    );
    const response = await site.request("/operator?form=1&period=7d&csv=time", cookie);
    const [header, ...days] = (await response.text()).trim().split("\r\n");
    assert.equal(header, '"day","pageRequests","before"');
    assert.deepEqual(days.slice(0, 3), ['"2026-11-26",2,', '"2026-11-25",1,', '"2026-11-24",0,']);
    const page = (_: unknown, i: number) => ({ formId: 2n, pageUrl: `https://a.example/${i}` });
    await site.log(...Array.from({ length: 502 }, page));
    const listed = firstCells(await site.read("/operator?form=2&list=pages", cookie), "pages");
    assert.deepEqual([listed.length, listed.at(-1)], [501, "(other)"]);
    const funnel = await site.request("/operator?form=1&csv=funnel", cookie);
    assert.match(await funnel.text(), /1,"start",2,1,0\.5\r\n2,"end",1,0\.5,\r\n/);
  });
}

const engines = await describeEngines("pages", (engine) => {
  describeAccounts(engine);
  describeReports(engine);
});
const server = engines.find(({ power }) => power !== undefined);
test("a database server that stops is away, and its pages come back with it", {
  skip: server === undefined ? "there is no database server of our own" : false,
}, async (t) => {
  assert.ok(server?.power);
  const { url } = await server.createDatabase({ isNew: false });
  const { site, cookie } = await openSite(t, { WFH_DATABASE_URL: url });
  await site.read("/operator", cookie);
  await server.power.stop();
  try {
    const response = await site.request("/operator", cookie);
    assert.equal(response.status, 503);
    assert.match(await response.text(), /The database is away/);
    const logIn = await site.post("/operator/log-in", "", { name: "Ada", password: "x" });
    assert.equal(logIn.status, 503);
    assert.match(await logIn.text(), /The database is away/);
  } finally {
    await server.power.start();
  }
  await site.read("/operator", cookie);
});
