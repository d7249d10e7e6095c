import assert from "node:assert/strict";
import { test } from "node:test";
import { createRetiredNames } from "./retired-zips.ts";
import type { UsRow } from "./us-sources.ts";

function toRow(zip: string, city: string, latitude = 40): UsRow {
  return { zip, city, state: "NY", latitude, longitude: -73 };
}

const brooklyn = Array.from({ length: 10 }, (_, number) => toRow(`1120${number}`, "Brooklyn"));
const findName = createRetiredNames([
  ...brooklyn,
  toRow("11501", "Mineola", 41),
  toRow("11502", "Westbury", 42),
]);

const retired: readonly [string, UsRow, string][] = [
  ["keeps a city that is in use in the state", toRow("11299", "Mineola"), "Mineola"],
  ["takes the city of nearly all codes around", toRow("11298", "Ny Telephone"), "Brooklyn"],
  ["takes the nearest city for a mailer", toRow("11599", "Cheeselovers", 42.1), "Westbury"],
  ["keeps a mailer whose place is unknown", toRow("11599", "Cheeselovers", 0), "Cheeselovers"],
  ["keeps a village that is gone", toRow("11598", "Shinhopple"), "Shinhopple"],
  ["mends a misspelled name", toRow("11592", "Rockville Center"), "Rockville Centre"],
];

for (const [rule, row, city] of retired) {
  test(`createRetiredNames() ${rule}`, () => assert.equal(findName(row), city));
}
