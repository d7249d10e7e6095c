import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { header, openImportFixture } from "./import-fixture.ts";

const contradictions: readonly [
  what: string,
  lines: readonly string[],
  problems: readonly RegExp[],
][] = [
  [
    "one id for two states",
    [`${header},stateId`, "1,A,NY,US,36", "2,B,CA,US,36"],
    [/line 3: stateId 36 of US-CA is that of US-NY on line 2\.$/m],
  ],
  [
    "two ids for one state, two names for one country",
    [`${header},stateId,countryName`, "1,A,NY,US,36,", "2,B,NY,US,,USA", "3,C,NY,US,37,America"],
    [
      /line 4: countryName of US is America, but USA on line 3\.$/m,
      /line 4: stateId of US-NY is 37, but 36 on line 2\.$/m,
    ],
  ],
  [
    "the standard id of another state, country or continent",
    [`${header},stateId,countryId,continentId`, "1,A,NY,US,84000492,124,150"],
    [
      /line 2: stateId 84000492 of US-NY is the standard id of US-CA: /,
      /line 2: countryId 124 of US is the standard id of CA: /,
      /line 2: continentId 150 of NA is the standard id of EU: /,
    ],
  ],
  [
    "ids beyond 32 bits, and text instead of ids",
    [`${header},stateId,countryId`, "1,A,NY,US,2147483648,x", "2,B,NY,US,36.0,-2147483649"],
    [/line 2: stateId "2147483648" is not a/, /line 2: countryId "x"/, /line 3: stateId "36\.0"/],
  ],
  [
    "two preferred places",
    [`${header},preferred`, "1,A,NY,US,1", "1,B,CA,US,1"],
    [/line 3: is preferred for 1 of US, and so is line 2\.$/m],
  ],
  [
    "a row that contradicts an earlier one",
    [`${header},preferred,active`, "1,A,NY,US,,", "1,A,NY,US,yes,", "2,A,NY,US,1,0"],
    [/line 3: contradicts line 2 about 1 A\.$/m, /line 4: is preferred, but not active\.$/m],
  ],
  [
    "an unknown country, state and continent",
    [`${header},continentCode`, "1,A,NY,UK,", "2,B,NX,US,", "3,C,NY,US,XX", "4,D,NY,840,"],
    [
      /line 2: countryCode UK is unknown \(is it GB\?\)/,
      /line 3: stateAbbreviation NX of US is unknown \(NE, .*\?\): to add it/,
      /line 4: continentCode XX is unknown/,
      /line 5: countryCode "840" is not two letters/,
    ],
  ],
  [
    "empty cells, wrong flags, wrong codes, too much text",
    [
      `${header},active`,
      ",A,NY,US,",
      "1,,NY,US,",
      "2,B,NY,,",
      "3,C,,US,",
      "4,D,NY,US,maybe",
      "DE:5,E,NY,US,",
      "??,F,NY,US,",
      `6,${"x".repeat(181)},NY,US,`,
      "1.00E+05,G,NY,US,",
    ],
    [
      /line 2: postalCode is empty\.$/m,
      /line 3: city is empty\.$/m,
      /line 4: countryCode is empty\.$/m,
      /line 5: stateAbbreviation is empty, and United States has states\.$/m,
      /line 6: active "maybe" is neither true nor false/,
      /line 7: postalCode "DE:5" is a code of DE, but the country is US\.$/m,
      /line 8: postalCode "\?\?" contains no letter A-Z and no digit\.$/m,
      /line 9: city "x+…" is longer than 180 characters\.$/m,
      /line 10: postalCode "1\.00E\+05" is not a postal code: a spreadsheet turned it into a number/,
    ],
  ],
  [
    "rows of another width, with lines counted through quoted line ends",
    [header, '1,"A', 'B",NY,US', "", "2,B,NY,US,", "3,C,NY"],
    [
      /line 5: Expected 4 columns as in the header, found 5\.$/m,
      /line 6: Expected 4 columns as in the header, found 3/,
    ],
  ],
];
for (const [what, lines, problems] of contradictions) {
  test(`${what}: refused with the lines, and nothing is changed`, async (t) => {
    const { importPlaces, gazetteer } = openImportFixture(t);
    const before = readFileSync(gazetteer);
    const { code, out, err } = await importPlaces([...lines, "10001,Fine,NY,US"]);
    assert.equal(code, 69);
    assert.equal(out, "");
    for (const problem of problems) assert.match(err, problem);
    assert.match(err, /^Nothing was changed/m);
    assert.deepEqual(readFileSync(gazetteer), before);
  });
}

test("problems are all counted, the first shown, and a hundred in JSON", async (t) => {
  const { importPlaces } = openImportFixture(t);
  const lines = [header, ...Array.from({ length: 150 }, (_, i) => `${i + 1},,NY,US`)];
  const { err } = await importPlaces(lines);
  assert.equal(err.match(/city is empty/g)?.length, 20);
  assert.match(err, /^and 130 more$/m);
  const { out } = await importPlaces(lines, "--json");
  const { problemCount, problems } = JSON.parse(out);
  assert.equal(problemCount, 150);
  assert.deepEqual(problems[0], { line: 2, message: "city is empty" });
});

const wrongFiles: readonly [what: string, bytes: string | Uint8Array, message: RegExp][] = [
  ["no header", "10001,New York,NY,US\n", /line 1: the column "10001" is unknown/],
  [
    "a misspelled column",
    `${header},stateIdd\n`,
    /line 1: the column "stateIdd" is unknown \(stateId\?\)/,
  ],
  ["a missing column", "postalCode,city,countryCode\n", /column stateAbbreviation is missing/],
  [
    "UTF-16 cut within a character",
    Buffer.from(`\ufeff${header}\n`, "utf16le").subarray(0, -1),
    /is damaged UTF-16: save it again, as UTF-8/,
  ],
  ["a line without end", "x".repeat(70_000), /line of more than 65536 bytes|more than 65536/],
];
for (const [what, bytes, message] of wrongFiles) {
  test(`${what} instead of a table is named, and nothing is changed`, async (t) => {
    const { importBytes, gazetteer } = openImportFixture(t);
    const before = readFileSync(gazetteer);
    const { code, err } = await importBytes(Buffer.from(bytes));
    assert.match(err, message);
    assert.match(err, /^Nothing was changed/m);
    assert.equal(code, 69);
    assert.deepEqual(readFileSync(gazetteer), before);
  });
}
