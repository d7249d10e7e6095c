import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { renderGuides } from "./guide-pages.ts";

const guides = renderGuides(fileURLToPath(new URL("../docs", import.meta.url)));
const pages = new Map(
  [...guides].map(([name, page]) => [name === "README" ? "./" : name, page] as const),
);

for (const [address, page] of pages) {
  test(`links of the guide ${address} lead to guides and sections that exist`, () => {
    const main = page.slice(page.indexOf("<main"), page.indexOf("</main>"));
    for (const [, href = ""] of main.matchAll(/ href="([^"]*)"/g)) {
      if (/^[a-z]+:/.test(href)) continue;
      const [target = "", anchor] = href.split("#");
      const found = target === "" ? page : pages.get(target);
      assert.ok(found, href);
      if (anchor !== undefined) assert.ok(found.includes(` id="${anchor}"`), href);
    }
  });
}

test("a guide has its title, its place in the navigation, and nothing that its policy forbids", () => {
  const page = pages.get("rest") ?? "";
  assert.ok(page.includes("<title>REST</title>"));
  assert.ok(page.includes('<a href="../docs/rest" aria-current="page">'));
  for (const one of pages.values())
    assert.ok(!/<script|<[^>]+ src="(?!data:)|<[^>]+ style="/.test(one));
});

test("a guide lists the guides before the operations", () => {
  const page = pages.get("rest") ?? "";
  assert.ok(page.indexOf(">Guides</a>") < page.indexOf(">REST API</a>"));
});

test("tables of two columns are stacked on a narrow screen, wider ones keep their headings", () => {
  const page = pages.get("clients") ?? "";
  assert.match(page, /<table>\s*<thead><tr>\s*<th scope="col">port<\/th>/);
  assert.match(page, /<table class="stack">\s*<thead><tr>\s*<th scope="col">client<\/th>/);
});
