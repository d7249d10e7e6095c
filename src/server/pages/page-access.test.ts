import assert from "node:assert/strict";
import { test } from "node:test";
import { pageAccessOf } from "./page-access.ts";

const seen = [
  { helpPages: "on", atMain: "public", atAdmin: "all" },
  { helpPages: "admin", atMain: "none", atAdmin: "all" },
  { helpPages: "off", atMain: "none", atAdmin: "none" },
] as const;

for (const { helpPages, atMain, atAdmin } of seen) {
  test(`WFH_HELP_PAGES=${helpPages} shows ${atMain} at the main port, ${atAdmin} at the admin listener`, () => {
    assert.equal(pageAccessOf({ isAdmin: false }, { helpPages }).kind, atMain);
    assert.equal(pageAccessOf({ isAdmin: true }, { helpPages }).kind, atAdmin);
  });
}
