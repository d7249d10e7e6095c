import assert from "node:assert/strict";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import {
  type LiveGazetteer,
  openLiveGazetteer,
} from "../../src/gazetteer/releases/live-gazetteer.ts";
import { buildSample, fillSlots, sampleFile } from "./sample.ts";

const vienna = buildSample([["AT-A", "1010", "Wien"]]);
const berlin = buildSample([["DE-A", "1010", "Berlin"]]);

/** Puts a file in place as an import does. */
function put(file: string, bytes: Uint8Array): void {
  writeFileSync(`${file}.new`, bytes);
  renameSync(`${file}.new`, file);
}

function cityOf(gazetteer: LiveGazetteer, key = "1010"): string | undefined {
  return gazetteer.findPlace(key, () => 0)?.city;
}

test("look-ups use a replaced file after the next check, and its facts are new", async () => {
  const file = sampleFile();
  put(file, vienna);
  const gazetteer = await openLiveGazetteer(file);
  const before = gazetteer.facts;
  assert.deepEqual(await gazetteer.refresh(), { kind: "same" });
  put(file, berlin);
  assert.equal(cityOf(gazetteer), "Wien");
  assert.deepEqual(await gazetteer.refresh(), { kind: "loaded", before, after: gazetteer.facts });
  assert.equal(cityOf(gazetteer), "Berlin");
  assert.deepEqual(gazetteer.facts.postalCodesByCountry, { DE: 1 });
  assert.deepEqual(await gazetteer.refresh(), { kind: "same" });
});

test("without a file the built-in data is served until there is one", async () => {
  const file = sampleFile();
  const gazetteer = await openLiveGazetteer(file);
  assert.equal(cityOf(gazetteer, "10001"), "New York");
  assert.deepEqual(await gazetteer.refresh("again"), { kind: "same" });
  put(file, vienna);
  assert.equal((await gazetteer.refresh()).kind, "loaded");
  assert.deepEqual([cityOf(gazetteer), cityOf(gazetteer, "10001")], ["Wien", undefined]);
});

test("an incomplete file is reported once, and the old one is served until a whole one comes", async () => {
  const file = sampleFile();
  put(file, vienna);
  const gazetteer = await openLiveGazetteer(file);
  put(file, berlin.subarray(0, -1));
  const failed = await gazetteer.refresh();
  assert.equal(failed.kind, "failed");
  assert.match("reason" in failed ? failed.reason : "", /places\.gazetteer is cut off/);
  assert.equal(cityOf(gazetteer), "Wien");
  assert.deepEqual(await gazetteer.refresh(), { kind: "same" });
  assert.equal((await gazetteer.refresh("again")).kind, "failed");
  put(file, berlin);
  assert.equal((await gazetteer.refresh()).kind, "loaded");
  assert.equal(cityOf(gazetteer), "Berlin");
});

test("a file without an empty slot is refused, at start and later", async () => {
  const file = sampleFile();
  put(file, vienna);
  const gazetteer = await openLiveGazetteer(file);
  put(file, fillSlots(berlin));
  const failed = await gazetteer.refresh();
  assert.match("reason" in failed ? failed.reason : "", /places\.gazetteer is damaged.*Too few/);
  assert.deepEqual([cityOf(gazetteer), cityOf(gazetteer, "2000")], ["Wien", undefined]);
  await assert.rejects(openLiveGazetteer(file), /places\.gazetteer is damaged.*Too few slots/);
});

test("a file that was removed is reported once, and still served", async () => {
  const file = sampleFile();
  put(file, vienna);
  const gazetteer = await openLiveGazetteer(file);
  rmSync(file);
  assert.equal((await gazetteer.refresh()).kind, "failed");
  assert.deepEqual(await gazetteer.refresh(), { kind: "same" });
  assert.equal(cityOf(gazetteer), "Wien");
  put(file, vienna);
  assert.equal((await gazetteer.refresh()).kind, "loaded");
});

test("of two checks at the same time one reports the new file", async () => {
  const file = sampleFile();
  put(file, vienna);
  const gazetteer = await openLiveGazetteer(file);
  put(file, berlin);
  const [first, second] = await Promise.all([gazetteer.refresh(), gazetteer.refresh("again")]);
  assert.deepEqual([first.kind, second.kind], ["loaded", "same"]);
});

test("a file that is served already is not loaded again, even when asked again", async () => {
  const file = sampleFile();
  put(file, vienna);
  const gazetteer = await openLiveGazetteer(file);
  assert.deepEqual(await gazetteer.refresh("again"), { kind: "same" });
  put(file, berlin);
  assert.equal((await gazetteer.refresh()).kind, "loaded");
  assert.deepEqual(await gazetteer.refresh("again"), { kind: "same" });
});

test("a check finds a file that comes during an earlier check", async () => {
  const file = sampleFile();
  put(file, vienna);
  const gazetteer = await openLiveGazetteer(file);
  const early = gazetteer.refresh();
  put(file, berlin);
  const kinds = [(await early).kind, (await gazetteer.refresh("again")).kind];
  assert.equal(kinds.filter((kind) => kind === "loaded").length, 1);
  assert.equal(cityOf(gazetteer), "Berlin");
});

test("a file that cannot be read at start is named", async () => {
  const file = sampleFile();
  writeFileSync(file, "no gazetteer");
  await assert.rejects(openLiveGazetteer(file), /places\.gazetteer is not a gazetteer/);
});
