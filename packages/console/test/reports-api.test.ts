import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Engine, startEngines } from "@wfh/server/test/store/engines.ts";
import { arrivalMs, openTestStore, pageRequest } from "@wfh/server/test/store/sample.ts";
import { newTokenText } from "../src/access/tokens.ts";
import { openCommandDatabase } from "../src/database/console-database.ts";
import {
  type ReportName,
  reportNames,
  reportResources,
  reportWords,
} from "../src/reports/report-resources.ts";
import { formatDay } from "../src/reports/report-span.ts";
import { startConsoleServer } from "./console-server.ts";

const engines = await startEngines();

const dayMs = 86_400_000;
const today = formatDay(Math.floor(arrivalMs / dayMs));
const yesterday = formatDay(Math.floor(arrivalMs / dayMs) - 1);
const span = `from=${yesterday}&to=${today}`;
const wide = 1_920;
const bot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
/** Right-to-left override: what follows is shown in reverse. */
const bidi = "\u202e";

/** Page requests of two days: three of the form 7, one of the form 8, and one without a form. */
const rows = [
  { formId: 7n, pageUrl: "https://a.example/order?card=1", step: "address", screenWidth: 360 },
  { formId: 7n, pageUrl: "https://a.example/order#top", step: "address", screenWidth: wide },
  { formId: 7n, pageUrl: "=cmd()", kind: "submit", arrivedAtMs: arrivalMs - dayMs },
  { formId: 8n, pageUrl: `<b>${bidi}x</b>`, userAgent: bot, isAuthenticated: true },
  { referrer: "https://news.example.com/?q=1", applicationInstanceId: 3, isAuthenticated: false },
];

interface ReportBody {
  readonly total: number;
  readonly rows: readonly Readonly<Record<string, string | number | null>>[];
}

const eventFilter = { recordId: null, fromMs: null, max: 1_000 };

/** Rows of a report as value and count. */
function countsOf({ rows: found }: ReportBody): readonly (readonly unknown[])[] {
  return found.map((row) => Object.values(row));
}

async function openPlace(engine: Engine) {
  const database = await engine.createDatabase({ isNew: false });
  const { store } = await openTestStore(database.url, { now: () => arrivalMs });
  for (const row of rows) await store.pageRequests.append(pageRequest(row));
  await store.close();
  const { server, addToken } = await startConsoleServer(database.url);
  const tokens = {
    all: await addToken("all"),
    seven: await addToken("seven", { forms: ["7"] }),
    ended: await addToken("ended", { endsAtMs: Date.now() - 1 }),
  };
  const ask = (path: string, token: string = tokens.all) =>
    fetch(`${server.url}/api/v1/reports/${path}`, {
      headers: { Authorization: `Bearer ${token}` },
    });
  const read = async (path: string, token?: string) => {
    const response = await ask(path, token);
    assert.equal(response.status, 200, path);
    return (await response.json()) as ReportBody;
  };
  const end = async () => {
    await server.close();
    await database.drop();
  };
  /** Exports that have been recorded, as name of the token and report. */
  const listExports = async () => {
    const { queries, close } = await openCommandDatabase(database.url, "read");
    const events = await queries.administration.listEvents(eventFilter);
    await close();
    return events
      .filter(({ name }) => name === "operator-exported")
      .map(({ operator, reason }) => `${operator} ${reason}`);
  };
  return { server, tokens, ask, read, listExports, end };
}

/** The rows of every report of both days. */
const expected: Readonly<Record<ReportName, readonly (readonly [string | null, number])[]>> = {
  days: [
    [yesterday, 1],
    [today, 4],
  ],
  forms: [
    ["7", 3],
    [null, 1],
    ["8", 1],
  ],
  pages: [
    ["https://a.example/order", 2],
    [null, 1],
    [`<b>${bidi}x</b>`, 1],
    ["=cmd()", 1],
  ],
  steps: [
    [null, 3],
    ["address", 2],
  ],
  referrers: [
    [null, 4],
    ["news.example.com", 1],
  ],
  devices: [
    [null, 3],
    ["computer", 1],
    ["phone", 1],
  ],
  "log-ins": [
    [null, 3],
    ["logged-in", 1],
    ["not-logged-in", 1],
  ],
  kinds: [
    [null, 4],
    ["submit", 1],
  ],
  instances: [
    [null, 4],
    ["3", 1],
  ],
  bots: [
    [null, 4],
    ["bot", 1],
  ],
};

const refused = [
  [`from=${today}&to=${yesterday}`, "from"],
  ["from=2026-02-30", "from"],
  ["to=2026-13-01", "to"],
  ["to=2026-1-1", "to"],
  ["from=1900-01-01", "from"],
  ["form=x", "form"],
  ["form=9999999999999999999999", "form"],
  ["form=", "form"],
  [Array.from({ length: 101 }, (_, i) => `form=${i}`).join("&"), "form"],
  ["format=xml", "format"],
  [`from=${today}&from=${today}`, "from"],
  ["forms=7", "forms"],
] as const;

for (const engine of engines) {
  describe(`reports over REST, ${engine.name}`, { skip: engine.missing ?? false }, () => {
    let place: Awaited<ReturnType<typeof openPlace>>;
    before(async () => {
      place = await openPlace(engine);
    });
    after(() => place.end());

    for (const name of reportNames) {
      test(`${name} has every page request once, as JSON and as CSV`, async () => {
        const report = await place.read(`${name}?${span}`);
        assert.deepEqual(new Set(countsOf(report)), new Set(expected[name]));
        assert.equal(report.total, rows.length);
        const counts = report.rows.map(({ pageRequests }) => Number(pageRequests));
        if (name !== "days") {
          assert.deepEqual(
            counts,
            counts.toSorted((a, b) => b - a),
          );
        }
        const csv = await (await place.ask(`${name}?${span}&format=csv`)).text();
        const [header, ...lines] = csv.trimEnd().split("\r\n");
        assert.equal(header, `"${reportWords[name].column}","pageRequests"`);
        assert.deepEqual(
          lines.map((line) => Number(line.split(",").at(-1))),
          counts,
        );
        assert.doesNotMatch(csv, /^"?=/m);
      });
    }

    test("a form is chosen by its ID, several by theirs, and page requests without one by none", async () => {
      const totals = ["form=7", "form=8&form=none", "form=none", "form=all", "form=999"].map(
        async (form) => (await place.read(`pages?${span}&${form}`)).total,
      );
      assert.deepEqual(await Promise.all(totals), [3, 2, 1, rows.length, 0]);
    });

    test("a span without page requests has a row for each day, and none for other values", async () => {
      const empty = "from=2001-01-01&to=2001-01-03";
      assert.deepEqual(countsOf(await place.read(`days?${empty}`)), [
        ["2001-01-01", 0],
        ["2001-01-02", 0],
        ["2001-01-03", 0],
      ]);
      const { total, rows: found } = await place.read(`pages?${empty}`);
      assert.deepEqual([total, found], [0, []]);
    });

    test("a report of 20 years has a row for each day", async () => {
      const { rows: found } = await place.read(`days?from=2006-11-22&to=${today}`);
      assert.equal(found.length, 7_305);
    });
  });

  describe(`refusals of reports, ${engine.name}`, { skip: engine.missing ?? false }, () => {
    let place: Awaited<ReturnType<typeof openPlace>>;
    before(async () => {
      place = await openPlace(engine);
    });
    after(() => place.end());

    for (const [query, field] of refused) {
      test(`${query.slice(0, 60)} is refused and says what is wrong with ${field}`, async () => {
        const response = await place.ask(`days?${query}`);
        const problem = (await response.json()) as { errors: { field: string; detail: string }[] };
        assert.equal(response.status, 400);
        assert.equal(problem.errors[0]?.field, field);
        assert.match(problem.errors[0]?.detail ?? "", / .*[.?]$/);
      });
    }

    test("a token of one form has only that form, and no other can be asked for", async () => {
      const { seven } = place.tokens;
      for (const form of ["", "&form=all", "&form=7"]) {
        assert.deepEqual(countsOf(await place.read(`forms?${span}${form}`, seven)), [["7", 3]]);
      }
      for (const form of ["8", "none", "7&form=8"]) {
        const response = await place.ask(`pages?${span}&form=${form}`, seven);
        const { type, detail } = (await response.json()) as Record<string, string>;
        assert.equal(response.status, 403);
        assert.equal(type, "/api/v1/problems/forbidden-token");
        assert.match(detail ?? "", /^seven may not see /);
      }
    });

    test("without a token, with one that ended and with one that never was there is no data", async () => {
      const asked = ["", place.tokens.ended, newTokenText(), "x".repeat(4_000)];
      for (const token of asked) {
        for (const name of reportNames) {
          const response = await place.ask(`${name}?${span}`, token);
          const { "www-authenticate": challenge } = Object.fromEntries(response.headers);
          assert.deepEqual([response.status, challenge], [401, "Bearer"]);
          assert.doesNotMatch(await response.text(), /pageRequests|example/);
        }
      }
    });

    test("a report as CSV is an event with the token's name, as JSON it is none", async () => {
      const { all, seven } = place.tokens;
      await place.ask(`days?${span}&format=csv`, all);
      await place.ask(`pages?${span}`, seven);
      await place.ask(`pages?${span}&format=csv`, seven);
      await place.ask(`pages?${span}&format=csv&form=8`, seven);
      assert.deepEqual((await place.listExports()).toSorted(), ["all days", "seven pages"]);
    });

    test("no cache keeps a report", async () => {
      const { headers } = await place.ask(`pages?${span}`);
      assert.equal(headers.get("cache-control"), "no-store");
    });

    test("the OpenAPI document and the page of the API have every report", async () => {
      const { server } = place;
      const document = await (await fetch(`${server.url}/api/v1/openapi.json`)).json();
      const page = await (await fetch(`${server.url}/api/v1`)).text();
      for (const [name, { resource }] of Object.entries(reportResources.operations)) {
        const paths = (document as { paths: Record<string, { get: { operationId: string } }> })
          .paths;
        assert.equal(paths[`/${resource.path}`]?.get.operationId, name);
        assert.ok(page.includes(`?op=${name}"`), name);
      }
    });
  });

  test(`10,000 pages of a day are the first 500 and all others, ${engine.name}`, {
    skip: engine.missing ?? false,
  }, async (t) => {
    const place = await openPlace(engine);
    t.after(() => place.end());
    const logged = Array.from({ length: 10_000 }, (_, i) => ({
      // The first of the list reads like the row of all others.
      pageRequestUrl: i === 0 ? "(other)" : `https://b.example/${i}`,
    }));
    for (let i = 0; i < logged.length; i += 100) {
      const sent = logged.slice(i, i + 100).map((each, j) => ({
        ...each,
        formId: "9",
        eventKey: `event-key-${i + j}`,
      }));
      const { status } = await fetch(`${place.server.url}/api/v1/page-requests`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(sent),
      });
      assert.equal(status, 204);
    }
    const { total, rows: found } = await place.read("pages?form=9");
    assert.deepEqual([total, found.length], [10_000, 501]);
    assert.deepEqual(found[0], { page: "\\(other)", pageRequests: 1 });
    assert.deepEqual(found.at(-1), { page: "(other)", pageRequests: 9_500 });
  });
}
