import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { after, test } from "node:test";
import { chromium, type Page, type Request } from "playwright-core";
import { startTestServer } from "../test-server.ts";

const executablePath = process.env["WFH_TEST_CHROMIUM"] ?? "/usr/bin/chromium";
const skip = existsSync(executablePath)
  ? false
  : `there is no ${executablePath}: apt-get install chromium, or set WFH_TEST_CHROMIUM`;

/** A page of another origin, which logs itself as the forms of our users do. */
const page = (log: string) => `<!doctype html><title>A form</title><script>
const call = { form_id: 12, screenWidth: screen.width, pageRequestUrl: location.href };
async function log(how) {
  const body = JSON.stringify({ ...call, trans_id: how === "fetch" ? 1 : 2 });
  if (how === "beacon") return navigator.sendBeacon(${JSON.stringify(log)}, body);
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(${JSON.stringify(log)}, { method: "POST", headers, body });
  return (await answer.json()).d === null;
}
</script>`;

/** Serves the page on an origin of its own; resolves to its address. */
async function servePage(): Promise<{ url: string; logTo: (url: string) => void }> {
  let target = "";
  const site = createServer((_request, response) => {
    response.setHeader("Content-Type", "text/html");
    response.end(page(target));
  }).listen(0, "127.0.0.1");
  after(() => site.close());
  await new Promise((resolve) => site.once("listening", resolve));
  const { port } = site.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    logTo: (url) => {
      target = `${url}/api/WebFormsAjaxEndpoint.svc/LogPageRequestAsync`;
    },
  };
}

/** Opens a page in a browser of its own, and closes that in any case. */
async function onPage(url: string, use: (tab: Page) => Promise<void>): Promise<void> {
  const args = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
  ];
  const browser = await chromium.launch({ executablePath, args });
  try {
    const tab = await browser.newPage();
    await tab.goto(url);
    await use(tab);
  } finally {
    await browser.close();
  }
}

const bounds = { skip, timeout: 60_000 };

test("a page of another origin logs a page request by fetch and by beacon", bounds, async () => {
  const site = await servePage();
  const server = await startTestServer({ WFH_ALLOWED_ORIGINS: site.url });
  site.logTo(server.url);
  await onPage(`${site.url}/form?token=abc`, async (tab) => {
    assert.equal(await tab.evaluate("log('fetch')"), true);
    const isBeacon = (request: Request) => request.resourceType() === "ping";
    const logged = tab.waitForEvent("requestfinished", isBeacon);
    assert.equal(await tab.evaluate("log('beacon')"), true);
    assert.equal((await (await logged).response())?.status(), 200);
  });
  const rows = await Array.fromAsync(server.store.reader.list({ fromMs: null, toMs: null }));
  assert.deepEqual(
    rows.map(({ transId }) => transId),
    [1n, 2n],
  );
  for (const { formId, userAgent, pageUrl } of rows) {
    assert.equal(formId, 12n);
    assert.match(userAgent ?? "", /Chrome/);
    assert.equal(pageUrl, `${site.url}/form?token=[blanked]`);
  }
});

test("a page of an origin that is not listed can log nothing", bounds, async () => {
  const site = await servePage();
  const server = await startTestServer();
  site.logTo(server.url);
  await onPage(site.url, async (tab) => {
    await assert.rejects(tab.evaluate("log('fetch')"), /Failed to fetch/);
  });
  assert.equal((await server.store.reader.stats(1)).rows, 0);
});
