import assert from "node:assert/strict";
import { test } from "node:test";
import { checkArtifact, readArtifact } from "../../src/gazetteer/format/artifact.ts";
import { joinSections } from "../../src/gazetteer/format/builder.ts";
import { placeBytes, slotBytes } from "../../src/gazetteer/format/layout.ts";
import { type Sections, splitSections } from "../../src/gazetteer/format/sections.ts";
import { buildSample } from "./sample.ts";

const sample = buildSample([
  ["AT-A", "1010", "Wien"],
  ["AT-B", "1020", "Graz"],
  ["DE-A", "1010", "Berlin"],
]);

/** The sample with one section changed, and a checksum that is right all the same. */
function changed(change: (sections: Sections) => void) {
  const sections = splitSections(Uint8Array.from(sample), "sample");
  change(sections);
  return readArtifact(joinSections(sections), "changed");
}

/** Where the first slot with a key begins. */
function firstSlot({ slots }: Sections): number {
  let at = 0;
  while (slots.readUInt32LE(at) === 0) at += slotBytes;
  return at;
}

test("checkArtifact() passes what the builder makes", () => {
  checkArtifact(changed(() => {}));
});

const wrongs: readonly [string, (sections: Sections) => void, RegExp][] = [
  [
    "a key that is missing",
    (all) => all.slots.fill(0, firstSlot(all), firstSlot(all) + slotBytes),
    /counts/,
  ],
  ["a key in the wrong slot", (all) => all.slots.writeUInt32LE(1, firstSlot(all)), /wrong slot/],
  [
    "a place in no state",
    ({ places }) => places.writeUInt16LE(999, placeBytes - 2),
    /no valid name or state/,
  ],
  [
    "a place without a name",
    ({ places }) => places.writeUInt16LE(0, placeBytes - 4),
    /no valid name or state/,
  ],
];
for (const [what, change, message] of wrongs) {
  test(`an artifact with ${what} is refused, whatever the checksum says`, () => {
    assert.throws(() => checkArtifact(changed(change)), message);
  });
}
