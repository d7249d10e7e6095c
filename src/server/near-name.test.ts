import assert from "node:assert/strict";
import { test } from "node:test";
import { nearestName } from "./near-name.ts";

const names = ["WFH_PORT", "WFH_HOST", "WFH_BASE_URL", "WFH_DATABASE_URL"];

const meant: readonly [written: string, name: string | undefined][] = [
  ["WFH_PROT", "WFH_PORT"],
  ["WFH_PORTS", "WFH_PORT"],
  ["wfh_host", "WFH_HOST"],
  ["WFH_BASEURL", "WFH_BASE_URL"],
  ["WFH_DATABSE_URL", "WFH_DATABASE_URL"],
  ["WFH_COLOUR", undefined],
  ["WFH_HOME", undefined],
];
for (const [written, name] of meant) {
  test(`nearestName() takes ${written} for ${name ?? "no known name"}`, () => {
    assert.equal(nearestName(written, names), name);
  });
}
