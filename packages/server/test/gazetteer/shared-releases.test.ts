import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import {
  type ReleaseStore,
  releaseLimits,
  type StoredRelease,
} from "../../src/domain/location/release.ts";
import { openLiveGazetteer } from "../../src/gazetteer/releases/live-gazetteer.ts";
import { Releases } from "../../src/gazetteer/releases/releases.ts";
import { ReleasePuller, SharedReleases } from "../../src/gazetteer/releases/shared-releases.ts";
import { buildSample, cityIn, filesBeside, fillSlots, sampleFile } from "./sample.ts";

const vienna = buildSample([["AT-A", "1010", "Wien"]]);
const graz = buildSample([["AT-A", "1010", "Graz"]]);
/** Checks of a puller in a minute. */
const checksInMinute = 30;

/** A stored release whose parts the test may replace. */
interface Kept extends StoredRelease {
  parts: readonly Uint8Array[];
}

/** A database in memory. */
function openStore() {
  const state = { revision: 0n, kept: [] as Kept[], fetches: 0 };
  const take = (expected: bigint) => {
    if (expected !== state.revision) return false;
    state.revision += 1n;
    return true;
  };
  const store: ReleaseStore = {
    readRevisions: async () => ({ overrides: 0n, releases: state.revision }),
    list: async () => state.kept.slice(0, 2),
    readPart: async (id, number) => {
      if (number === 0) state.fetches += 1;
      return state.kept.find((one) => one.id === id)?.parts[number] ?? null;
    },
    publish: async (releases, expected, nowMs) => {
      if (!take(expected)) return false;
      for (const { artifact, ...facts } of releases) {
        state.kept.unshift({
          ...facts,
          id: BigInt(state.kept.length + 1),
          bytes: artifact.length,
          createdAtMs: nowMs,
          currentSinceMs: nowMs,
          parts: [artifact.subarray(0, 100), artifact.subarray(100)],
        });
      }
      return true;
    },
    rollBack: async (expected) => {
      if (!take(expected)) return false;
      state.kept.reverse();
      return true;
    },
  };
  return { store, state };
}

/** A server over a file of its own, and a publisher of its database. */
async function openNode(store = openStore()) {
  const file = sampleFile();
  const local = new Releases(file);
  const puller = new ReleasePuller(local);
  puller.connect(store.store);
  const live = await openLiveGazetteer(file, puller.pull);
  const shared = new SharedReleases({
    name: "postgres://db/wfh",
    source: store.store,
    local: new Releases(sampleFile()),
    now: () => 1,
  });
  return {
    file,
    live,
    shared,
    ...store,
    publish: (bytes: Uint8Array) => shared.change(({ publish }) => publish(bytes)),
    /** One check, after one of the revision. */
    check: (again?: "again") => {
      puller.noteRevision(store.state.revision);
      return live.refresh(again);
    },
    city: () => live.findPlace("1010", () => 0)?.city,
  };
}

test("a node serves what is published in the database, and keeps it in its file", async () => {
  const { publish, check, city, file, live, state } = await openNode();
  assert.equal((await check()).kind, "same");
  assert.equal(city(), undefined);
  await publish(vienna);
  assert.equal((await check()).kind, "loaded");
  assert.equal(city(), "Wien");
  assert.equal(cityIn(file, "1010"), "Wien");
  assert.deepEqual(filesBeside(file), ["lock"]);
  const sha256 = createHash("sha256").update(vienna).digest("hex");
  assert.deepEqual(live.release, { sha256, refusedCount: 0 });
  assert.equal((await check()).kind, "same");
  assert.equal(state.fetches, 1);
});

test("a rollback after the first import returns to the data before it", async () => {
  const { publish, shared, check, city, live } = await openNode();
  const before = live.facts.dataDate;
  await publish(vienna);
  await check();
  await shared.change(({ rollBack }) => rollBack());
  await check();
  assert.deepEqual([city(), live.facts.dataDate], [undefined, before]);
  await shared.change(({ rollBack }) => rollBack());
  await check();
  assert.equal(city(), "Wien");
});

test("an import that another one has overtaken publishes nothing", async () => {
  const { publish, shared, check, city } = await openNode();
  const overtaken = shared.change(async (change) => {
    await publish(vienna);
    await change.publish(graz);
  });
  await assert.rejects(overtaken, /Another import has published.*\n.*Run the command again/);
  await check();
  assert.equal(city(), "Wien");
});

test("what is no artifact is not published, and what is too long neither", async () => {
  const { publish, state } = await openNode();
  await assert.rejects(publish(Buffer.from("PK and so on")), /is not a gazetteer/);
  await assert.rejects(publish(vienna.subarray(0, 100)), /cut off/);
  await assert.rejects(publish(fillSlots(vienna)), /^Error: Gazetteer to be .*: Too few slots/);
  const rows = Array.from({ length: 1_500 }, (_, key) => `${key}`);
  const long = buildSample(rows.map((key) => ["AT-A", key, key.padEnd(60_000, "x")]));
  assert.ok(long.length > releaseLimits.bytes);
  await assert.rejects(publish(long), /up to 83,886,080\.\n.*--only.*WFH_GAZETTEER_RELEASES=file/);
  assert.deepEqual(state.kept, []);
});

const broken: readonly {
  readonly what: string;
  readonly change: (release: Kept) => Kept;
  readonly reason: RegExp;
}[] = [
  {
    what: "a flipped bit",
    change: (one) => ({ ...one, parts: one.parts.map((part) => part.map((byte) => byte ^ 1)) }),
    reason: /Release \d+ of the database \(data of 2026-03-30\) is damaged: its checksum/,
  },
  {
    what: "a missing part",
    change: (one) => ({ ...one, parts: one.parts.slice(0, 1) }),
    reason: /part 1 is missing/,
  },
  {
    what: "an empty part",
    change: (one) => ({ ...one, parts: [new Uint8Array(), ...one.parts] }),
    reason: /part 0 is missing or has a wrong length/,
  },
  {
    what: "more bytes than it says",
    change: (one) => ({ ...one, bytes: one.bytes - 1 }),
    reason: /part 1 is missing or has a wrong length/,
  },
  {
    what: "a length of a terabyte",
    change: (one) => ({ ...one, bytes: 1e12 }),
    reason: /claims to have 1000000000000 bytes/,
  },
  {
    what: "a length below zero",
    change: (one) => ({ ...one, bytes: -1 }),
    reason: /claims to have -1 bytes/,
  },
  {
    what: "no length",
    change: (one) => ({ ...one, bytes: 0 }),
    reason: /claims to have 0 bytes/,
  },
  {
    what: "a right checksum of what is no artifact",
    change: (one) => withContent(one, Buffer.from("PK and so on")),
    reason: /is not a gazetteer/,
  },
  {
    what: "a table without an empty slot",
    change: (one) => withContent(one, fillSlots(graz)),
    reason: /Gazetteer release \d+ of the database is damaged.*: Too few slots are empty/,
  },
];

/** The release with another content, and its checksum. */
function withContent(release: Kept, bytes: Uint8Array): Kept {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { ...release, bytes: bytes.length, sha256, parts: [bytes] };
}

for (const { what, change, reason } of broken) {
  test(`a release with ${what} is refused once, and the one before it is served`, async () => {
    const { publish, check, city, file, live, state } = await openNode();
    await publish(vienna);
    await check();
    await publish(graz);
    state.kept = state.kept.map((one, i) => (i === 0 ? change(one) : one));
    const found = await check();
    assert.match(found.kind === "failed" ? found.reason : "", reason);
    for (let i = 0; i < checksInMinute; i += 1) assert.equal((await check()).kind, "same");
    assert.deepEqual(
      [city(), cityIn(file, "1010"), live.release.refusedCount],
      ["Wien", "Wien", 1],
    );
    assert.deepEqual(filesBeside(file), ["lock"]);
    assert.equal((await check("again")).kind, "failed");
    await publish(graz);
    assert.equal((await check()).kind, "loaded");
    assert.equal(city(), "Graz");
  });
}

test("a release that was mended is served within a minute", async () => {
  const { publish, check, city, state } = await openNode();
  await publish(vienna);
  const whole = state.kept;
  state.kept = whole.map((one) => ({ ...one, sha256: "0" }));
  assert.equal((await check()).kind, "failed");
  state.kept = whole;
  for (let i = 0; i < checksInMinute; i += 1) assert.equal((await check()).kind, "same");
  assert.equal((await check()).kind, "loaded");
  assert.equal(city(), "Wien");
});

test("a database that fails is asked again with the next check, and reported once", async () => {
  const store = openStore();
  const { publish, check, city, live } = await openNode(store);
  await publish(vienna);
  const { readPart } = store.store;
  store.store.readPart = () => Promise.reject(new Error("the connection was lost"));
  assert.deepEqual(await check(), { kind: "failed", reason: "the connection was lost" });
  assert.equal((await check()).kind, "same");
  store.store.readPart = readPart;
  assert.equal((await check()).kind, "loaded");
  assert.deepEqual([city(), live.release.refusedCount], ["Wien", 1]);
});

test("while another process of the machine replaces the file, a node waits for it", async () => {
  const { publish, check, city, file, state } = await openNode();
  await publish(vienna);
  await new Releases(file).change(async () => {
    assert.equal((await check()).kind, "same");
    assert.equal(state.fetches, 0);
  });
  await check();
  assert.equal(city(), "Wien");
});

test("a damaged file does not keep a node from starting, and is replaced", async () => {
  const store = openStore();
  const file = sampleFile();
  writeFileSync(file, "PK and so on");
  const puller = new ReleasePuller(new Releases(file));
  const live = await openLiveGazetteer(file, puller.pull);
  puller.connect(store.store);
  const shared = new SharedReleases({
    name: "postgres://db/wfh",
    source: store.store,
    local: new Releases(file),
    now: () => 1,
  });
  await shared.change(({ publish }) => publish(vienna));
  puller.noteRevision(store.state.revision);
  assert.equal((await live.refresh()).kind, "failed");
  assert.equal((await live.refresh()).kind, "loaded");
  assert.equal(cityIn(file, "1010"), "Wien");
  assert.equal(existsSync(`${file}.previous`), false);
  // The damaged file was not taken along as the previous release.
  await assert.rejects(
    shared.change(({ rollBack }) => rollBack()),
    /There is no previous release in postgres:\/\/db\/wfh/,
  );
});
