import assert from "node:assert/strict";
import { test } from "node:test";
import { startStubApi } from "@wfh/browser/test/stub-api.ts";
import type { Locator, Page, Route } from "playwright-core";
import { bounds, findingsOn, onPage, withoutScripts } from "./chromium.ts";
import { addressFields, expectAddress, formPage } from "./sdk-form.ts";

const stub = await startStubApi();

/** A page with a form that suggests places. */
function suggestingPage(fields = addressFields): string {
  return formPage(fields).replace("<form", "<form data-wfh-suggest");
}

interface Form {
  readonly tab: Page;
  readonly zip: Locator;
  readonly city: Locator;
  readonly options: Locator;
}

/** Declares a test of a page with a form that suggests places. */
function testForm(title: string, use: (form: Form) => Promise<void>, html = suggestingPage()) {
  test(title, bounds, async () => {
    stub.pages["/form"] = html;
    await onPage(`${stub.url}/form`, async (tab) => {
      const zip = tab.locator('[name="zip"][role="combobox"]');
      const city = tab.locator('[name="city"][role="combobox"]');
      await city.waitFor();
      await use({ tab, zip, city, options: tab.getByRole("listbox").getByRole("option") });
    });
  });
}

/** Types a text and waits for suggestions; resolves to their texts. */
async function suggest({ options }: Form, field: Locator, text: string) {
  await field.pressSequentially(text);
  await options.first().waitFor();
  return options.allTextContents();
}

/** Text of the active option; undefined without one. */
async function readActive({ tab }: Form, field: Locator): Promise<string | undefined> {
  const id = await field.getAttribute("aria-activedescendant");
  assert.equal(await tab.locator("[aria-selected]").count(), id === null ? 0 : 1);
  return id === null ? undefined : ((await tab.locator(`#${id}`).textContent()) ?? undefined);
}

testForm("a city that is chosen brings state and country", async (form) => {
  const { tab, city } = form;
  assert.deepEqual(await suggest(form, city, "dal"), ["Dallas, Texas", "30132 Dallas, Georgia"]);
  await tab.getByRole("option", { name: "Dallas, Texas" }).click();
  await expectAddress(form.tab, "", "Dallas", "TX", "US");
  assert.equal(await tab.getByRole("status").textContent(), "Filled in: Dallas, Texas");
  assert.equal(await tab.evaluate("document.activeElement.name"), "city");
});

testForm(
  "a city with one code brings that too, and takes it along when it changes",
  async (form) => {
    const { tab, city } = form;
    await suggest(form, city, "add");
    await city.press("ArrowDown");
    await city.press("Enter");
    await expectAddress(form.tab, "75001", "Addison", "TX", "US");
    await city.press("Backspace");
    await expectAddress(form.tab, "", "Addiso", "", "");
    assert.equal(new URL(tab.url()).pathname, "/form");
  },
);

testForm("a code that is chosen fills the address, and keeps a typed city", async (form) => {
  const { tab, zip, city } = form;
  await city.fill("Boston");
  assert.deepEqual(await suggest(form, zip, "752"), ["75201 Dallas, Texas"]);
  await zip.press("ArrowUp");
  await zip.press("Tab");
  await expectAddress(form.tab, "75201", "Boston", "TX", "US");
  await tab.getByRole("button", { name: "Use Dallas, Texas" }).waitFor();
});

testForm("a suggestion overwrites neither a typed code nor a chosen state", async (form) => {
  const { tab, zip, city } = form;
  await zip.fill("99999");
  await tab.locator('[name="state"]').selectOption("TX");
  assert.deepEqual(await suggest(form, city, "dal"), ["Dallas, Texas"]);
  await city.press("ArrowDown");
  await city.press("Enter");
  await expectAddress(form.tab, "99999", "Dallas", "TX", "US");
});

testForm(
  "a code that is typed later keeps a city that was chosen, and offers its own",
  async (form) => {
    const { tab, zip, city } = form;
    await suggest(form, city, "dal");
    await city.press("ArrowDown");
    await city.press("Enter");
    await zip.pressSequentially("10001");
    await tab.getByText("10001 is New York, New York").waitFor();
    await expectAddress(form.tab, "10001", "Dallas", "NY", "US");
    await tab.getByRole("button", { name: "Use New York, New York" }).click();
    await expectAddress(form.tab, "10001", "New York", "NY", "US");
  },
);

testForm("keys move through the list as in the ARIA pattern", async (form) => {
  const { city, options } = form;
  await suggest(form, city, "dal");
  assert.equal(await city.getAttribute("aria-expanded"), "true");
  const steps = [
    ["ArrowDown", "Dallas, Texas"],
    ["ArrowDown", "30132 Dallas, Georgia"],
    ["ArrowDown", "Dallas, Texas"],
    ["ArrowUp", "30132 Dallas, Georgia"],
    ["Home", undefined],
    ["ArrowUp", "30132 Dallas, Georgia"],
    ["End", undefined],
  ] as const;
  for (const [key, active] of steps) {
    await city.press(key);
    assert.equal(await readActive(form, city), active, key);
  }
  await city.press("Escape");
  assert.equal(await city.getAttribute("aria-expanded"), "false");
  assert.equal(await options.count(), 0);
  await expectAddress(form.tab, "", "dal", "", "");
  await city.press("ArrowDown");
  await options.first().waitFor();
  await city.blur();
  assert.equal(await options.count(), 0);
  await expectAddress(form.tab, "", "dal", "", "");
});

testForm("Enter without an active option sends the form", async (form) => {
  const { tab, city } = form;
  await suggest(form, city, "dal");
  await city.press("Enter");
  await tab.waitForURL(/sent\?zip=&city=dal&/);
});

testForm("responses that are late or out of order are dropped", async (form) => {
  const { tab, city, options } = form;
  const held: Route[] = [];
  const hold = async (text: string) => {
    const before = held.length;
    await city.fill(text);
    while (held.length === before) await tab.waitForTimeout(10);
  };
  const release = async (index: number) => {
    const response = tab.waitForResponse(/search/);
    await held[index]?.continue();
    await (await response).finished();
  };
  await tab.route(/search/, (route) => void held.push(route));
  await hold("dal");
  await hold("new");
  await release(1);
  await options.getByText("New York").waitFor();
  await release(0);
  assert.deepEqual(await options.allTextContents(), ["New York, New York"]);
  await hold("add");
  await city.press("Escape");
  await release(2);
  assert.equal(await options.count(), 0);
  await hold("dal");
  await city.blur();
  await release(3);
  assert.equal(await options.count(), 0);
});

testForm(
  "a field has the roles of a combobox, and axe no finding",
  async (form) => {
    const { tab, city } = form;
    await tab.addStyleTag({ content: ":root { color-scheme: light dark }" });
    await suggest(form, city, "dal");
    await city.press("ArrowDown");
    const combobox = tab.getByRole("combobox", { name: "City", expanded: true });
    const id = await combobox.getAttribute("aria-controls");
    assert.equal(await combobox.getAttribute("aria-autocomplete"), "list");
    assert.equal(await tab.locator(`#${id}`).getAttribute("role"), "listbox");
    assert.equal(await tab.getByRole("listbox", { name: "Suggestions" }).count(), 1);
    const selected = form.options.and(tab.locator("[aria-selected]"));
    assert.deepEqual(await selected.allTextContents(), ["Dallas, Texas"]);
    for (const colorScheme of ["light", "dark"] as const) {
      await tab.emulateMedia({ colorScheme });
      assert.deepEqual(await findingsOn(tab), []);
    }
  },
  suggestingPage().replace("<form", "<main><h1>A form</h1><form"),
);

testForm("a server that has no suggestions, or is busy, leaves plain fields", async (form) => {
  const { tab, city, zip, options } = form;
  const { respond } = stub;
  stub.respond = ({ path }, response) => {
    const isSearch = path.includes("search");
    if (isSearch) response.writeHead(503, { "Content-Type": "text/html" }).end("<p>Busy");
    return isSearch;
  };
  const response = tab.waitForResponse(/search/);
  await city.pressSequentially("dal");
  await (await response).finished();
  stub.respond = respond;
  assert.equal(await options.count(), 0);
  await zip.fill("75201");
  await tab.getByText("75201 is Dallas, Texas").waitFor();
});

testForm("JSON without places is no suggestion, and no error of the page", async (form) => {
  const { tab, city, options } = form;
  const { respond } = stub;
  const errors: string[] = [];
  tab.on("pageerror", ({ message }) => errors.push(message));
  for (const found of ["null", "{}", '{"places":{}}', '{"places":[null]}', '{"places":[{}]}']) {
    stub.respond = ({ path }, response) => {
      const isSearch = path.includes("search");
      if (isSearch) response.writeHead(200, { "Content-Type": "application/json" }).end(found);
      return isSearch;
    };
    const response = tab.waitForResponse(/search/);
    await city.fill("dal");
    await (await response).finished();
    await city.fill("");
  }
  stub.respond = respond;
  assert.equal(await options.count(), 0);
  assert.deepEqual(await suggest(form, city, "dal"), ["Dallas, Texas", "30132 Dallas, Georgia"]);
  assert.deepEqual(errors, []);
});

test(
  "only a form that asks for suggestions loads their file, and works without it",
  bounds,
  async () => {
    stub.pages["/plain"] = formPage();
    stub.pages["/form"] = suggestingPage();
    const { respond } = stub;
    await onPage("about:blank", async (tab) => {
      const loaded: string[] = [];
      tab.on("request", (request) => loaded.push(new URL(request.url()).pathname));
      await tab.goto(`${stub.url}/plain`, { waitUntil: "networkidle" });
      assert.deepEqual(loaded, ["/plain", "/wfh.js"]);
      stub.respond = ({ path }, response) => {
        const isFile = path === "/wfh-suggest.mjs";
        if (isFile) response.writeHead(404).end();
        return isFile;
      };
      const errors: string[] = [];
      tab.on("pageerror", ({ message }) => errors.push(message));
      await tab.goto(`${stub.url}/form`, { waitUntil: "networkidle" });
      assert.equal(await tab.locator("[role=combobox]").count(), 0);
      await tab.locator("[name=zip]").fill("75201");
      await tab.waitForFunction("document.forms[0].elements.city.value === 'Dallas'");
      assert.deepEqual(errors, []);
    });
    stub.respond = respond;
  },
);

test("without JavaScript the form is a plain one", bounds, async () => {
  stub.pages["/form"] = suggestingPage();
  await onPage("about:blank", (tab) =>
    withoutScripts(tab, async () => {
      await tab.goto(`${stub.url}/form`);
      await tab.fill("[name=city]", "Dallas");
      await Promise.all([
        tab.waitForURL(/sent\?zip=&city=Dallas/),
        tab.press("[name=city]", "Enter"),
      ]);
    }),
  );
});

test("stop() takes the suggestions away", bounds, async () => {
  stub.pages["/form"] = formPage().replace("<form data-wfh", "<form");
  await onPage(`${stub.url}/form`, async (tab) => {
    await tab.evaluate(
      `window.filling = wfh.autofill(document.forms[0], { country: "US", suggest: true }); 0`,
    );
    await tab.locator("[name=city][role=combobox]").pressSequentially("dal");
    await tab.getByRole("listbox").getByRole("option").first().waitFor();
    await tab.evaluate("filling.stop()");
    assert.equal(await tab.locator("[role=combobox], [role=listbox]").count(), 0);
  });
});
