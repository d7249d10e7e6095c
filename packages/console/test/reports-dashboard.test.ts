import assert from "node:assert/strict";
import { test } from "node:test";
import type { Shape } from "@wfh/server/contract/operation.ts";
import { readText } from "@wfh/server/test/source-files.ts";
import { reportNames, reportResources } from "../src/reports/report-resources.ts";

/** A query of the data source Infinity. */
interface Query {
  readonly url: string;
  readonly root_selector: string;
  readonly columns: readonly { readonly selector: string }[];
}

const { panels, templating } = JSON.parse(readText("examples/grafana-reports.json"));
const queries: readonly Query[] = [
  ...panels.flatMap(({ targets }: { targets: readonly Query[] }) => targets),
  ...templating.list.flatMap(({ query }: { query: { infinityQuery?: Query } | string }) =>
    typeof query === "string" ? [] : [query.infinityQuery],
  ),
];
const resources = Object.values(reportResources.operations);

for (const { url, root_selector: list, columns } of queries) {
  test(`${url} in the dashboard is a report with its columns`, () => {
    const { pathname, searchParams } = new URL(url, "http://forms.example");
    const found = resources.find(({ resource }) => pathname === `/api/v1/${resource.path}`);
    const { input, result } = found ?? assert.fail("there is no such report");
    for (const name of searchParams.keys()) assert.ok(Object.hasOwn(input, name), name);
    const { parts } =
      ((result as Shape).parts[list]?.type as Shape | undefined) ?? assert.fail(list);
    for (const { selector } of columns) assert.ok(Object.hasOwn(parts, selector), selector);
  });
}

test("the dashboard has every report but instances, and a word for all forms", () => {
  const form = templating.list.find(({ name }: { name: string }) => name === "form");
  assert.match(form.allValue, new RegExp(`^${resources[0]?.input.form.pattern}$`));
  const shown = new Set(queries.map(({ url }) => /reports\/([a-z-]+)/.exec(url)?.[1]));
  assert.deepEqual(
    reportNames.filter((name) => !shown.has(name)),
    ["instances"],
  );
});
