import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { operatorPassword } from "@wfh/console/test/access-world.ts";
import { presentMs, startOperatorSite } from "@wfh/console/test/operator-site.ts";
import { newAccount } from "@wfh/server/test/store/log-in-sample.ts";
import type { Page } from "playwright-core";
import { bounds, findingsOn, listenForComplaints, onPage, withoutScripts } from "./chromium.ts";

const dayMs = 86_400_000;
const hostile = `<img src=x onerror="alert(1)">\u202e${"long".repeat(40)}`;
const steps = ["start", "address", "household", "income", "submit"];

const site = await startOperatorSite();
after(() => site.close());
await site.addOperator("Ada");
const { administration } = site.queries;
const instance = { id: 3n, remembering: "session", sameSite: "lax" } as const;
const form = { instance, origins: ["https://www.example.org"], allowsAutoLogIn: false };
await administration.putForms(
  [
    { ...form, id: 1n, name: "Benefits application" },
    { ...form, id: 2n, name: hostile },
  ],
  presentMs,
);
for (const [recordId, userName] of [
  [7n, "maria.lopez"],
  [8n, hostile],
] as const) {
  await administration.addAccount(newAccount({ recordId, userName }), presentMs);
}
await administration.setEnabled(8n, false, presentMs);
// Seventy days, each with sessions that stop after some step.
await site.log(
  ...Array.from({ length: 350 }, (_, session) =>
    steps.slice(0, 1 + (session % steps.length)).map((step, order) => ({
      formId: session % 3 === 0 ? 2n : 1n,
      transId: BigInt(session + 1),
      arrivedAtMs: presentMs - Math.floor(session / 5) * dayMs - session * 1_000 + order,
      pageUrl: `https://www.example.org/apply/${step}${session % 7 === 0 ? hostile : ""}`,
      referrer: "https://search.example/",
      screenWidth: session % 2 === 0 ? 390 : 1_440,
      kind: "step",
      step,
    })),
  ).flat(),
);
const cookie = await site.logIn("Ada");

/** Opens a page as the operator Ada. */
function testOperatorPage(title: string, path: string, use: (tab: Page) => Promise<void>): void {
  test(title, bounds, () =>
    onPage("about:blank", async (tab) => {
      const [name = "", value = ""] = cookie.split("=");
      await tab.context().addCookies([{ name, value, url: site.url }]);
      await tab.goto(site.url + path);
      await use(tab);
    }),
  );
}

/** Rules to run again when only the colours differ. */
const colours = { runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } };

const refusedPath = "/operator?from=2026-11-20&to=2026-11-01";
const pages = [
  "/operator",
  "/operator?period=2d",
  "/operator?period=12m&form=1",
  refusedPath,
  "/operator?from=2020-01-01&to=2020-01-31",
  "/operator?form=1",
  "/operator?form=2&list=pages&sort=pages.pageRequests.up",
  "/operator?form=99",
  "/operator/accounts",
  "/operator/accounts?q=none",
  "/operator/account?id=7",
  "/operator/account?id=8",
  "/operator/account?id=7&action=disable",
  "/operator/account?id=7&done=enable",
  "/operator/events?zone=Asia/Tokyo",
  "/operator/live",
  "/operator/log-in",
];

for (const path of pages) {
  testOperatorPage(
    `${path} is accessible in light and dark, fits 320 px, and obeys its own policy`,
    "/operator/log-in",
    async (tab) => {
      // Browsers report a response of 400 by itself.
      const complaints = listenForComplaints(tab, (url) => url.endsWith(refusedPath));
      await tab.setViewportSize({ width: 1280, height: 900 });
      await tab.goto(site.url + path);
      // What is folded counts too.
      await tab.evaluate(
        "document.querySelectorAll('details').forEach((one) => { one.open = true })",
      );
      await tab.emulateMedia({ colorScheme: "light" });
      assert.deepEqual(await findingsOn(tab), []);
      await tab.emulateMedia({ colorScheme: "dark" });
      assert.deepEqual(await findingsOn(tab, colours), [], "in the dark");
      for (const width of [320, 390, 768]) {
        await tab.setViewportSize({ width, height: 640 });
        assert.equal(await tab.evaluate("document.documentElement.scrollWidth"), width);
      }
      assert.equal(await tab.locator("h1").count(), 1);
      assert.deepEqual(complaints, []);
    },
  );
}

testOperatorPage(
  "a keyboard alone logs in, reads a form and sorts a table",
  "/operator/log-in",
  async (tab) => {
    await tab.context().clearCookies();
    await tab.goto(`${site.url}/operator?form=1`);
    await tabTo(tab, "Name");
    await tab.keyboard.type("Ada");
    await tab.keyboard.press("Tab");
    await tab.keyboard.type(operatorPassword);
    await pressEnter(tab);
    assert.equal(new URL(tab.url()).search, "?form=1", "the page that was asked for");
    await tab.keyboard.press("Tab");
    assert.equal(await focused(tab), "Skip to content");
    await tabTo(tab, "Referrer");
    await pressEnter(tab);
    assert.equal(new URL(tab.url()).searchParams.get("sort"), "referrers.referrer.up");
    assert.equal(await tab.getAttribute("#referrers th", "aria-sort"), "ascending");
  },
);

test("without JavaScript an operator chooses, exports, and disables an account", bounds, () =>
  onPage("about:blank", (tab) =>
    withoutScripts(tab, async () => {
      await tab.goto(`${site.url}/operator`);
      await tab.fill("[name=name]", "Ada");
      await tab.fill("[name=password]", operatorPassword);
      await tab.click("button.send");
      assert.equal(await tab.textContent("h1"), "Overview");
      await tab.selectOption("[name=form]", "1");
      await tab.click("text=Show");
      assert.equal(new URL(tab.url()).searchParams.get("form"), "1");
      await tab.click("summary:has-text('Numbers of the chart')");
      assert.equal(await tab.locator("#time tbody tr").count(), 30);
      const [download] = await Promise.all([
        tab.waitForEvent("download"),
        tab.click("#time .tools a"),
      ]);
      assert.match(
        readFileSync(await download.path(), "utf8"),
        /^"day","pageRequests","before"\r\n/,
      );
      await tab.click("nav >> text=Accounts");
      await tab.click("text=maria.lopez");
      await tab.click("text=Disable");
      await tab.click("button.send");
      assert.match((await tab.textContent("[role=status]")) ?? "", /is disabled/);
      await tab.click("text=Enable");
      await tab.click("button.send");
    }),
  ),
);

testOperatorPage(
  "on paper there are numbers and charts, and no controls",
  "/operator",
  async (tab) => {
    await tab.emulateMedia({ media: "print" });
    assert.equal(await tab.isVisible("text=Log out"), false);
    assert.equal(await tab.isVisible("[name=form]"), false);
    assert.equal(await tab.isVisible(".today .value >> nth=0"), true);
    assert.equal(await tab.isVisible("[role=img] >> nth=0"), true);
  },
);

/** Moves the focus forward until it is on an element with this name. */
async function tabTo(tab: Page, name: string): Promise<void> {
  for (let i = 0; i < 120; i += 1) {
    await tab.keyboard.press("Tab");
    if ((await focused(tab)) === name) return;
  }
  assert.fail(`${name} cannot be reached`);
}

function focused(tab: Page): Promise<string> {
  return tab.evaluate<string>(
    "(document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim()",
  );
}

async function pressEnter(tab: Page): Promise<void> {
  await Promise.all([tab.waitForNavigation(), tab.keyboard.press("Enter")]);
}
