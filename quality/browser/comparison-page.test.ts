import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { renderComparisonPage } from "@wfh/migrate/compare/comparison-page.ts";
import type { ComparisonReport } from "@wfh/migrate/compare/comparison-tally.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { bounds, findingsOn, listenForComplaints, onPage } from "./chromium.ts";

const call = { operation: "PostalCodeToCityState", binding: "json" };
const example = {
  at: "2026-11-01T09:01:19.000Z",
  request: "POST /api/LocationUIHelper.asmx/PostalCodeToCityState",
  requestBody: '{"postalCode":"10001"}',
  oldBody: '{"d":{"City":"Nueva York","Long":"<script>alert(1)</script>"}}',
  ourBody: `{"d":{"City":"New York","Long":"${"x".repeat(500)}"}}`,
};
const report: ComparisonReport = {
  identical: 54,
  explained: 1_198,
  different: 2,
  notCompared: 33,
  withoutResponse: 0,
  calls: [{ ...call, identical: 54, explained: 1_198, different: 2, notCompared: 33 }],
  differences: [
    {
      ...call,
      path: "d/City",
      kind: "value",
      old: "Nueva York",
      ours: "New York",
      count: 2,
      example,
    },
    {
      ...call,
      path: "d/Long",
      kind: "missing",
      old: "x",
      ours: null,
      note: "a note",
      count: 1,
      example,
    },
  ],
  rules: [{ name: "ids", reason: "other numbers", count: 1_198 }],
  reasons: [{ name: "it is a log-in", reason: "it is a log-in", count: 33 }],
};

test(
  "the page of a comparison is accessible, fits narrow screens and breaks no policy",
  bounds,
  async () => {
    const file = join(temporaryFolder(), "report.html");
    writeFileSync(file, renderComparisonPage(report, "old.ndjson", example.at));
    await onPage("about:blank", async (tab) => {
      const complaints = listenForComplaints(tab);
      await tab.goto(pathToFileURL(file).href);
      for (const colorScheme of ["light", "dark"] as const) {
        for (const width of [1280, 390]) {
          await tab.setViewportSize({ width, height: 900 });
          await tab.emulateMedia({ colorScheme });
          assert.deepEqual(await findingsOn(tab), [], `${colorScheme} ${width}`);
          assert.equal(await tab.evaluate("document.documentElement.scrollWidth"), width);
        }
      }
      assert.deepEqual(await tab.locator("del").allTextContents(), [
        "Nueva",
        "<script>alert(1)</script>",
      ]);
      assert.deepEqual(await tab.locator("ins").first().textContent(), "New");
      assert.deepEqual(complaints, []);
    });
  },
);
