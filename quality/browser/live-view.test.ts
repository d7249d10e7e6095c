import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { startLiveSite } from "@wfh/console/test/live-site.ts";
import { temporaryDatabase } from "@wfh/server/test/test-server.ts";
import { bounds, findingsOn, listenForComplaints, onPage } from "./chromium.ts";

const start = (t: TestContext, findForms?: Parameters<typeof startLiveSite>[2]) =>
  startLiveSite(t, { url: temporaryDatabase() }, findForms);

const path = "/operator/live";

test("page requests appear as they arrive, can be paused, and are only text", bounds, async (t) => {
  const { server, log } = await start(t);
  await log("/before");
  await onPage(server.url + path, async (tab) => {
    const complaints = listenForComplaints(tab);
    const cells = () => tab.locator("#live tbody td:nth-child(3)").allTextContents();
    await tab.getByText("/before").waitFor();
    await log("/<img src=x onerror=alert(1)>");
    await tab.getByText("/<img src=x onerror=alert(1)>").waitFor();
    await tab.getByText("Page requests appear here as they arrive.").waitFor();
    assert.match(
      (await tab.locator("#live time").first().textContent()) ?? "",
      /^2026-11-21 15:45:00$/,
    );
    await tab.getByRole("button", { name: "Pause" }).click();
    await tab.getByText("Paused.").waitFor();
    await log("/while-paused");
    await tab.getByRole("button", { name: "Continue" }).click();
    await tab.getByText("/while-paused").waitFor();
    assert.deepEqual(await cells(), ["/while-paused", "/<img src=x onerror=alert(1)>", "/before"]);
    assert.deepEqual(complaints, []);
    assert.deepEqual(await findingsOn(tab), []);
  });
});

test("a view loads its page again when its operator may not see it any more", bounds, async (t) => {
  let forms: null | undefined = null;
  const { server, log } = await start(t, async () => forms);
  await log("/seen");
  await onPage(server.url + path, async (tab) => {
    await tab.getByText("/seen").waitFor();
    const reloaded = tab.waitForEvent("load");
    forms = undefined;
    await reloaded;
    await tab.getByText("No connection to the server.").waitFor();
    assert.equal(await tab.getByText("/seen").count(), 0);
  });
});

test("a view says that the server has gone", bounds, async (t) => {
  const { server } = await start(t);
  await onPage(server.url + path, async (tab) => {
    await tab.getByText("Page requests appear here as they arrive.").waitFor();
    await server.listening.close();
    await tab.getByText("No connection to the server. Trying again…").waitFor();
  });
});
