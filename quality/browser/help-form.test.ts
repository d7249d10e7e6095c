import assert from "node:assert/strict";
import { test } from "node:test";
import { ajaxEndpoint } from "@wfh/server/contract/ajax-endpoint.ts";
import { locationHelper } from "@wfh/server/contract/location-helper.ts";
import { openTestSite, password } from "@wfh/server/test/server/log-in-server.ts";
import { startTestServer } from "@wfh/server/test/test-server.ts";
import type { Page } from "playwright-core";
import { bounds, onPage, testPage } from "./chromium.ts";

const { path: location } = locationHelper;
const { path: endpoint } = ajaxEndpoint;
const operation = `${location}?op=PostalCodeToCityState`;
const { url } = await startTestServer();

/** Moves the focus by the keyboard alone until it is on an element. */
async function tabTo(tab: Page, selector: string): Promise<void> {
  // More stops than any page has.
  for (let stops = 0; stops < 60; stops += 1) {
    await tab.keyboard.press("Tab");
    if (await tab.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
  }
  assert.fail(`${selector} is not reached by Tab`);
}

/** Waits for what the form says of the call that was just made. */
async function outcome(tab: Page): Promise<string> {
  await tab.waitForSelector("#send:not([aria-disabled])");
  return (await tab.textContent("#outcome")) ?? "";
}

/** The words of a call that was carried out, and the status beside them. */
const isDone =
  /^(?:.+, .+ \(\w\w\)|No place has that .+|Logged.*) 200 OK in [\d.]+ ms, [\d,]+ bytes$/;

/** Calls with what stands in the form, over one of the bindings. */
async function callOver(tab: Page, binding: string): Promise<string> {
  await tab.check(`input[name=binding][value=${binding}]`);
  await tab.click("#send");
  return outcome(tab);
}

testPage(
  "the form calls over each binding by the keyboard alone, and shows the response",
  url + operation,
  async (tab) => {
    // JSON is selected at first, and the arrow keys go round.
    const [...bindings] = locationHelper.bindings;
    for (const binding of ["json", ...bindings.slice(0, -1)]) {
      await tabTo(tab, "#field-postalCode");
      await tab.keyboard.press("Control+A");
      await tab.keyboard.type("90210");
      await tab.keyboard.press("Enter");
      assert.match(await outcome(tab), /^Beverly Hills, California \(US\) 200 OK in/, binding);
      const body = (await tab.textContent("#response-body")) ?? "";
      assert.match(body, /Beverly Hills/, binding);
      assert.ok(body.includes("\n"), "it is laid out");
      assert.equal(await tab.textContent("#reason"), "");
      assert.match(
        (await tab.textContent("#response-head")) ?? "",
        /^HTTP\/1\.1 200 OK\n.*content-type: /s,
      );
      assert.match((await tab.textContent("#request-sent")) ?? "", /^(?:GET|POST) \/api\/.*90210/s);
      assert.ok((await tab.$$("#response-body span")).length > 5, "it is coloured");
      await tab.keyboard.press("Shift+Tab");
      assert.equal(await tab.inputValue("input[name=binding]:checked"), binding);
      await tab.keyboard.press("ArrowRight");
    }
    assert.equal(await tab.inputValue("input[name=binding]:checked"), "json");
    await tabTo(tab, "#send");
    await tab.keyboard.press("Space");
    assert.match(await outcome(tab), /^Beverly Hills/);
    await tab.check("#as-sent");
    const sent = (await tab.textContent("#response-body")) ?? "";
    assert.ok(sent.startsWith('{"d":{"City":"Beverly Hills","State":{'), "the last was JSON");
  },
);

/** Message of each binding about an invalid number. */
const unreadable =
  /^Server was unable to read request.*Input string was not in a correct format\.$/;
const reasons: Readonly<Record<string, RegExp>> = {
  soap11: unreadable,
  soap12: unreadable,
  "http-get": /^Cannot convert abc to System\.Int32\./,
  "http-post": /^Cannot convert abc to System\.Int32\./,
  json: /^The value of 'countryId' cannot be read\./,
};

testPage(
  "what goes wrong is shown with its reason, and markup as text",
  `${url}${location}?op=GetStateListForCountryId`,
  async (tab) => {
    await tab.fill("#field-countryId", "abc");
    for (const [binding, reason] of Object.entries(reasons)) {
      assert.match(await callOver(tab, binding), /^Failed [45]00 [\w ]+ in /, binding);
      assert.match((await tab.textContent("#reason")) ?? "", reason, binding);
      assert.equal(await tab.isVisible("#response-body"), true);
    }
    await tab.fill("#field-countryId", "<img src=x onerror=alert(1)>");
    assert.match(await callOver(tab, "json"), /^Failed 500 /);
    assert.equal(await tab.evaluate("document.images.length"), 0);
    await tab.route("**/GetStateListForCountryId", (route) => route.abort());
    assert.match(await callOver(tab, "json"), /^No response after /);
    assert.match((await tab.textContent("#reason")) ?? "", /could not be reached/);
    assert.equal(await tab.isVisible("#response-body"), false);
  },
);

/** Responses that the service never sends, and what the form says about them. */
const foreign: readonly { type: string; status: number; body: string; said: RegExp }[] = [
  {
    type: "text/html",
    status: 502,
    body: "<html><h1>502 Bad Gateway</h1></html>",
    said: /^The response is a web page, which this service never sends/,
  },
  { type: "text/html", status: 200, body: "<h1>Sign in</h1>", said: /^The response is a web page/ },
  { type: "text/plain", status: 503, body: "No backend.\n", said: /^No backend\.$/ },
  { type: "application/json", status: 500, body: '{"Message":{}}', said: /gives no reason/ },
  { type: "application/json", status: 200, body: `"${'\\"'.repeat(45_000)}`, said: /^$/ },
  { type: "application/json", status: 200, body: "[".repeat(95_000), said: /^$/ },
  { type: "text/xml", status: 200, body: "<a>".repeat(30_000), said: /^$/ },
];

testPage(
  "a response that is not of this service is shown, and reported as such",
  url + operation,
  async (tab) => {
    for (const { type, status, body, said } of foreign) {
      await tab.route("**/PostalCodeToCityState", (route) =>
        route.fulfill({ status, contentType: type, body }),
      );
      const outcomeText = await callOver(tab, "json");
      assert.match(
        outcomeText,
        new RegExp(`^(?:Failed|Not a response of this service) ${status} `),
      );
      assert.match((await tab.textContent("#reason")) ?? "", said, body.slice(0, 40));
      const isRed = (await tab.getAttribute("#outcome", "class"))?.includes("failed");
      assert.equal(isRed, status !== 200 || type === "text/html");
      await tab.unroute("**/PostalCodeToCityState");
    }
  },
);

test("any text that a field can hold is sent, over each binding", bounds, async () => {
  const text = "<&>]]>\"' +%=é😀\u2028\ud800";
  const arrived = text.toWellFormed();
  await onPage(url + operation, async (tab) => {
    const bodies: string[] = [];
    tab.on("request", (request) => bodies.push(request.postData() ?? request.url()));
    // As a script or an extension fills fields in: who types has no halves of characters.
    await tab.evaluate(
      `document.getElementById("field-postalCode").value = ${JSON.stringify(text)}`,
    );
    for (const binding of locationHelper.bindings) {
      assert.match(await callOver(tab, binding), isDone, binding);
    }
    const [soap11, soap12, get = "", post = "", json = ""] = bodies;
    const xml = arrived.replace("&", "&amp;").replace("<", "&lt;").replaceAll(">", "&gt;");
    for (const envelope of [soap11, soap12]) {
      assert.ok(envelope?.includes(`<postalCode>${xml}</postalCode>`), envelope);
    }
    for (const fields of [new URL(get).search, post]) {
      assert.equal(new URLSearchParams(fields).get("postalCode"), arrived);
    }
    assert.deepEqual(JSON.parse(json), { postalCode: text });
  });
});

/** Calls without a fault, by outcome: the words, their style and the reason. */
const outcomes: readonly {
  readonly page: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly words: RegExp;
  readonly kind: "done" | "notdone";
  readonly said?: RegExp;
}[] = [
  {
    page: operation,
    fields: { postalCode: "10001" },
    words: /^New York, New York \(US\) 200 OK/,
    kind: "done",
  },
  {
    page: operation,
    fields: { postalCode: "00000" },
    words: /^No place has that code 200 OK/,
    kind: "notdone",
  },
  {
    page: `${location}?op=GetStateListForCountryId`,
    fields: {},
    words: /^Received 200 OK/,
    kind: "done",
  },
  {
    page: `${endpoint}?op=LogPageRequestAsync`,
    fields: {},
    words: /^Logged 200 OK/,
    kind: "done",
  },
  {
    page: `${endpoint}?op=LogInUser`,
    fields: { userName: "ann", passWord: password },
    words: /^Logged in: contact 7310248655120934177, record \d+ 200 OK/,
    kind: "done",
  },
  {
    page: `${endpoint}?op=LogInUser`,
    fields: { userName: "ann", passWord: "a guess" },
    words: /^Log-in refused 200 OK/,
    kind: "notdone",
    said: /^Log-in failed\. Check the user name/,
  },
  {
    page: `${endpoint}?op=TryAutoLogIn`,
    fields: { form_id: "7" },
    words: /^Not logged in 200 OK/,
    kind: "notdone",
    said: /./,
  },
];

test("the form says in words what became of a call, over each binding", bounds, async () => {
  const site = await openTestSite();
  const { adminUrl } = site.server;
  await site.addAccount("ann", 7_310_248_655_120_934_177n);
  await onPage(adminUrl, async (tab) => {
    for (const { page, fields, words, kind, said = /^$/ } of outcomes) {
      const { bindings } = page.startsWith(location) ? locationHelper : ajaxEndpoint;
      await tab.goto(adminUrl + page);
      for (const [name, value] of Object.entries(fields)) await tab.fill(`#field-${name}`, value);
      for (const binding of bindings) {
        assert.match(await callOver(tab, binding), words, binding);
        assert.equal(await tab.getAttribute("#outcome", "class"), `outcome ${kind}`);
        assert.match((await tab.textContent("#reason")) ?? "", said, binding);
      }
    }
  });
});

test("a form sends no made-up ids: optional fields start empty", bounds, async () => {
  const { url, stored } = await startTestServer();
  await onPage(`${url}${endpoint}?op=LogPageRequestAsync`, async (tab) => {
    assert.match((await tab.textContent(".call")) ?? "", /Each call adds a row/);
    assert.match(await callOver(tab, "json"), isDone);
    assert.match((await tab.textContent("#request-sent")) ?? "", /\n\n\{\}$/);
  });
  const [row] = await stored();
  assert.deepEqual([row?.formId, row?.contactId, row?.pageUrl], [null, null, null]);
});

test("ids of 64 bits keep all their digits, and empty fields are not sent", bounds, async () => {
  const { url, stored } = await startTestServer();
  await onPage(`${url}${endpoint}?op=LogPageRequestAsync`, async (tab) => {
    await tab.fill("#field-form_id", "9223372036854775807");
    await tab.fill("#field-pageRequestUrl", "https://forms.example/?a=1&b=<2>");
    for (const binding of ajaxEndpoint.bindings) {
      assert.match(await callOver(tab, binding), isDone, binding);
    }
  });
  const rows = await stored();
  assert.deepEqual(
    rows.map(({ formId, pageUrl, isAuthenticated }) => ({ formId, pageUrl, isAuthenticated })),
    ajaxEndpoint.bindings.map(() => ({
      formId: 9223372036854775807n,
      pageUrl: "https://forms.example/?a=1&b=<2>",
      isAuthenticated: null,
    })),
  );
});

test(
  "the form calls the origin that its page is from, whatever the base address is",
  bounds,
  async () => {
    const { url } = await startTestServer({ WFH_BASE_URL: "https://public.example/forms" });
    await onPage(url + operation, async (tab) => {
      assert.match(await callOver(tab, "soap12"), isDone);
      const sample = (await tab.textContent("#sample-0")) ?? "";
      assert.ok(sample.includes(`https://public.example/forms${location}`));
    });
  },
);

test(
  "operations with credentials have a form at the admin listener, and nowhere else",
  bounds,
  async () => {
    const site = await openTestSite({ WFH_BASE_URL: "https://public.example" });
    const { url, adminUrl } = site.server;
    const { contactId } = await site.addAccount("bob");
    await onPage(`${url}${endpoint}?op=LogInUser`, async (tab) => {
      assert.equal(await tab.$("form"), null);
      assert.match((await tab.textContent("main")) ?? "", /WFH_ADMIN_PORT/);
      await tab.goto(`${adminUrl}${endpoint}?op=LogInUser`);
      await tab.fill("#field-userName", "bob");
      assert.equal(await tab.inputValue("#field-passWord"), "");
      await tab.fill("#field-passWord", password);
      assert.match(await callOver(tab, "json"), isDone);
      const body = (await tab.textContent("#response-body")) ?? "";
      assert.match(body, /"Success": true/);
      assert.ok(body.includes(`"Contact_Id": ${contactId},`), "with all its digits");
      const sent = (await tab.textContent("#request-sent")) ?? "";
      assert.match(sent, /"userName": "bob"/);
      assert.ok(!sent.includes(password), "the password is not shown");
    });
  },
);
