import assert from "node:assert/strict";
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { builtInGazetteer } from "../../src/gazetteer/format/artifact.ts";
import type { PublishStep } from "../../src/gazetteer/releases/releases.ts";
import { Releases } from "../../src/gazetteer/releases/releases.ts";
import { buildSample, cityIn, filesBeside, fillSlots, sampleFile } from "./sample.ts";

const vienna = buildSample([["AT-A", "1010", "Wien"]]);
const berlin = buildSample([["DE-A", "1010", "Berlin"]]);

function publish(file: string, bytes: Uint8Array, onStep?: (step: PublishStep) => void) {
  return new Releases(file).change((change) => {
    return change.publish(bytes, onStep === undefined ? {} : { onStep });
  });
}

function rollBack(file: string): Promise<void> {
  return new Releases(file).change((change) => change.rollBack());
}

/** A file with two releases: Wien before, Berlin now. */
async function twoReleases(): Promise<string> {
  const file = sampleFile();
  await publish(file, vienna);
  await publish(file, berlin);
  return file;
}

test("the first import can be rolled back to the built-in data, and forth again", async () => {
  const file = sampleFile();
  await publish(file, vienna);
  assert.deepEqual(filesBeside(file), ["lock", "previous"]);
  assert.equal(cityIn(file, "1010"), "Wien");
  await rollBack(file);
  assert.deepEqual(readFileSync(file), readFileSync(builtInGazetteer));
  await rollBack(file);
  assert.equal(cityIn(file, "1010"), "Wien");
  assert.deepEqual(filesBeside(file), ["lock", "previous"]);
});

test("an import keeps the previous release, and only that one", async () => {
  const file = await twoReleases();
  assert.deepEqual([cityIn(file, "1010"), cityIn(`${file}.previous`, "1010")], ["Berlin", "Wien"]);
  await rollBack(file);
  assert.deepEqual([cityIn(file, "1010"), cityIn(`${file}.previous`, "1010")], ["Wien", "Berlin"]);
});

test("a rollback without a previous release is refused", async () => {
  await assert.rejects(rollBack(sampleFile()), /There is no previous release/);
});

test("a rollback to a damaged release is refused, and what is served stays", async () => {
  const file = await twoReleases();
  writeFileSync(`${file}.previous`, vienna.subarray(0, -1));
  await assert.rejects(rollBack(file), /previous cannot be used: .* is cut off/);
  assert.equal(cityIn(file, "1010"), "Berlin");
});

test("bytes that are no artifact are not put in place, and nothing is left of them", async () => {
  const file = await twoReleases();
  const damaged = Uint8Array.from(vienna);
  damaged[damaged.length - 1] = (damaged.at(-1) ?? 0) ^ 1;
  await assert.rejects(publish(file, damaged), /is damaged.*\n.*still served/);
  assert.deepEqual([cityIn(file, "1010"), cityIn(`${file}.previous`, "1010")], ["Berlin", "Wien"]);
  assert.deepEqual(filesBeside(file), ["lock", "previous"]);
});

test("a table without an empty slot is neither published nor rolled back to, whatever its checksum", async () => {
  const file = await twoReleases();
  const refused = /cannot be used: Gazetteer \S+ is damaged.*: Too few slots.*\n.*still served/;
  await assert.rejects(publish(file, fillSlots(vienna)), refused);
  writeFileSync(`${file}.previous`, fillSlots(vienna));
  await assert.rejects(rollBack(file), refused);
  assert.equal(cityIn(file, "1010"), "Berlin");
});

for (const step of ["write", "verify", "swap"] as const) {
  test(`an import that fails before it can ${step} leaves both releases as they were`, async () => {
    const file = await twoReleases();
    const fails = publish(file, vienna, (begun) => {
      if (begun === step) throw new Error("power cut");
    });
    await assert.rejects(fails, /power cut/);
    assert.deepEqual(
      [cityIn(file, "1010"), cityIn(`${file}.previous`, "1010")],
      ["Berlin", "Wien"],
    );
    assert.deepEqual(filesBeside(file), ["lock", "previous"]);
  });
}

test("an import can be ended up to the moment of the swap", async () => {
  const file = await twoReleases();
  const controller = new AbortController();
  const ends = new Releases(file).change((change) =>
    change.publish(vienna, {
      signal: controller.signal,
      onStep: (step) => {
        if (step === "verify") controller.abort(new Error("enough"));
      },
    }),
  );
  await assert.rejects(ends, /enough/);
  assert.equal(cityIn(file, "1010"), "Berlin");
});

test("what killed imports have left is removed by the next one", async () => {
  const file = await twoReleases();
  writeFileSync(`${file}.new-0123`, vienna.subarray(0, 100));
  linkSync(file, `${file}.old-0123`);
  const others = ["places.gazetteer.txt", "other.gazetteer.new-0123"].map((name) =>
    join(dirname(file), name),
  );
  for (const other of others) writeFileSync(other, "");
  await publish(file, vienna);
  assert.deepEqual(filesBeside(file), ["lock", "previous", "txt"]);
  for (const other of others) assert.equal(statSync(other).size, 0);
});

test("a rollback that was killed between its two steps is finished by the next import", async () => {
  const file = await twoReleases();
  // As it stands then: Berlin is set aside, Wien is the current and the previous release.
  renameSync(file, `${file}.back-0123`);
  linkSync(`${file}.previous`, file);
  await new Releases(file).change(async () => {});
  assert.deepEqual([cityIn(file, "1010"), cityIn(`${file}.previous`, "1010")], ["Wien", "Berlin"]);
  assert.deepEqual(filesBeside(file), ["lock", "previous"]);
});

test("a rollback that was killed before its first step leaves both releases where they were", async () => {
  const file = await twoReleases();
  linkSync(`${file}.previous`, `${file}.old-0123`);
  linkSync(file, `${file}.back-0123`);
  await new Releases(file).change(async () => {});
  assert.deepEqual([cityIn(file, "1010"), cityIn(`${file}.previous`, "1010")], ["Berlin", "Wien"]);
  assert.deepEqual(filesBeside(file), ["lock", "previous"]);
});

test("a second import at the same time is refused, and one after it is not", async () => {
  const file = sampleFile();
  await new Releases(file).change(async ({ publish: first }) => {
    await assert.rejects(
      publish(file, berlin),
      /Another import is running.*places\.gazetteer\.lock/,
    );
    await first(vienna);
  });
  assert.equal(cityIn(file, "1010"), "Wien");
  await publish(file, berlin);
  assert.equal(cityIn(file, "1010"), "Berlin");
});

test("a damaged current file does not become the release to roll back to", async () => {
  const file = await twoReleases();
  writeFileSync(file, "damaged");
  await publish(file, berlin);
  assert.deepEqual([cityIn(file, "1010"), cityIn(`${file}.previous`, "1010")], ["Berlin", "Wien"]);
});

test("a link is followed, and stays one", async () => {
  const link = sampleFile();
  const target = join(dirname(link), "data", "real.gazetteer");
  mkdirSync(dirname(target));
  symlinkSync(join("data", "real.gazetteer"), link);
  await publish(link, vienna);
  await publish(link, berlin);
  assert.ok(lstatSync(link).isSymbolicLink());
  assert.deepEqual([cityIn(target, "1010"), cityIn(link, "1010")], ["Berlin", "Berlin"]);
  assert.equal(cityIn(`${target}.previous`, "1010"), "Wien");
});

test("a new file has the rights of the one it replaces", async () => {
  const file = sampleFile();
  await publish(file, vienna);
  chmodSync(file, 0o640);
  await publish(file, berlin);
  assert.equal(statSync(file).mode & 0o777, 0o640);
});

test("a folder that is not there is named, with what to check", async () => {
  const file = join(sampleFile(), "nowhere", "x.gazetteer");
  await assert.rejects(publish(file, vienna), /nowhere.*cannot be locked.*\n.*folder is there/);
});

test("a folder in place of the current file is called one", async () => {
  const folder = dirname(sampleFile());
  assert.throws(
    () => new Releases(folder).openCurrent(),
    /^ReleaseError: \S+ is a folder: name a file\nCheck WFH_GAZETTEER\. /,
  );
});

test("a current file that cannot be read says how to go on", async () => {
  const file = await twoReleases();
  writeFileSync(file, "PK and so on");
  assert.throws(
    () => new Releases(file).openCurrent(),
    /is not a gazetteer.*\n.*rollback.*--fresh/,
  );
  await rollBack(file);
  assert.equal(cityIn(file, "1010"), "Wien");
});
