import assert from "node:assert/strict";
import { test } from "node:test";
import { buildGazetteer } from "@wfh/server/gazetteer/format/builder.ts";
import fc from "fast-check";
import { importRows, known, toRow } from "../../../test/geonames-rows.ts";
import { RowFileError } from "../../rows/row-file-error.ts";

const nsw = ["New South Wales", "NSW", "Sydney", "17200"];

test("an import covers its countries; a territory covers its state only", async () => {
  const rows = [toRow("PR|00601|Adjuntas"), toRow("DE|10115|Berlin", ["Berlin", "BE"])];
  const { covers } = await importRows(rows);
  assert.deepEqual(covers, [
    { countryId: 840, stateId: 84_000_990 },
    { countryId: 276, stateId: undefined },
  ]);
});

test("a country of which there are only bad lines is not covered", async () => {
  const good = Array.from({ length: 200 }, (_, row) => toRow(`AU|${1000 + row}|Place`, nsw));
  const { covers, report } = await importRows([...good, toRow("DE|10115|"), toRow("PR||Adjuntas")]);
  assert.deepEqual(covers, [{ countryId: 36, stateId: undefined }]);
  assert.deepEqual(
    report.countries.map(({ country }) => country.code),
    ["AU"],
  );
});

test("new states have ids that follow from the region, in the place of no other", async () => {
  const rows = [
    toRow("SG|018989|Marina Boulevard"),
    toRow("NO|2000|Lillestrøm", ["Akershus", "01"]),
    toRow("NC|98800|Nouméa", ["Province Sud", "02"]),
  ];
  const first = await importRows(rows);
  const second = await importRows(rows.toReversed());
  const ids = first.newStates.map(({ id, abbreviation, name }) => ({ id, abbreviation, name }));
  assert.deepEqual(ids, [
    { id: 70_200_000, abbreviation: "", name: "Singapore" },
    { id: 57_800_151, abbreviation: "32", name: "Akershus" },
    { id: 54_061_157, abbreviation: "", name: "Province Sud" },
  ]);
  assert.deepEqual(
    new Set(second.newStates.map(({ id }) => id)),
    new Set(first.newStates.map(({ id }) => id)),
  );
  assert.deepEqual(
    first.report.countries.map(({ unmappedStates }) => unmappedStates),
    [[{ code: "02", name: "Province Sud", stateId: 54_061_157, rows: 1 }], [], []],
  );
});

test("a state that an import made before is found again, under whatever id it has now", async () => {
  const rows = [toRow("NC|98800|Nouméa", ["Province Sud", "02"])];
  const { newStates } = await importRows(rows);
  const own = newStates.map((state) => ({ ...state, id: 7 }));
  const again = await importRows(rows, {}, { ...known, states: [...known.states, ...own] });
  assert.deepEqual(again.newStates, []);
  assert.deepEqual(
    [...again.postalCodes].map(({ key, city, stateId }) => [key, city, stateId]),
    [["98800", "Nouméa", 7]],
  );
});

test("a place has the coordinates and the county of its row, where the file has them", async () => {
  const { postalCodes } = await importRows([
    toRow("US|10001|New York", ["New York", "NY", "New York", "061"], "40.7484\t-73.9967"),
    toRow("PR|00704|Aguirre", ["Guayama", "057"], "17.9529\t-66.262"),
    toRow("US|10002|New York", ["New York", "NY"], "\t"),
    toRow("US|10003|New York", ["New York", "NY"], "north\t500"),
  ]);
  assert.deepEqual(
    [...postalCodes].map(({ key, coordinates, county }) => [key, coordinates, county]),
    [
      ["10001", { latitude: 40.7484, longitude: -73.9967 }, "New York"],
      ["00704", { latitude: 17.9529, longitude: -66.262 }, "Guayama"],
      ["10002", null, null],
      ["10003", null, null],
    ],
  );
});

test("the report counts rows, places and bad lines", async () => {
  const good = Array.from({ length: 300 }, (_, row) => toRow(`AU|${1000 + row}|Place ${row}`, nsw));
  const { report } = await importRows([
    ...good,
    toRow("AU|1000|Sydney", nsw),
    toRow("XX|1|Nowhere"),
    toRow("AU||Nowhere", nsw),
    toRow("AU|1|", nsw),
  ]);
  assert.equal(report.rows, 301);
  assert.deepEqual(
    report.countries.map((found) => ({ ...found, country: found.country.code })),
    [
      {
        country: "AU",
        rows: 301,
        postalCodes: 300,
        places: 301,
        unmappedStates: [],
      },
    ],
  );
  assert.deepEqual(report.badLines.byReason, {
    "unknown country": 1,
    "no postal code": 1,
    "no place": 1,
  });
  assert.deepEqual(
    report.badLines.first.map(({ line }) => line),
    [302, 303, 304],
  );
});

test("codes and places over their length are bad lines", async () => {
  const good = Array.from({ length: 500 }, (_, row) => toRow(`AU|${1000 + row}|Place`, nsw));
  const { report, places } = await importRows([
    ...good,
    toRow(`AU|${"1".repeat(21)}|Place`, nsw),
    toRow("AU|1234567890123|Place", nsw),
    toRow(`AU|1|${"é".repeat(181)}`, nsw),
    toRow(`AU|1|${"é".repeat(180)}`, nsw),
    toRow("AU|１２３４|Wide digits", nsw),
  ]);
  assert.deepEqual(report.badLines.byReason, { "postal code too long": 2, "place too long": 1 });
  assert.ok(places.includes("1234 Place, NSW AU"));
  assert.ok(places.includes("1234 Wide digits, NSW AU"));
});

test("more regions than an artifact can hold are refused as bad lines", async () => {
  const rows = Array.from({ length: 10_200 }, (_, row) => toRow(`BM|A${row}|Place`, [`R${row}`]));
  await assert.rejects(importRows(rows), /200 of 10200 lines .*too many regions/);
});

test("any rows give places that an artifact can hold, or one clear error", async () => {
  const text = fc.oneof(
    fc.constantFrom("", "01", "ON", "London", "ZONA 1", "(", "APO AE", "a/b", ",x", " - dostava"),
    fc.string({ maxLength: 12, unit: "grapheme" }).map((any) => any.replace(/[\t\n\r]/g, "")),
  );
  const country = fc.constantFrom("AR", "AT", "CA", "DE", "FR", "GB", "GT", "PR", "SI", "SG", "US");
  const row = fc
    .tuple(country, fc.constantFrom("1010", "09001", "K1A", "75001 CEDEX"), text, text, text)
    .map(([from, code, place, name, region]) =>
      toRow(`${from}|${code}|${place || "x"}`, [name, region]),
    );
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 30 }), async (rows) => {
      const found = await importRows(rows).catch((error) => {
        assert.ok(error instanceof RowFileError, String(error));
      });
      if (found === undefined) return;
      const states = [...known.states, ...found.newStates];
      const { countries } = known;
      const { postalCodes } = found;
      buildGazetteer({ dataDate: "2026-03-30", sources: [], countries, states, postalCodes });
    }),
    { numRuns: 50 },
  );
});

test("progress goes up to all rows, and a signal ends the import", async () => {
  const rows = [toRow("AU|2000|Sydney", nsw)];
  const seen: number[] = [];
  await importRows(rows, { onRows: (count) => seen.push(count) });
  assert.deepEqual(seen, [1]);
  const reason = new Error("Stopped");
  await assert.rejects(importRows(rows, { signal: AbortSignal.abort(reason) }), reason);
});
