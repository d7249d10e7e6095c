import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInGazetteer } from "../../gazetteer/format/artifact.ts";
import { openGazetteer } from "../../gazetteer/format/reader.ts";
import { distanceKm } from "./distance.ts";
import type { ListedCode } from "./gazetteer.ts";
import { NearbyCodes } from "./nearby.ts";

const gazetteer = openGazetteer(builtInGazetteer);
const codes = [...gazetteer.listCodes()];
const nearby = new NearbyCodes(gazetteer);

/** Codes that are searched for, each beside a search through all of them: 8 ms. */
const searched = process.env["TEST_LEVEL"] === "full" ? 1_000 : 80;

test(`find() has the codes of a search through all of them, for ${searched} codes and several radii`, async () => {
  const radii = [0.1, 5, 25, 200];
  for (let number = 0; number < searched; number++) {
    const { coordinates: center } =
      codes[number * Math.floor(codes.length / searched)] ?? assert.fail();
    const radiusKm = radii[number % radii.length] ?? 0;
    const found = await nearby.find(center, radiusKm);
    const expected = codes.filter((code) => distanceKm(center, code.coordinates) <= radiusKm);
    const namesOf = (list: readonly ListedCode[]) =>
      list.map(({ key, countryCode }) => `${countryCode} ${key}`).sort();
    assert.deepEqual(namesOf(found), namesOf(expected));
    assert.deepEqual(
      found.map(({ km }) => km),
      found.map(({ km }) => km).sort((a, b) => a - b),
    );
  }
});

test("find() finds codes beyond a pole and the date line", async () => {
  const at = (key: string, latitude: number, longitude: number) => {
    return { key, countryCode: "AQ", coordinates: { latitude, longitude } };
  };
  const listCodes = () => [at("1", 89.9, 0), at("2", 0, 179.9), at("3", -90, 0)];
  const few = new NearbyCodes({ facts: gazetteer.facts, listCodes });
  const keysAt = async (latitude: number, longitude: number) =>
    (await few.find({ latitude, longitude }, 50)).map(({ key }) => key);
  assert.deepEqual(await keysAt(89.9, 180), ["1"]);
  assert.deepEqual(await keysAt(0, -179.9), ["2"]);
  assert.deepEqual(await keysAt(-89.9, 90), ["3"]);
});

test("find() starts again when the data is replaced while it makes its bands", async () => {
  let isReplaced = false;
  const changing = {
    get facts() {
      return isReplaced ? gazetteer.facts : { ...gazetteer.facts };
    },
    *listCodes() {
      if (!isReplaced) {
        isReplaced = true;
        throw new TypeError("The bytes of this release are gone");
      }
      yield* codes.slice(0, 10);
    },
  };
  const { coordinates: center } = codes[0] ?? assert.fail();
  const [first] = await new NearbyCodes(changing).find(center, 1);
  assert.equal(first?.km, 0);
});
