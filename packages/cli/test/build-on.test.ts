import assert from "node:assert/strict";
import { test } from "node:test";
import type { GazetteerSource } from "@wfh/server/domain/location/gazetteer.ts";
import {
  type Artifact,
  checkArtifact,
  readArtifact,
} from "@wfh/server/gazetteer/format/artifact.ts";
import { gazetteerOf } from "@wfh/server/gazetteer/format/reader.ts";
import {
  placesOf,
  type SampleRow,
  sampleArtifact,
  sampleCountries,
  sampleState,
  sampleStates,
  toRows,
} from "@wfh/server/test/gazetteer/sample.ts";
import fc from "fast-check";
import { buildOn, type Changes } from "../src/imports/build-on.ts";
import { compareArtifacts } from "../src/imports/compare-artifacts.ts";

/** Builds on an artifact, with all that a test does not change. */
function next(current: Artifact, changes: Partial<Changes>): Artifact {
  const bytes = buildOn(current, {
    source: undefined,
    countries: sampleCountries,
    states: sampleStates,
    postalCodes: [],
    keep: () => "all",
    ...changes,
  });
  const artifact = readArtifact(bytes, "next");
  checkArtifact(artifact);
  return artifact;
}

const current = sampleArtifact([
  ["AT-A", "1010", "Wien"],
  ["AT-B", "1010", "Innere Stadt"],
  ["AT-A", "1020", "Leopoldstadt"],
  ["AT-B", "1020", "My Second", "custom"],
  ["DE-A", "1010", "Berlin"],
  ["CH-B", "8001", "Zürich"],
]);

test("places that stay keep their coordinates and counties", () => {
  const row = { key: "1010", city: "Wien", stateId: sampleState("AT-A").id, county: "Mitte" };
  const coordinates = { latitude: 48.2, longitude: 16.37 };
  const detailed = next(current, {
    postalCodes: [{ ...row, coordinates }],
    keep: () => "missing",
  });
  const again = next(detailed, { postalCodes: toRows([["DE-A", "9", "Ulm"]]) });
  assert.deepEqual(again.detailsOf("1010")[0], { coordinates, county: "Mitte" });
  assert.deepEqual(again.detailsOf("8001"), [{ coordinates: null, county: null }]);
});

test("a custom place has the coordinates of the same imported place", () => {
  const coordinates = { latitude: 48.2, longitude: 16.37 };
  const { id: stateId } = sampleState("AT-A");
  const custom = next(sampleArtifact([]), {
    postalCodes: [
      { key: "1010", city: "Wien", stateId, coordinates },
      { key: "1010", city: "Wien", stateId, isCustom: true },
    ],
  });
  const places = gazetteerOf(custom).listPlaces("1010");
  assert.deepEqual(
    places.map((place) => [place.isCustom, place.coordinates]),
    [[true, coordinates]],
  );
});

test("the custom places come first in their country, whatever the order of the rows", () => {
  assert.deepEqual(placesOf(current, "1020"), ["AT-B My Second*", "AT-A Leopoldstadt"]);
  const found = gazetteerOf(current).findPlace("1020", () => 0);
  assert.deepEqual([found?.city, found?.state], ["My Second", sampleState("AT-B")]);
});

test("listPlaces() lists countries by their codes, in each the preferred place first", () => {
  const shared: SampleRow[] = [
    ["DE-B", "1", "Second"],
    ["CH-A", "1", "Only"],
    ["DE-A", "1", "Third"],
    ["AT-A", "1", "First"],
    ["DE-B", "1", "Fourth"],
    ["DE-B", "1", "Second"],
  ];
  const all = ["AT-A First", "CH-A Only", "DE-B Second", "DE-A Third", "DE-B Fourth"];
  assert.deepEqual(placesOf(sampleArtifact(shared), "1"), all);
});

test("a custom place that an import has too is listed once, and both come back without the custom table", () => {
  const both = sampleArtifact([
    ["AT-A", "1", "Graz"],
    ["AT-A", "1", "Wien"],
    ["AT-A", "1", "Wien", "custom"],
  ]);
  assert.deepEqual(placesOf(both, "1"), ["AT-A Wien*", "AT-A Graz"]);
  const without = next(both, { keep: (_state, isCustom) => (isCustom ? "none" : "all") });
  assert.deepEqual(placesOf(without, "1"), ["AT-A Graz", "AT-A Wien"]);
});

test("buildOn() replaces one country and keeps the others and the custom table", () => {
  const replaced = next(current, {
    postalCodes: toRows([["AT-B", "1010", "Vienna"]]),
    keep: (state, isCustom) => (isCustom || state.country.code !== "AT" ? "all" : "none"),
  });
  assert.deepEqual(placesOf(replaced, "1010"), ["AT-B Vienna", "DE-A Berlin"]);
  assert.deepEqual(placesOf(replaced, "1020"), ["AT-B My Second*"]);
  assert.deepEqual(placesOf(replaced, "8001"), ["CH-B Zürich"]);
});

test("buildOn() keeps what the new rows lack, code by code, and nothing beside a new place", () => {
  const merged = next(current, {
    postalCodes: toRows([["AT-B", "1010", "Vienna"]]),
    keep: (_state, isCustom) => (isCustom ? "all" : "missing"),
  });
  assert.deepEqual(placesOf(merged, "1010"), ["AT-B Vienna", "DE-A Berlin"]);
  assert.deepEqual(placesOf(merged, "1020"), ["AT-B My Second*", "AT-A Leopoldstadt"]);
});

test("new custom rows do not keep out what is kept where rows are lacking", () => {
  const merged = next(current, {
    postalCodes: toRows([["AT-A", "1010", "Own", "custom"]]),
    keep: () => "missing",
  });
  const all = ["AT-A Own*", "AT-A Wien", "AT-B Innere Stadt", "DE-A Berlin"];
  assert.deepEqual(placesOf(merged, "1010"), all);
});

test("buildOn() moves kept places to the ids that states have from now on", () => {
  const was = sampleState("AT-A");
  const states = sampleStates.map((state) => (state === was ? { ...state, id: 7 } : state));
  const moved = next(current, { states, stateIdOf: (id) => (id === was.id ? 7 : id) });
  assert.equal(gazetteerOf(moved).findPlace("1010", () => 0)?.state.id, 7);
  const [austria] = compareArtifacts(current, moved);
  assert.deepEqual([austria?.code, austria?.changed, austria?.unchanged], ["AT", 1, 1]);
});

test("buildOn() refuses to lose a place because its state is not listed", () => {
  const states = sampleStates.filter((state) => state !== sampleState("CH-B"));
  assert.throws(() => next(current, { states }), /State \d+ has places but is not listed/);
});

const source = (name: string, countries: string[], dataDate: string | null): GazetteerSource => {
  return { name, kind: "geonames", importedAt: "2026-11-21T12:00:00.000Z", dataDate, countries };
};

test("sources stay as long as something of them does, and the youngest gives the date", () => {
  const first = sampleArtifact(
    [["AT-A", "1", "Wien"]],
    [source("first", ["AT", "DE"], "2024-01-01"), source("second", ["CH"], "2026-09-09")],
  );
  const after = next(first, {
    source: source("third", ["DE"], "2025-05-05"),
    keep: (state) => (state.country.code === "AT" ? "all" : "none"),
  });
  assert.deepEqual(
    after.facts.sources.map(({ name, countries }) => [name, countries]),
    [
      ["first", ["AT"]],
      ["third", ["DE"]],
    ],
  );
  assert.equal(after.facts.dataDate, "2025-05-05");
});

test("compareArtifacts() counts what is added, removed, changed and unchanged by country", () => {
  const after = sampleArtifact([
    ["AT-A", "1010", "Vienna"],
    ["AT-B", "1020", "My Second"],
    ["AT-A", "1030", "Landstraße"],
    ["CH-B", "8001", "Zürich"],
    ["CH-A", "8001", "Another"],
  ]);
  assert.deepEqual(compareArtifacts(current, after), [
    {
      code: "AT",
      added: 1,
      removed: 0,
      changed: 1,
      unchanged: 1,
      examples: [
        { kind: "changed", key: "1010", before: "Wien, A", after: "Vienna, A" },
        { kind: "added", key: "1030", before: null, after: "Landstraße, A" },
      ],
    },
    { code: "CH", added: 0, removed: 0, changed: 0, unchanged: 1, examples: [] },
    {
      code: "DE",
      added: 0,
      removed: 1,
      changed: 0,
      unchanged: 0,
      examples: [{ kind: "removed", key: "1010", before: "Berlin, A", after: null }],
    },
  ]);
});

const anyRow = fc.tuple(
  fc.constantFrom("AT-A", "AT-B", "DE-A", "CH-A", "CH-B"),
  fc.constantFrom("1", "2", "33", "ABCDEFGH"),
  fc.constantFrom("Alpha", "Beta", "Gamma", "Zürich"),
  fc.constantFrom(undefined, "custom" as const),
) as fc.Arbitrary<SampleRow>;

test("an artifact that is built on itself gives the same places", () => {
  fc.assert(
    fc.property(fc.array(anyRow, { maxLength: 40 }), (rows) => {
      const first = sampleArtifact(rows);
      const again = next(first, {});
      for (const key of ["1", "2", "33", "ABCDEFGH"]) {
        assert.deepEqual(placesOf(again, key), placesOf(first, key));
      }
      const { dataDate: _, ...counts } = first.facts;
      const { dataDate: __, ...countsAgain } = again.facts;
      assert.deepEqual(countsAgain, counts);
      const changed = compareArtifacts(first, again).filter(({ examples }) => examples.length > 0);
      assert.deepEqual(changed, []);
    }),
  );
});
