import assert from "node:assert/strict";
import { test } from "node:test";
import { html, textOf } from "@wfh/server/metadata/markup.ts";
import { countColumns, type DataTable, dataTable, withQuery } from "./data-table.ts";

const rows = [
  { value: "/order", count: 60 },
  { value: "/<b>\u202e", count: 30 },
  { value: "=1+1", count: 10 },
];
const page: DataTable<(typeof rows)[number]> = {
  id: "pages",
  title: "Pages",
  columns: countColumns({ id: "page", title: "Page", value: ({ value }) => value }, rows, 100),
  rows,
  empty: "None.",
};

function table(query = "", changes: Partial<typeof page> = {}) {
  return dataTable({ ...page, ...changes }, new URLSearchParams(query));
}

/** First cells of the rows of a table, in their order. */
function firstCells(markup: string): readonly string[] {
  return [...markup.matchAll(/<th scope="row">([^<]*)</g)].map(([, text = ""]) => text);
}

test("text from outside is escaped, and what turns the direction of writing is visible", () => {
  const markup = textOf(table().render());
  assert.ok(markup.includes("/&lt;b&gt;\\u202e"), markup);
});

test("a heading sorts by its column, and once more the other way round", () => {
  const markup = textOf(table("period=7d").render());
  assert.ok(markup.includes('href="?period=7d&amp;sort=pages.pageRequests.down#pages"'), markup);
  const up = textOf(table("sort=pages.pageRequests.up").render());
  assert.deepEqual(firstCells(up), ["=1+1", "/&lt;b&gt;\\u202e", "/order"]);
  assert.match(up, /aria-sort="ascending"><a href="\?sort=pages.pageRequests.down#pages"/);
});

test("an order of another table, or of no column, leaves the rows as they are", () => {
  for (const query of ["sort=forms.count.up", "sort=pages.nothing.up", "sort=pages", "sort="]) {
    assert.equal(firstCells(textOf(table(query).render()))[0], "/order");
  }
});

test("a long table is cut, with links to all rows and to CSV", () => {
  const markup = textOf(table("", { max: 2 }).render());
  assert.equal(firstCells(markup).length, 2);
  assert.match(markup, /href="\?list=pages#pages">All 3</);
  assert.match(markup, /href="\?csv=pages" download/);
  assert.equal(firstCells(textOf(table("list=pages", { max: 2 }).render())).length, 3);
});

test("CSV has all rows in the order of the page, and no formulas", () => {
  assert.equal(
    table("sort=pages.pageRequests.up&csv=pages", { max: 1 }).renderCsv(),
    '"page","pageRequests","share"\r\n"\'=1+1",10,0.1\r\n"/<b>\u202e",30,0.3\r\n"/order",60,0.6\r\n',
  );
});

test("a table without rows says what would fill it", () => {
  const markup = textOf(table("", { rows: [], empty: html`Nothing yet.` }).render());
  assert.match(markup, /Nothing yet\./);
  assert.doesNotMatch(markup, /<table|CSV/);
});

test("a changed query keeps the rest", () => {
  const asked = new URLSearchParams("id=7&period=7d");
  assert.equal(withQuery(asked, { period: null }), "?id=7");
  assert.equal(withQuery(asked, { period: null, id: null }), "?");
});
