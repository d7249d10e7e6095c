import assert from "node:assert/strict";
import { after, test } from "node:test";
import { form, openSite, password } from "@wfh/server/test/server/log-in-server.ts";
import { readText } from "@wfh/server/test/source-files.ts";
import { bounds, onPage } from "./chromium.ts";
import { servePages } from "./sdk-form.ts";

const guide = readText("docs/from-a-page.md");
const documents = guide + readText("docs/places.md");
const examples = [...documents.matchAll(/^```html\n([\s\S]*?)^```/gm)].map(([, text = ""]) => text);

/** Serves the examples on their own origin, which the server lists for their form. */
async function openGuide() {
  const pages: Record<string, string> = {};
  const origin = await servePages(pages);
  const instance = { remembering: "persistent", sameSite: "lax" } as const;
  const contact = form(12n, origin, instance);
  const site = await openSite({}, [{ ...contact, instance: { id: 3n, ...instance } }]);
  after(() => site.close());
  for (const [i, text] of examples.entries()) {
    const real = text
      .replaceAll("https://forms.example.org", site.url)
      .replace("five small grey pigeons", password);
    pages[`/${i}`] = `<!doctype html>${real}`;
  }
  return { origin, site };
}

test("the first example of the guide fills an address and logs its page", bounds, async () => {
  const { origin, site } = await openGuide();
  await onPage(`${origin}/0`, async (tab) => {
    await tab.getByLabel("ZIP code").pressSequentially("75201");
    while ((await tab.getByLabel("City").inputValue()) === "") await tab.waitForTimeout(10);
    assert.equal(await tab.getByLabel("State").inputValue(), "Texas");
    assert.equal(await tab.evaluate('wfh.logPageRequest({ kind: "step", step: "payment" })'), true);
  });
  const rows = site.sql(
    "select form_id, application_instance_id, kind from page_requests order by id",
  );
  assert.deepEqual(
    rows.map((row) => Object.values(row)),
    [
      [12n, 3n, "view"],
      [12n, 3n, "step"],
    ],
  );
});

test("the second example of the guide logs a visitor in", bounds, async () => {
  const { origin, site } = await openGuide();
  await site.addAccount("bob", 4711n);
  await onPage(`${origin}/1`, async (tab) => {
    await tab.waitForFunction("document.title !== ''");
    assert.equal(await tab.title(), "Contact 4711");
  });
});

test("the form to copy suggests cities, and checks a code", bounds, async () => {
  const { origin } = await openGuide();
  await onPage(`${origin}/2`, async (tab) => {
    await tab.getByRole("combobox", { name: "City" }).pressSequentially("schenec");
    await tab.getByRole("option", { name: "Schenectady, New York" }).click();
    assert.equal(await tab.getByLabel("State").inputValue(), "New York");
    await tab.getByRole("combobox", { name: "ZIP code" }).fill("75201");
    await tab.getByText("75201 is Dallas, Texas").waitFor();
    await tab.getByRole("button", { name: "Use Dallas, Texas" }).click();
    assert.equal(await tab.getByLabel("City").inputValue(), "Dallas");
  });
});

test("the guide names every member of the global and every export", bounds, async () => {
  const { origin, site } = await openGuide();
  await onPage(`${origin}/1`, async (tab) => {
    const modules = ["/wfh.mjs", "/wfh-log-in.mjs"].map((path) => `import("${site.url}${path}")`);
    const names = await tab.evaluate<string[]>(
      `Promise.all([wfh, ${modules.join()}]).then((all) => all.flatMap(Object.keys))`,
    );
    const missing = [...new Set(names)].filter((name) => !guide.includes(`\`${name}(`));
    assert.deepEqual(missing, []);
  });
});
