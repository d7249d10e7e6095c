import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type OperatorSite, startOperatorSite } from "@wfh/console/test/operator-site.ts";
import type { Page } from "playwright-core";
import { bounds, findingsOn, listenForComplaints, onPage } from "./chromium.ts";

let site: OperatorSite;
before(async () => {
  site = await startOperatorSite();
});
after(() => site.close());

/** Opens the live view of an operator of its own. */
async function onLiveView(name: string, work: (tab: Page) => Promise<void>): Promise<void> {
  await site.addOperator(name);
  const [cookieName = "", value = ""] = (await site.logIn(name)).split("=");
  await onPage("about:blank", async (tab) => {
    await tab.context().addCookies([{ name: cookieName, value, url: site.url }]);
    await tab.goto(`${site.url}/operator/live?zone=Asia/Kathmandu`);
    await tab.getByText("Page requests appear here as they arrive.").waitFor();
    await work(tab);
  });
}

test("page requests appear as they arrive, can be paused, and are only text", bounds, async () => {
  await site.log({ pageUrl: "/before" });
  await onLiveView("ada", async (tab) => {
    const complaints = listenForComplaints(tab);
    await tab.getByText("/before").waitFor();
    await site.log({ pageUrl: "/<img src=x onerror=alert(1)>\u202e" });
    await tab.getByText("/<img src=x onerror=alert(1)>\\u202e").waitFor();
    const times = await tab.locator("#live time").allTextContents();
    assert.deepEqual(times, ["2026-11-26 22:15:00", "2026-11-26 22:15:00"]);
    await tab.getByRole("button", { name: "Pause" }).click();
    await tab.getByText("Paused.").waitFor();
    await site.log({ pageUrl: "/while-paused" });
    await tab.getByRole("button", { name: "Continue" }).click();
    await tab.getByText("/while-paused").waitFor();
    const pages = await tab.locator("#live tbody td:nth-child(3)").allTextContents();
    assert.deepEqual(pages, ["/while-paused", "/<img src=x onerror=alert(1)>\\u202e", "/before"]);
    assert.deepEqual(complaints, []);
    for (const colorScheme of ["light", "dark"] as const) {
      await tab.emulateMedia({ colorScheme });
      assert.deepEqual(await findingsOn(tab), []);
    }
    await tab.setViewportSize({ width: 320, height: 640 });
    assert.equal(await tab.evaluate("document.documentElement.scrollWidth"), 320);
  });
});

test("the view of an operator who is removed leads to the log-in", bounds, async () => {
  await onLiveView("alan", async (tab) => {
    const operator = await site.queries.operators.find("alan");
    assert.ok(operator !== null);
    await site.queries.operators.remove(operator, [], 0);
    await tab.waitForURL(/\/operator\/log-in/);
    assert.equal(await tab.locator("#live").count(), 0);
  });
});

test("a view says that the server has gone", bounds, async () => {
  await onLiveView("grace", async (tab) => {
    await site.server.listening.close();
    await tab.getByText("No connection to the server. Trying again…").waitFor();
  });
});
