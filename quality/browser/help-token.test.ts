import assert from "node:assert/strict";
import { after } from "node:test";
import { startConsoleServer } from "@wfh/console/test/console-server.ts";
import { restApi } from "@wfh/server/contract/rest-api.ts";
import type { Page } from "playwright-core";
import { testPage } from "./chromium.ts";

const { server, addToken } = await startConsoleServer();
after(() => server.close());
const token = await addToken("analyst");

const textOf = async (tab: Page, selector: string) => (await tab.textContent(selector)) ?? "";

async function send(tab: Page): Promise<void> {
  await tab.click("#send");
  await tab.waitForSelector("#response:not([hidden])");
  await tab.waitForSelector("#send:not([aria-disabled])");
}

const page = `${server.url}${restApi.path}?op=countByDay`;

testPage("the form of a report sends a token, and shows it nowhere", page, async (tab) => {
  await send(tab);
  assert.match(await textOf(tab, "#response-head"), /^HTTP\/1\.1 401 /);
  await tab.fill("#field-from", "2026-11-01");
  assert.match(await textOf(tab, "#sample-0"), /from=2026-11-01'.*Authorization: Bearer TOKEN'/s);
  await tab.fill("#field-token", token);
  await tab.fill("#field-to", "2026-11-02");
  assert.match(await textOf(tab, "#sample-0"), /Authorization: Bearer •{8}'/);
  await send(tab);
  assert.match(await textOf(tab, "#outcome"), /^Page requests: 0 200/);
  assert.match(await textOf(tab, "#request-sent"), /\nAuthorization: Bearer •{8}$/);
  await tab.fill("#field-format", "csv");
  await send(tab);
  assert.match(await textOf(tab, "#response-body"), /^"day","pageRequests"\r?\n"2026-11-01",0/);
  assert.match(await textOf(tab, "#outcome"), /^Page requests: 200/);
  assert.ok(!(await tab.content()).includes(token));
  assert.ok(!(await tab.evaluate<string>("location.href")).includes(token));
});
