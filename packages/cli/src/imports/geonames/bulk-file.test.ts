import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { importRows } from "../../../test/geonames-rows.ts";

/** All countries but four, as GeoNames had them on that day; not part of the repository. */
const file = new URL(
  "../../../../../../shared/data/geonames-postal-2026-03-30.tsv.gz",
  import.meta.url,
);
const skip = existsSync(file)
  ? false
  : "the postal file of all countries is not beside the checkout";

/** Rows of one country; the file is sorted by country. */
function readCountry(text: Buffer, code: string): readonly string[] {
  const start = text.indexOf(`\n${code}\t`) + 1;
  const end = text.lastIndexOf(`\n${code}\t`);
  return text.toString("utf8", start, text.indexOf("\n", end + 1)).split("\n");
}

test("Canada, Australia, Austria and Moldova come in whole from the file of all countries", {
  skip,
}, async () => {
  const text = gunzipSync(readFileSync(file));
  const rows = ["AT", "AU", "CA", "MD"].flatMap((code) => readCountry(text, code));
  const { report, places } = await importRows(rows);
  const counts = report.countries.map(({ country, rows, postalCodes, unmappedStates }) => {
    return [country.code, rows, postalCodes, unmappedStates.length];
  });
  assert.deepEqual(counts, [
    ["AT", 18_957, 2217, 0],
    ["AU", 18_521, 3171, 0],
    ["CA", 1657, 1653, 0],
    ["MD", 1753, 1215, 1],
  ]);
  assert.equal(report.badLines.count, 0);
  const firsts = new Set(places);
  for (const place of [
    "1010 Wien, 9 AT",
    "8010 Graz, 6 AT",
    "2000 Sydney, NSW AU",
    "4000 Brisbane, QLD AU",
    "K1A Ottawa, ON CA",
    "T2P Calgary, AB CA",
  ]) {
    const [code = ""] = place.split(" ");
    assert.ok(firsts.has(place), place);
    const first = places.find(
      (other) => other.startsWith(`${code} `) && other.endsWith(place.slice(-2)),
    );
    assert.equal(first, place);
  }
});
