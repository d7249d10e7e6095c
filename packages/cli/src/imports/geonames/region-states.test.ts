import assert from "node:assert/strict";
import { test } from "node:test";
import { importRows, known, toRow } from "../../../test/geonames-rows.ts";

/** Country, then regions as in postal files: code, name, and the state where each belongs. */
const regions: readonly (readonly [country: string, ...regions: string[]])[] = [
  // Letters of ISO.
  ["CA", "ON|Ontario|ON"],
  // Letters of ISO, names in the language of the country.
  ["DE", "BY|Bayern|BY", "NW|Nordrhein-Westfalen|NW"],
  // The numbers of GeoNames for the same states.
  ["DE", "02|Bavaria|BY", "07|Nordrhein-Westfalen|NW"],
  ["FR", "11|Île-de-France|IDF", "94|Corse|20R"],
  ["AT", "09|Wien|9", "06|Steiermark|6"],
  ["NL", "07|North Holland|NH", "07|Noord-Holland|NH"],
  // Numbers that are those of other regions in ISO.
  ["HR", "01|Bjelovarsko-Bilogorska|07", "21|Grad Zagreb|21"],
  ["CZ", "52|Hlavní město Praha|10", "80|Kraj Vysočina|63"],
  // The name is right where number or letter is another region's.
  ["BD", "H|Dhaka Division|C"],
  ["MT", "58|Tarxien|59", "59|Ta’ Xbiex|58"],
  ["GT", "07|DEPTO DE EL PROGRESO|02", "01|DEPTO DE ALTA VERAPAZ|16"],
  // Names in two scripts; letters that only the postal file has.
  ["BG", "PVN|Плевен / Pleven|15", "SFO|София / Sofija|23"],
  // The city and the region around it.
  ["PE", "15|Lima|LIM"],
  ["UA", "13|Kyiv|30", "12|Kyivska|32"],
  ["RU", "48|Москва|MOW", "47|Московская Область|MOS"],
  // Numbers of a statistics office, without names.
  ["ID", "11||AC", "51||BA", "94||PA"],
  // Counties that are newer than our list.
  ["NO", "12|Oslo|03", "01|Akershus|32", "18|Troms|55"],
  ["MA", "02|Oriental|02", "06|Casablanca-Settat|06"],
  // Only the name.
  ["RU", "|Читинская Область|ZAB"],
  ["MD", "|Mun.Chisinau|CU", "|Comrat|GA"],
  // Nothing that a list has.
  ["RU", "08|Байконур|Байконур"],
  ["TR", "|Kktc|Kktc"],
  ["GB", "L93000001||United Kingdom"],
  ["MC", "01|Monaco|Monaco"],
];

for (const [country, ...list] of regions) {
  test(`${country}: ${list.join(", ")}`, async () => {
    const parts = list.map((region) => region.split("|"));
    const { places } = await importRows(
      parts.map(([code = "", name = ""], at) => toRow(`${country}|${at + 1}|Town`, [name, code])),
    );
    const expected = parts.map(([, , state], at) => `${at + 1} Town, ${state} ${country}`);
    assert.deepEqual(places, expected);
  });
}

test("where the names of a file speak for the numbers of ISO, a number without a known name is one", async () => {
  const rows = [
    toRow("DZ|16000|Alger Centre", ["Alger", "16"]),
    toRow("DZ|31000|Oran", ["Oran", "31"]),
    toRow("DZ|23000|Annaba", ["Annaba", "23"]),
    toRow("DZ|25000|Constantine", ["Wilaya 25", "25"]),
  ];
  const { places } = await importRows(rows);
  assert.equal(places.at(-1), "25000 Constantine, 25 DZ");
});

test("regions of the same name in two countries are two states, of the same name in one country one", async () => {
  const { newStates } = await importRows([
    toRow("BM|CR01|Flatts", ["Hamilton", "02"]),
    toRow("BM|HM01|Hamilton", ["Hamilton", "03"]),
    toRow("TC|TKCA1ZZ|Hamilton", ["Hamilton", "02"]),
  ]);
  assert.deepEqual(
    newStates.map(({ name, country }) => `${name} ${country.code}`),
    ["Hamilton BM", "Hamilton TC"],
  );
});

test("an id above those of ISO that is taken is not given again", async () => {
  const rows = [toRow("NC|98800|Nouméa", ["Province Sud", "02"])];
  const [made] = (await importRows(rows)).newStates;
  assert.ok(made);
  const other = { ...made, name: "Of an operator" };
  const again = await importRows(rows, {}, { ...known, states: [...known.states, other] });
  assert.deepEqual(
    again.newStates.map(({ id, name }) => `${name} ${id - made.id}`),
    ["Province Sud 1"],
  );
});
