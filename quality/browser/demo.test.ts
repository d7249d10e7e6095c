import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openSite, password } from "@wfh/server/test/server/log-in-server.ts";
import { startTestServer } from "@wfh/server/test/test-server.ts";
import {
  bounds,
  findingsOn,
  listenForComplaints,
  onPage,
  testPage,
  withoutScripts,
} from "./chromium.ts";
import { readAddress } from "./sdk-form.ts";

const site = await openSite({});
after(() => site.close());
const { adminUrl } = site.server;

testPage("the demo fills the address, by keyboard alone", `${site.url}/demo`, async (tab) => {
  await tab.focus("#zip");
  await tab.keyboard.type("75201");
  while ((await readAddress(tab))[1] === "") await tab.waitForTimeout(10);
  await tab.keyboard.press("Enter");
  await tab.getByText('{"zip":"75201","city":"Dallas","state":"Texas","country":"US"}').waitFor();
  assert.equal(await tab.locator("#user-name").count(), 0);
});

testPage("without JavaScript the demo sends only the address", "about:blank", (tab) =>
  withoutScripts(tab, async () => {
    await tab.goto(`${adminUrl}/demo`);
    assert.equal(await tab.locator("noscript:visible").count(), 2);
    const disabled = await tab.locator("button:disabled").allTextContents();
    assert.deepEqual(disabled, ["Log this page", "Log in", "Log in automatically", "Log out"]);
    await tab.press("#password", "Enter");
    await tab.fill("#zip", "75201");
    const [response] = await Promise.all([tab.waitForNavigation(), tab.press("#zip", "Enter")]);
    assert.equal(response?.status(), 200);
    assert.equal(new URL(tab.url()).searchParams.get("zip"), "75201");
  }),
);

test("the demo logs its page on demand only", bounds, async () => {
  const count = () => site.sql("select id from page_requests").length;
  const before = count();
  await onPage(`${site.url}/demo`, async (tab) => {
    assert.equal(count(), before);
    await tab.getByRole("button", { name: "Log this page" }).click();
    await tab.getByText("Logged", { exact: true }).waitFor();
  });
  assert.equal(count(), before + 1);
});

test("the demo at the admin listener logs visitors in and out", bounds, async () => {
  await site.addAccount("bob", 9_007_199_254_740_993n);
  await onPage(`${adminUrl}/demo`, async (tab) => {
    await tab.fill("#user-name", "bob");
    await tab.fill("#password", password);
    await tab.getByRole("button", { name: "Log in", exact: true }).click();
    await tab.getByText('"contactId":"9007199254740993"').waitFor();
    await tab.getByRole("button", { name: "Log out" }).click();
    await tab.getByText('{"ok":true}').waitFor();
  });
});

testPage(
  "the demo is accessible, fits the narrowest screen and breaks no policy",
  "about:blank",
  async (tab) => {
    const complaints = listenForComplaints(tab);
    await tab.goto(`${adminUrl}/demo`);
    await tab.fill("#city", "Boston");
    await tab.fill("#zip", "75201");
    await tab.getByRole("button", { name: "Use Dallas, Texas" }).waitFor();
    await tab.fill("#city", "san fran");
    await tab.getByRole("listbox").waitFor();
    await tab.press("#city", "ArrowDown");
    for (const colorScheme of ["light", "dark"] as const) {
      await tab.emulateMedia({ colorScheme });
      assert.deepEqual(await findingsOn(tab), []);
    }
    await tab.setViewportSize({ width: 320, height: 640 });
    // The open list follows with the event of the new size.
    await tab.waitForFunction("document.documentElement.scrollWidth === 320");
    assert.deepEqual(complaints, []);
  },
);

test("there is no demo without help pages", bounds, async () => {
  const { url } = await startTestServer({ WFH_HELP_PAGES: "off" });
  for (const path of ["/demo", "/demo.js"]) assert.equal((await fetch(url + path)).status, 404);
});
