import assert from "node:assert/strict";
import { test } from "node:test";
import { ajaxEndpoint } from "@wfh/server/contract/ajax-endpoint.ts";
import { locationHelper } from "@wfh/server/contract/location-helper.ts";
import { restApi } from "@wfh/server/contract/rest-api.ts";
import { openTestSite, password } from "@wfh/server/test/server/log-in-server.ts";
import { startTestServer } from "@wfh/server/test/test-server.ts";
import type { Page } from "playwright-core";
import { bounds, onPage, testPage } from "./chromium.ts";

const { path: api } = restApi;
const { url } = await startTestServer();
const lookUp = `${url}${locationHelper.path}?op=PostalCodeToCityState`;

/** Of the page itself: the driver learns it later. */
const addressOf = (tab: Page) => tab.evaluate<string>("location.href");
const textOf = async (tab: Page, selector: string) => (await tab.textContent(selector)) ?? "";

testPage("samples and messages follow the values in the form", lookUp, async (tab) => {
  await tab.fill("#field-postalCode", "O'Higgins \"<&");
  const samples = await Promise.all([0, 1, 2, 3, 4].map((n) => textOf(tab, `#sample-${n}`)));
  const literals = [
    String.raw`"O'\''Higgins \"<&"`,
    String.raw`"O'Higgins \"<&"`,
    String.raw`"O'Higgins \"<&"`,
    String.raw`'O\'Higgins "<&'`,
    String.raw`"O'Higgins \"<&"`,
  ];
  for (const [index, literal] of literals.entries()) {
    assert.ok(samples[index]?.includes(literal), `${samples[index]}`);
  }
  const envelope = await textOf(tab, "#soap11-example-request");
  const element = "<postalCode>O'Higgins \"&lt;&amp;</postalCode>";
  assert.ok(envelope.includes(element));
  const [, body = ""] = envelope.split("\n\n");
  assert.ok(envelope.includes(`Content-Length: ${Buffer.byteLength(body)}\n`));
});

testPage(
  "samples of REST follow the values, and the example is back when the form is empty",
  `${url}${api}?op=logPageRequests`,
  async (tab) => {
    const example = await textOf(tab, "#sample-1");
    assert.match(example, /formId: "12"/);
    await tab.fill("#field-transId", "20260314150926535");
    assert.match(
      await textOf(tab, "#sample-1"),
      /JSON\.stringify\(\{\n {4}transId: "20260314150926535",\n {2}\}\)/,
    );
    assert.match(
      await textOf(tab, "#rest-example-request"),
      /\n\n\{\n {2}"transId": "20260314150926535"\n\}$/,
    );
    await tab.fill("#field-transId", "");
    assert.equal(await textOf(tab, "#sample-1"), example);
    await tab.goto(`${url}${api}?op=findPlaces#country=CA&postalCode=K1A%200B1`);
    await tab.waitForFunction("document.querySelector('#sample-0').textContent.includes('/CA/')");
    assert.ok((await textOf(tab, "#sample-0")).includes("/api/v1/places/CA/K1A%200B1"));
  },
);

/** Start of each binding's curl sample. */
const calls = {
  soap11: /^curl \S+\.asmx' .*text\/xml.*<postalCode>90210</s,
  soap12: /^curl \S+\.asmx' .*application\/soap\+xml.*<postalCode>90210</s,
  "http-get": /^curl \S+\?postalCode=90210'$/,
  "http-post": /^curl .*--data-raw 'postalCode=90210'$/s,
  json: /^curl .*application\/json.*"postalCode": "90210"/s,
};
test(
  "one choice of the binding is for samples, messages, the response and the form",
  bounds,
  async () => {
    await onPage(lookUp, async (tab) => {
      await tab.fill("#field-postalCode", "90210");
      for (const [binding, call] of Object.entries(calls)) {
        await tab.check(`input[value=${binding}]`);
        assert.match(await textOf(tab, "#sample-0"), call);
        const shown = await tab
          .locator(".messages pre:visible code")
          .evaluateAll((nodes) => nodes.map(({ id }) => id));
        assert.deepEqual(shown, [`${binding}-example-request`, `${binding}-example-response`]);
        const message = await textOf(tab, `#${binding}-example-response`);
        assert.equal(await textOf(tab, "#response-body"), message.split("\n\n")[1]);
      }
      await tab.check("input[value=soap11]");
      await tab.click("#send");
      await tab.waitForSelector("#response:not([hidden])");
      await tab.waitForSelector("#send:not([aria-disabled])");
      assert.match(await textOf(tab, "#response-body"), /<soap:Envelope.*Beverly Hills/s);
      await tab.check("input[value=json]");
      assert.match(
        await textOf(tab, "#response-body"),
        /Beverly Hills/,
        "a received response stays",
      );
    });
    await onPage(`${url}${ajaxEndpoint.path}?op=LogInUser`, async (tab) => {
      await tab.check("input[value=soap11]");
      assert.match(await textOf(tab, "#sample-0"), /text\/xml/, "without a form too");
      await tab.evaluate("localStorage.clear()");
    });
  },
);

testPage("the address of the page has the values, and opens with them", lookUp, async (tab) => {
  await tab.fill("#field-postalCode", "90210");
  const shared = await addressOf(tab);
  assert.equal(new URL(shared).hash, "#postalCode=90210");
  assert.equal(new URL(shared).search, new URL(lookUp).search, "no request has them");
  await tab.fill("#field-postalCode", "10001");
  assert.equal(await addressOf(tab), lookUp);
  await tab.goto("about:blank");
  await tab.goto(shared);
  assert.equal(await tab.inputValue("#field-postalCode"), "90210");
  assert.match(await textOf(tab, "#sample-0"), /"postalCode": "90210"/);
});

test(
  "no password is in the address or in a sample, and none is taken from the address",
  bounds,
  async () => {
    const { server } = await openTestSite();
    for (const [target, secret] of [
      [`${server.adminUrl}${ajaxEndpoint.path}?op=LogInUser`, "passWord"],
      [`${server.adminUrl}${api}?op=logIn`, "password"],
    ] as const) {
      await onPage(`${target}#${secret}=fromtheaddress`, async (tab) => {
        assert.equal(await tab.inputValue(`#field-${secret}`), "");
        await tab.fill("#field-userName", "bob");
        await tab.fill(`#field-${secret}`, password);
        assert.equal(new URL(await addressOf(tab)).hash, "#userName=bob");
        const shown = await textOf(tab, "main");
        assert.ok(shown.includes("bob") && !shown.includes(password));
        const kept = await tab.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage })");
        assert.ok(!String(kept).includes(password));
      });
    }
  },
);

testPage(
  "JSON is preselected, and what was chosen is remembered on other pages",
  lookUp,
  async (tab) => {
    assert.equal(await tab.inputValue("input[name=binding]:checked"), "json");
    assert.equal(await tab.isVisible("#json-example-request"), true);
    await tab.check("input[name=binding][value=soap12]");
    await tab.check("input[name=sample][value=Python]");
    await tab.goto(`${url}${ajaxEndpoint.path}?op=LogPageRequestAsync`);
    assert.equal(await tab.inputValue("input[name=binding]:checked"), "soap12");
    assert.equal(await tab.isVisible("#sample-4"), true, "Python");
    assert.match(await textOf(tab, "#sample-4"), /port_name="CustomBinding_/);
    await tab.goto(`${url}${api}?op=findPlaces`);
    assert.equal(await tab.inputValue("input[name=sample]:checked"), "Python");
    await tab.evaluate("localStorage.setItem('wfh-choices', '{not JSON')");
    await tab.reload();
    assert.equal(await tab.inputValue("input[name=sample]:checked"), "curl");
    await tab.evaluate("localStorage.clear()");
  },
);

const outcomes = [
  { op: "findPlaces#postalCode=90210", words: "Beverly Hills, California (US)", kind: "done" },
  { op: "findPlaces#postalCode=00000", words: "No place has that code", kind: "notdone" },
  { op: "findPlaces#country=USA", words: "Failed", kind: "failed" },
  { op: "listStates", words: "States of United States: ", kind: "done" },
  { op: "logPageRequests", words: "Logged", kind: "done" },
] as const;
for (const { op, words, kind } of outcomes) {
  testPage(
    `a call of the REST API says in words what became of it: ${op}`,
    `${url}${api}?op=${op}`,
    async (tab) => {
      await tab.click("#send");
      await tab.waitForSelector("#response:not([hidden])");
      await tab.waitForSelector("#send:not([aria-disabled])");
      assert.equal(await tab.getAttribute("#outcome", "class"), `outcome ${kind}`);
      assert.ok((await textOf(tab, "#outcome")).includes(words));
    },
  );
}
