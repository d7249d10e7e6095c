import assert from "node:assert/strict";
import { test } from "node:test";
import { createPageAccess } from "./page-access.ts";

const seen = [
  { helpPages: "on", atMain: "public", atAdmin: "all" },
  { helpPages: "admin", atMain: "none", atAdmin: "all" },
  { helpPages: "off", atMain: "none", atAdmin: "none" },
] as const;

for (const { helpPages, atMain, atAdmin } of seen) {
  test(`WFH_HELP_PAGES=${helpPages} shows ${atMain} at the main port, ${atAdmin} at the admin listener`, () => {
    const accessOf = createPageAccess({ helpPages });
    assert.equal(accessOf({ isAdmin: false }).kind, atMain);
    assert.equal(accessOf({ isAdmin: true }).kind, atAdmin);
  });
}
