import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { newAccount } from "@wfh/server/test/store/log-in-sample.ts";
import { sessionRule } from "../src/reports/report-types.ts";
import { type OperatorSite, presentMs, startOperatorSite } from "./operator-site.ts";

const hourMs = 3_600_000;
const hostile = "<script>alert(1)</script>\u202e";

let site: OperatorSite;
/** Cookies of an operator of everything, and of a viewer of form 2. */
let ada: string;
let vera: string;

before(async () => {
  site = await startOperatorSite();
  await site.addOperator("Ada");
  await site.addOperator("Vera", { role: "viewer", forms: ["2"] });
  const { administration } = site.queries;
  const instance = { id: 3n, remembering: "session", sameSite: "lax" } as const;
  const form = { instance, origins: ["https://www.example.org"], allowsAutoLogIn: false };
  const forms = [
    { ...form, id: 1n, name: `Order ${hostile}` },
    { ...form, id: 2n, name: "Contact" },
  ];
  await administration.putForms(forms, presentMs);
  await administration.addAccount(newAccount({ userName: `maria ${hostile}` }), presentMs);
  const steps = ["start", "address", "pay"];
  await site.log(
    // Ten sessions of form 1: all start, five give an address, one pays.
    ...Array.from({ length: 10 }, (_, session) =>
      steps
        .slice(0, session === 0 ? 3 : session < 5 ? 2 : 1)
        .map((step) => ({ formId: 1n, transId: BigInt(session + 1), kind: "step", step })),
    ).flat(),
    { formId: 2n, pageUrl: `https://www.example.org/${hostile}?secret=1`, screenWidth: 390 },
    { formId: 2n, arrivedAtMs: presentMs - 30 * hourMs },
    { formId: null, referrer: "=1+1" },
  );
  ada = await site.logIn("Ada");
  vera = await site.logIn("Vera");
});
after(() => site.close());

const pages = [
  "/operator",
  "/operator?form=1",
  "/operator?form=",
  "/operator/accounts",
  "/operator/events",
];

for (const path of pages) {
  test(`${path} is one page with escaped text, private and without scripts`, async () => {
    const response = await site.request(path, ada);
    const body = await response.text();
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("cache-control"), "no-store");
    const policy = response.headers.get("content-security-policy") ?? "";
    assert.match(policy, /^default-src 'none'; style-src 'sha256-[^']+'; .*form-action 'self'/);
    assert.doesNotMatch(policy, /script|connect/);
    assert.equal(body.match(/<h1[ >]/g)?.length, 1);
    assert.doesNotMatch(body, /<script|\u202e| style=/);
  });

  test(`${path} shows nothing to those who have not logged in`, async () => {
    for (const cookie of ["", "wfh-operator=forged"]) {
      const response = await site.request(path, cookie);
      assert.equal(response.status, 303);
      const next = encodeURIComponent(path);
      assert.match(
        response.headers.get("location") ?? "",
        new RegExp(`log-in\\?next=${next.replaceAll(".", "\\.")}$`),
      );
      assert.equal(await response.text(), "");
    }
  });
}

test("the overview says how many page requests came today, and how the server is", async () => {
  const body = await site.read("/operator", ada);
  assert.match(body, /Page requests today<\/h2><p class="value">18</);
  assert.match(body, /class="mark warning">1 warning</);
  assert.match(body, /The disk has &lt;1 GiB left\.<\/p><p class="fix">delete old page requests/);
  assert.match(body, /Order &lt;script&gt;alert\(1\)&lt;\/script&gt;\\u202e/);
});

test("a form has its funnel, with the share that goes on", async () => {
  const body = await site.read("/operator?form=1", ada);
  assert.match(body, /Counted by session/);
  assert.ok(body.includes(sessionRule));
  const steps = [...body.matchAll(/<li><b>(\w+)<\/b>.*?<span class="number">(\d+)</g)];
  assert.deepEqual(
    steps.map(([, step, reached]) => `${step} ${reached}`),
    ["start 10", "address 5", "pay 1"],
  );
  assert.match(body, /50\.0 % go on/);
});

test("a page without its query is counted, and shown without the scheme", async () => {
  const body = await site.read("/operator?form=2", ada);
  assert.match(body, /www\.example\.org\/&lt;script&gt;alert\(1\)&lt;\/script&gt;\\u202e/);
  assert.doesNotMatch(body, /secret/);
});

describe("an operator of one form", () => {
  test("sees its page requests alone", async () => {
    const body = await site.read("/operator?period=7d", vera);
    assert.match(body, /<p class="total"><b>2<\/b>/);
    assert.doesNotMatch(body, /Order|no form/);
  });

  for (const path of [
    "/operator?form=1",
    "/operator?form=",
    "/operator?form=1&csv=pages",
    "/operator/events?form=1",
    "/operator/accounts",
    "/operator/accounts?csv=accounts",
    "/operator/account?id=1",
  ]) {
    test(`does not see ${path}`, async () => {
      const response = await site.request(path, vera);
      assert.equal(response.status, 403);
      assert.doesNotMatch(await response.text(), /Order|maria|address/);
    });
  }

  test("does not see events of others", async () => {
    const own = await site.read("/operator/events", vera);
    assert.deepEqual(own.match(/<td>[a-z-]+-[a-z]+(?=<)/g), ["<td>form-changed"]);
    assert.match(await site.read("/operator/events", ada), /account-added/);
  });

  test("sees no account and network of events, and cannot ask which accounts there are", async () => {
    const facts = { reason: null, sessionId: null, instanceId: 3n, requestId: "r", operator: null };
    const about = { accountId: 1n, formId: 2n, network: "192.0.2.0/24", atMs: presentMs };
    await site.queries.logIn.addEvents([{ ...facts, ...about, name: "session-ended" }]);
    const path = "/operator/events?event=session-ended";
    assert.match(await site.read(path, ada), /maria.*192\.0\.2\.0/s);
    const own = await site.read(path, vera);
    assert.match(own, /<td>session-ended/);
    assert.doesNotMatch(own, /maria|192\.0\.2\.0/);
    const known = await site.read(`${path}&account=maria ${hostile}`, vera);
    const unknown = await site.read(`${path}&account=maria-${hostile}`, vera);
    assert.equal(known.replaceAll("maria+", "maria-"), unknown);
  });
});

const refused = [
  {
    path: "/operator?from=2026-11-20&to=2026-11-01",
    text: /is later than to, 2026-11-01/,
    status: 400,
  },
  { path: "/operator?from=1990-01-01", text: /at most .*20 years/, status: 400 },
  { path: "/operator?period=x", text: /There is no period x/, status: 400 },
  { path: "/operator/events?zone=Mars", text: /There is no time zone “Mars”/, status: 400 },
  { path: "/operator/events?account=nobody", text: /There is no account nobody/ },
  { path: "/operator/accounts?q=%00%25_!", text: /No account has that name/ },
  { path: "/operator?period=%E2%80%AEx", text: /There is no period \\u202ex/, status: 400 },
  {
    path: "/operator/events?zone=%E2%80%AEx",
    text: /There is no time zone “\\u202ex”/,
    status: 400,
  },
  { path: "/operator?form=%E2%80%AEx", text: /“\\u202ex” is not the ID/, status: 400 },
  { path: "/operator?form=x", text: /“x” is not the ID of a form/, status: 400 },
  { path: "/operator?form=9223372036854775808", text: /is not the ID/, status: 400 },
  { path: "/operator?csv=x", text: /no such table.*time, forms, log-in-days/s, status: 404 },
  { path: "/operator/account?id=77", text: /no account with that record ID/, status: 404 },
];

for (const { path, text, status = 200 } of refused) {
  test(`${path} says what is wrong, and what to do`, async () => {
    const response = await site.request(path, ada);
    const body = await response.text();
    assert.equal(response.status, status);
    assert.match(body, text);
    assert.match(body, /<p class="fix">|No account/);
    assert.doesNotMatch(body, /\u202e/);
  });
}

test("/operator/ leads to the overview", async () => {
  const response = await site.request("/operator/?period=7d", ada);
  assert.equal(response.status, 308);
  assert.equal(response.headers.get("location"), "../operator?period=7d");
});

test("a form that nobody has declared, and days without page requests, are no errors", async () => {
  assert.match(await site.read("/operator?form=99", ada), /No page requests of this form/);
  assert.match(await site.read("/operator?from=2020-01-01&to=2020-01-31", ada), /<b>0<\/b>/);
  assert.match(await site.read("/operator?from=2006-12-01", ada), /by 84 days/);
});

test("every chart has its numbers as CSV, with times that programs read", async () => {
  const firstLines = async (query: string) => {
    const lines = (await site.read(`/operator?${query}`, ada)).split("\r\n");
    return lines.slice(0, 2).map((line) => line.split(",").slice(0, 2).join());
  };
  const times = [
    { query: "period=2d&csv=time", first: ['"hour","pageRequests"', '"2026-11-26T16:00Z",18'] },
    { query: "period=7d&csv=time", first: ['"day","pageRequests"', '"2026-11-26",18'] },
    { query: "period=12m&csv=time", first: ['"day","pageRequests"', '"2026-11-20",19'] },
    { query: "from=2024-01-01&csv=time", first: ['"day","pageRequests"', '"2026-11-13",19'] },
    { query: "csv=hours", first: ['"hour","pageRequests"', '"00:00",0'] },
  ];
  for (const { query, first } of times) assert.deepEqual(await firstLines(query), first, query);
});

test("CSV has all rows and no formulas, and is an event with the operator's name", async () => {
  const response = await site.request("/operator?form=&csv=referrers", ada);
  assert.equal(response.headers.get("content-type"), "text/csv; charset=utf-8");
  assert.match(
    response.headers.get("content-disposition") ?? "",
    /^attachment; filename="operator-referrers-2026-11-26\.csv"$/,
  );
  assert.equal(await response.text(), '"referrer","pageRequests","share"\r\n"",1,1\r\n');
  const events = await site.read("/operator/events?event=operator-exported", ada);
  assert.match(events, /operator-exported<\/td><td>referrers<\/td>.*<td>Ada<\/td>/s);
});

test("CSV has IDs of forms, and times in UTC whatever the zone", async () => {
  const forms = await site.read("/operator?csv=forms", ada);
  assert.match(forms, /^"name","pageRequests","share","form",/);
  assert.match(forms, /^"Contact",2,[\d.]+,"2",/m);
  const events = await site.read("/operator/events?zone=Asia/Tokyo&csv=events", ada);
  assert.match(events, /^"2026-11-26T16:30:00\.000Z","form-changed",.*,2\r$/m);
});

test("times of events are in the zone that the operator chooses, and stay so", async () => {
  const chosen = await site.request("/operator/events?zone=Asia/Tokyo", ada);
  assert.match(await chosen.text(), /Time \(Asia\/Tokyo\).*2026-11-27 01:30:00/s);
  const [cookie = ""] = chosen.headers.get("set-cookie")?.split(";") ?? [];
  assert.match(await site.read("/operator/events", `${ada}; ${cookie}`), /2026-11-27 01:30:00/);
  const forged = await site.read("/operator/events", `${ada}; wfh-zone=Mars`);
  assert.match(forged, /Time \(UTC\).*2026-11-26 16:30:00/s);
});

test("log-in returns to the page that was asked for, and to no other site", async () => {
  const follow = async (next: string) => {
    const fields = { name: "Ada", password: "a quiet heron by the lake", next };
    return (await site.post("/operator/log-in", "", fields)).headers.get("location");
  };
  assert.equal(await follow("/operator?form=1&period=7d"), "../operator?form=1&period=7d");
  for (const next of ["https://evil.example/", "//evil.example/operator", "/operator/../x", ""]) {
    assert.equal(await follow(next), "../operator", next);
  }
});

test("a wrong password gets the form again, with one sentence", async () => {
  const response = await site.post("/operator/log-in", "", { name: "Ada", password: "wrong" });
  assert.equal(response.status, 401);
  const body = await response.text();
  assert.match(body, /role="alert"/);
  assert.doesNotMatch(body, /value="wrong"/);
});

test("pages of other origins read nothing, also where forms list them", async () => {
  for (const path of [...pages, "/operator/accounts?csv=accounts", "/operator/live/events"]) {
    const headers = {
      Origin: "https://www.example.org",
      "Sec-Fetch-Site": "same-site",
      Accept: "text/event-stream",
    };
    const response = await site.request(path, ada, { headers });
    assert.equal(response.status, 403, path);
    assert.equal(await response.text(), "Pages of other origins may not call here.\n");
    const own = await site.request(path, ada, { headers: { ...headers, Origin: site.url } });
    assert.equal(own.status, 200, path);
    assert.equal(own.headers.get("access-control-allow-origin"), null, path);
    await own.body?.cancel();
  }
});

test("requests for pages and reports that are refused for their origin are counted", async () => {
  const count = async () => {
    const metrics = await (await fetch(`${site.server.adminUrl}/metrics`)).text();
    return Number(
      /^wfh_operator_refusals_total\{reason="other-origin"\} (\d+)/m.exec(metrics)?.[1],
    );
  };
  const before = await count();
  const headers = { Origin: "https://evil.example" };
  for (const url of [
    `${site.url}/operator`,
    `${site.url}/api/v1/reports/days`,
    `${site.server.adminUrl}/operator/events`,
    `${site.server.adminUrl}/api/v1/reports/days`,
    `${site.url}/api/v1/sessions`,
  ]) {
    await fetch(url, { headers, redirect: "manual" });
  }
  assert.equal((await count()) - before, 4);
});
