import assert from "node:assert/strict";
import { test } from "node:test";
import { toStateId } from "@wfh/server/domain/location/place.ts";
import { buildPlaces, openImportFixture } from "./import-fixture.ts";

/** Codes that several countries have. */
const places = buildPlaces([
  { key: "75001", city: "Addison", stateId: toStateId(840, "TX") },
  { key: "75001", city: "Paris", stateId: toStateId(250, "IDF") },
  { key: "75001", city: "Paris 01", stateId: toStateId(250, "IDF") },
  { key: "75001", city: "Saue", stateId: toStateId(233, "37") },
  { key: "K1A", city: "Ottawa", stateId: toStateId(124, "ON") },
]);

test("every country that has a code is listed by precedence, with its places", async (t) => {
  const { run } = openImportFixture(t, places);
  const { out } = await run(["lookup", "75001", "--explain"]);
  const table = [
    /1 +United States \(US\) +Addison, Texas \(TX\) +data +result$/,
    /2 +Estonia \(EE\) +Saue, Harju \(37\) +data$/,
    /3 +France \(FR\) +Paris, Île-de-France \(IDF\) +data +preferred$/,
    / +Paris 01, Île-de-France \(IDF\) +data$/,
  ];
  const lines = out.split("\n").slice(out.split("\n").findIndex((line) => /Rank/.test(line)) + 2);
  for (const [i, row] of table.entries()) assert.match(lines[i] ?? "", row);
  assert.match(out, /The preferred place of a country is .* then a custom place/);
  const single = await run(["lookup", "K1A", "--explain"]);
  assert.doesNotMatch(single.out, /The preferred place/);
  const hinted = await run(["lookup", "FR-75001", "--explain"]);
  assert.match(hinted.out, /^ +5 hint +75001 +FR +found/m);
  assert.match(hinted.out, /3 +France \(FR\) +Paris, .* +data +result, preferred$/m);
});

test("overrides are shown where they apply, remove a place, or have no effect", async (t) => {
  const { run } = openImportFixture(t, places);
  const override = (...words: readonly string[]) => run(["places", "override", ...words]);
  await override("75001", "--country", "US", "--not-found", "--note", "gone");
  await override("75001", "--country", "FR", "--city", "Lutetia");
  await override("K1A 0B1", "--country", "CA", "--not-found");
  await override("75001", "--country", "LT", "--city", "Utena", "--state", "UT");
  const { out } = await run(["lookup", "75001", "--explain"]);
  assert.match(
    out,
    /1 +United States \(US\) +not found +override\n +Addison, .* data +overridden$/m,
  );
  assert.match(out, /Note: gone +override$/m);
  assert.match(out, /2 +Estonia \(EE\) +Saue, .* data +result$/m);
  assert.match(out, /3 +France \(FR\) +Lutetia, .* override\n +Paris, .* data +overridden$/m);
  assert.match(out, /4 +Lithuania \(LT\) +Utena, .* override$/m);
  const unknown = await run(["lookup", "k1a 0b1", "--explain"]);
  assert.match(unknown.out, /^ +Result +not found$/m);
  assert.match(
    unknown.out,
    /Countries that have K1A0B1, .*\n{2}(?:.*\n){2} +1 .* not found +override$/m,
  );
  const other = await run(["lookup", "k1a 0b2", "--explain"]);
  assert.match(other.out, /^ +6 shorten +K1A +CA +found/m);
});

test("a source of many countries is shown with their number", async (t) => {
  const { run } = openImportFixture(t, places);
  const codes = ["AT", "BE", "BG", "CH", "CY", "CZ", "DK", "EE", "ES", "FI", "FR"];
  const lines = codes.map((code) => `${code}\t99\tSomewhere\t\t\t\t\t\t\t\t\t\n`);
  await run(["places", "import", "geonames"], { piped: lines.join("") });
  const { out } = await run(["lookup", "99", "--explain"]);
  assert.match(out, /^ +Source +standard input \(11 countries\)/m);
});
