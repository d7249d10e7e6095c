import assert from "node:assert/strict";
import { describe } from "node:test";
import { ajaxEndpoint } from "@wfh/server/contract/ajax-endpoint.ts";
import { locationHelper } from "@wfh/server/contract/location-helper.ts";
import { restApi } from "@wfh/server/contract/rest-api.ts";
import { startTestServer } from "@wfh/server/test/test-server.ts";
import type { Page } from "playwright-core";
import { findingsOn, listenForComplaints, testPage, withoutScripts } from "./chromium.ts";

const { path: location } = locationHelper;
const { path: endpoint } = ajaxEndpoint;
const { path: api } = restApi;
const operation = `${location}?op=PostalCodeToCityState`;
const { url } = await startTestServer();

describe("without JavaScript", () => {
  const testPageWithout = (title: string, target: string, use: (tab: Page) => Promise<void>) =>
    testPage(title, "about:blank", (tab) =>
      withoutScripts(tab, async () => {
        await tab.goto(target);
        await use(tab);
      }),
    );
  testPageWithout("the form of a look-up opens the response", url + operation, async (tab) => {
    await tab.fill("#field-postalCode", "02108");
    const [response] = await Promise.all([
      tab.waitForNavigation(),
      tab.press("#field-postalCode", "Enter"),
    ]);
    assert.equal(new URL(tab.url()).search, "?postalCode=02108");
    assert.match((await response?.text()) ?? "", /<City>Boston<\/City>/);
  });
  testPageWithout(
    "a form that cannot be sent says so, and messages of each binding can be chosen",
    `${url}${endpoint}?op=LogPageRequestAsync`,
    async (tab) => {
      assert.equal(await tab.isDisabled("#send"), true);
      assert.equal(await tab.isVisible("#response"), false, "no result is promised");
      assert.match((await tab.textContent("noscript")) ?? "", /needs JavaScript/);
      assert.equal(await tab.isVisible("#json-example-request"), true);
      await tab.check("input[name=binding][value=soap11]");
      await tab.check("input[name=values][value=placeholders]");
      assert.equal(await tab.isVisible("#soap11-placeholders-request"), true);
      assert.equal(await tab.isVisible("#soap11-example-request"), false);
      assert.equal(await tab.isVisible("#json-placeholders-request"), false);
    },
  );
});

testPage("a button copies a code sample, over plain HTTP too", url + operation, async (tab) => {
  await tab.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const sample = await tab.textContent("#sample-0");
  await tab.click("button[data-copy=sample-0]");
  await tab.waitForFunction(
    'document.getElementById("spoken").textContent === "Copied: curl sample"',
  );
  assert.equal(await tab.evaluate("navigator.clipboard.readText()"), sample);
  await tab.evaluate("navigator.clipboard.writeText('')");
  await tab.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
  await tab.check("input[name=sample][value=PHP]");
  await tab.click("button[data-copy=sample-3]");
  await tab.waitForFunction(
    'document.getElementById("spoken").textContent === "Copied: PHP sample"',
  );
  await tab.reload();
  assert.equal(
    await tab.evaluate("navigator.clipboard.readText()"),
    await tab.textContent("#sample-3"),
  );
});

/** Rules to run again when only the colours differ. */
const colours = { runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } };

const pages = [
  `${location}?op=GetCityStateForPostalCode`,
  "/",
  location,
  endpoint,
  operation,
  `${location}?op=Nothing`,
  `${endpoint}?op=LogPageRequestAsync`,
  `${endpoint}?op=LogInUser`,
  "/?postalCode=10001",
  "/?postalCode=00000",
  "/nowhere",
  api,
  `${api}?op=findPlaces`,
  `${api}?op=logPageRequests`,
  `${api}?op=logIn`,
];

for (const target of pages) {
  testPage(
    `${target} is accessible in light and dark, and fits the narrowest screen`,
    "about:blank",
    async (tab) => {
      const complaints = listenForComplaints(tab, (from) => /nowhere$|=Nothing$/.test(from));
      await tab.setViewportSize({ width: 1280, height: 900 });
      await tab.goto(url + target);
      if (target === operation) {
        await tab.click("#send");
        await tab.waitForSelector("#response:not([hidden])");
      }
      await tab.emulateMedia({ colorScheme: "light" });
      assert.deepEqual(await findingsOn(tab), []);
      await tab.emulateMedia({ colorScheme: "dark" });
      assert.deepEqual(await findingsOn(tab, colours), [], "in the dark");
      await tab.setViewportSize({ width: 320, height: 640 });
      assert.equal(await tab.evaluate("document.documentElement.scrollWidth"), 320);
      await tab.setViewportSize({ width: 390, height: 844 });
      assert.deepEqual(await tab.evaluate(brokenNames), []);
      assert.deepEqual(await tab.evaluate(brokenCode), []);
      assert.deepEqual(complaints, []);
    },
  );
}

/** Names that take more than one line. */
const brokenNames = `[...document.querySelectorAll("h1, h3, .parts code, nav a span, .rows h3 a, th code, label code")]
  .filter((node) => /^[\\w.-]+$/.test(node.textContent) && node.checkVisibility())
  .filter((node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return range.getBoundingClientRect().height > 1.9 * parseFloat(getComputedStyle(node).fontSize);
  })
  .map(({ textContent }) => textContent)`;

/** Names in samples and messages, all tabs unfolded, that take more than one line. */
const brokenCode = `(() => {
  for (const node of document.querySelectorAll(".panel, .values-placeholders")) node.style.display = "grid";
  const broken = [];
  for (const code of document.querySelectorAll("pre code")) {
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const node = texts.currentNode;
      for (const { 0: name, index } of node.data.matchAll(/[\\w$-]+/g)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + name.length);
        if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) broken.push(name);
      }
    }
  }
  return broken;
})()`;

testPage("the lines for a web page make a call as they stand", url + location, async (tab) => {
  const lines = (await tab.textContent("#client-4")) ?? "";
  assert.ok(lines.includes(`<script src="${url}${location}/js">`));
  await tab.route(`${url}/form`, (route) =>
    route.fulfill({ contentType: "text/html", body: `<!doctype html><title>x</title>${lines}` }),
  );
  const [message] = await Promise.all([
    tab.waitForEvent("console", { predicate: (said) => said.type() === "log" }),
    tab.goto(`${url}/form`),
  ]);
  assert.match(JSON.stringify(await message.args()[0]?.jsonValue()), /"City":"New York"/);
});
