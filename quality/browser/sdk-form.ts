import assert from "node:assert/strict";
import { createServer } from "node:http";
import { openLocally } from "@wfh/server/test/local-server.ts";
import type { Page } from "playwright-core";

/** Selectors of its fields that visitors type into. */
export const zip = '[name="zip"]';
export const city = '[name="city"]';

/** A form as a page has it that fills city, state and country. */
export const addressFields = `
  <label>ZIP code <input name="zip" autocomplete="postal-code"></label>
  <label>City <input name="city" autocomplete="address-level2"></label>
  <label>State <select name="state" autocomplete="address-level1"><option value="">Choose…</option>
    <option value="NY">NY - New York</option><option value="TX">Texas</option><option value="YT">Yukon Territory</option></select></label>
  <label>Country <select name="country" autocomplete="country"><option value="">Choose…</option>
    <option value="US">United States of America</option><option value="CA">Canada</option></select></label>`;

/** The same form with lists as ASP.NET writes them: without an empty option. */
export const aspNetFields = addressFields
  .replace('<option value="">Choose…</option>', "")
  .replace('<option value="">Choose…</option>', '<option value="0">-- Select --</option>');

/** A page with a marked form, and the script of the SDK. */
export function formPage(fields = addressFields, attributes = 'data-log="off"'): string {
  return `<!doctype html><html lang="en"><title>A form</title>
<script defer src="/wfh.js" ${attributes}></script>
<form data-wfh data-wfh-country="US" action="/sent">${fields}<button>Send</button></form>`;
}

/** The address in a form: `[zip, city, state, country]`. */
export function readAddress(tab: Page): Promise<readonly string[]> {
  return tab.evaluate<string[]>(
    `["zip", "city", "state", "country"].map((name) => document.querySelector(\`[name=\${name}]\`)?.value ?? "")`,
  );
}

/** Serves pages on their own origin, which it resolves to, until the file's tests end. */
export function servePages(pages: Readonly<Record<string, string>>): Promise<string> {
  const site = createServer(({ url = "" }, response) => {
    const page = pages[url.replace(/\?.*/, "")];
    response.writeHead(page === undefined ? 404 : 200, { "Content-Type": "text/html" });
    response.end(page);
  });
  return openLocally(site);
}

/** Waits until the form has an address. */
export async function expectAddress(tab: Page, ...expected: readonly string[]): Promise<void> {
  const deadline = Date.now() + 5_000;
  let found = await readAddress(tab);
  while (found.join() !== expected.join() && Date.now() < deadline) {
    await tab.waitForTimeout(10);
    found = await readAddress(tab);
  }
  assert.deepEqual(found, expected);
}
