import assert from "node:assert/strict";
import { test } from "node:test";
import { createContext, runInContext } from "node:vm";
import { crc32 } from "node:zlib";
import { PlaceLookup } from "../../src/domain/location/lookup.ts";
import { type Artifact, readArtifact } from "../../src/gazetteer/format/artifact.ts";
import {
  checkedFrom,
  headerBytes,
  sectionNames,
  slotBytes,
} from "../../src/gazetteer/format/layout.ts";
import { gazetteerOf } from "../../src/gazetteer/format/reader.ts";
import { splitSections } from "../../src/gazetteer/format/sections.ts";
import { buildSample, fillSlots, type SampleRow } from "./sample.ts";

/** Runs of one place per country, and with others behind them; keys of one and of two numbers. */
const rows: readonly SampleRow[] = [
  ...Array.from({ length: 12 }, (_, at): SampleRow => ["AT-A", `${1010 + at}`, `Ort ${at}`]),
  ...["1010", "1012", "1010WIEN"].flatMap((key): SampleRow[] => [
    ["AT-B", key, "Wien"],
    ["CH-A", key, "Lausanne"],
    ["CH-B", key, "Renens", "custom"],
    ["DE-A", key, "Berlin"],
  ]),
  ["AT-A", "1012", "Kahlenberg"],
];
const sample = Buffer.from(buildSample(rows));
const keys = [...new Set(rows.map(([, key]) => key)), "2000", "999999", "ZZZZZZZZ", "AT-1012"];

/** Whole numbers below a bound, the same ones for the same seed. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Numbers at the edges of what the layout has. */
const edges = [0, 1, 2, 15, 16, 17, 255, 0x3fff_ffff, 0x4000_0000, 0x7fff_ffff, 0x8000_0000];

/** The sample with one to three changes, mostly in one section, and a checksum that is right. */
function mutate(seed: number): Buffer {
  const bytes = Buffer.from(sample);
  const random = createRandom(seed * 2_654_435_769);
  const part = random(sectionNames.length + 1);
  const [from, end] = part === 0 ? [checkedFrom, headerBytes] : rangeOf(part - 1);
  for (let left = 1 + random(3); left > 0; left--) {
    const at = from + random(end - from);
    const word = from + 4 * random(Math.max(1, (end - from) >> 2));
    const number = random(2) === 0 ? random(64) : (edges[random(edges.length)] ?? 0);
    [
      () => bytes.writeUInt8(random(256), at),
      () => bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << random(8)), at),
      () => bytes.fill([0, 1, 255][random(3)] ?? 0, at, Math.min(end, at + random(60))),
      () => bytes.copy(bytes, at, from, Math.min(end, from + random(60))),
      () => word + 4 <= end && bytes.writeUInt32LE(number, word),
      () => word + 4 <= end && bytes.writeUInt32LE((0x8000_0000 + number) >>> 0, word),
    ][random(6)]?.();
  }
  bytes.writeUInt32LE(crc32(bytes.subarray(checkedFrom)), 16);
  return bytes;
}

/** Where a section begins and ends. */
function rangeOf(section: number): readonly [number, number] {
  const from = sample.readUInt32LE(checkedFrom + 8 * section);
  return [from, from + sample.readUInt32LE(checkedFrom + 8 * section + 4)];
}

/** Everything that look-ups do. */
function lookUp(artifact: Artifact): void {
  const gazetteer = gazetteerOf(artifact);
  const lookup = new PlaceLookup(gazetteer, ["AT"]);
  for (const key of keys) {
    lookup.findPlace(key);
    lookup.findAll(key);
    for (const { code } of gazetteer.listCountries()) lookup.findAll(key, code);
  }
  for (const { id } of gazetteer.listCountries()) lookup.listStates(id);
}

/** Seeds of the mutants, which are always the same. */
const seeds = 20_000;

/** Time for all mutants, twenty times the usual: only an endless look-up takes longer. */
const hangMs = 60_000;

test(`of ${seeds} gazetteers with a changed byte or number each is refused, or look-ups neither throw nor hang`, () => {
  let seed = 0;
  let served = 0;
  const tryAll = () => {
    for (seed = 1; seed <= seeds; seed++) {
      let artifact: Artifact;
      try {
        artifact = readArtifact(mutate(seed), "changed");
      } catch (cause) {
        assert.match(String(cause), /^Error: Gazetteer changed (?:is damaged|has a section)/);
        continue;
      }
      served += 1;
      lookUp(artifact);
    }
  };
  try {
    // Only there code can be stopped that never ends.
    runInContext("tryAll()", createContext({ tryAll }), { timeout: hangMs });
  } catch (cause) {
    assert.fail(`Seed ${seed}: ${cause}`);
  }
  // Both happen often, so that the test says something.
  assert.ok(served > seeds / 10 && served < seeds * 0.9, `${served} were not refused`);
});

test("a gazetteer without an empty slot is refused, and one with a quarter of them is not", () => {
  const { slots } = splitSections(sample, "sample");
  const slotCount = slots.length / slotBytes;
  const usable = Math.floor((slotCount * 3) / 4);
  assert.throws(() => readArtifact(fillSlots(sample, slotCount), "full"), {
    message: "Gazetteer full is damaged, although its checksum matches: Too few slots are empty",
  });
  lookUp(readArtifact(fillSlots(sample, usable), "fuller"));
});
