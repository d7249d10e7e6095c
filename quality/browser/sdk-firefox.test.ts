import assert from "node:assert/strict";
import { test } from "node:test";
import { startStubApi } from "@wfh/browser/test/stub-api.ts";
import {
  arrowDown,
  backspace,
  enter,
  type FirefoxTab,
  firefoxBounds,
  openFirefox,
} from "./firefox.ts";
import { formPage } from "./sdk-form.ts";

/** Waits until an expression has a value; a page that is left while it is asked has none. */
async function expectValue(tab: FirefoxTab, expression: string, expected: unknown): Promise<void> {
  const deadline = Date.now() + 20_000;
  let found: unknown;
  do {
    found = await tab.evaluate(expression).catch(() => undefined);
  } while (found !== expected && Date.now() < deadline);
  assert.equal(found, expected);
}

const address = `["zip", "city", "state", "country"].map((name) => document.querySelector(\`[name=\${name}]\`).value).join()`;

test(
  "Firefox: keys fill an address, a visitor who comes back may change the code, and places are suggested",
  firefoxBounds,
  async () => {
    const stub = await startStubApi();
    // Without the back/forward cache the browser restores the fields of a new page.
    stub.pages["/form"] = `${formPage()}<script>addEventListener("unload", () => {})</script>`;
    stub.pages["/elsewhere"] = "<!doctype html><title>Elsewhere</title>";
    const tab = await openFirefox();
    await tab.goto(`${stub.url}/form`);
    await expectValue(tab, "typeof window.wfh", "object");
    await tab.evaluate("document.querySelector('[name=zip]').focus()");
    await tab.press([..."75201"]);
    await expectValue(tab, address, "75201,Dallas,TX,US");
    await tab.goto(`${stub.url}/elsewhere`);
    await expectValue(tab, "document.title", "Elsewhere");
    await tab.evaluate("setTimeout(() => history.back())");
    await expectValue(tab, address, "75201,Dallas,TX,US");
    await tab.evaluate("document.querySelector('[name=zip]').focus()");
    await tab.evaluate("document.querySelector('[name=zip]').setSelectionRange(5, 5)");
    await tab.press([backspace]);
    await expectValue(tab, address, "7520,,,");
    stub.pages["/suggest"] = formPage().replace("<form", "<form data-wfh-suggest");
    await tab.goto(`${stub.url}/suggest`);
    const list = "document.querySelector(':popover-open')";
    await expectValue(tab, "document.querySelector('[name=city]').role", "combobox");
    await tab.evaluate("document.querySelector('[name=city]').focus()");
    await tab.press([..."dal"]);
    await expectValue(tab, `${list}.textContent`, "Dallas, Texas30132 Dallas, Georgia");
    await tab.press([arrowDown, enter]);
    await expectValue(tab, address, ",Dallas,TX,US");
    await expectValue(tab, `${list} === null`, true);
  },
);
