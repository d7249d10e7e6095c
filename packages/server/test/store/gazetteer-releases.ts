import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type NewRelease, releaseLimits } from "../../src/domain/location/release.ts";
import { findAdmin, openAdmin } from "../../src/store/admin/open-admin.ts";
import type { Engine, TestDatabase } from "./engines.ts";
import { onDatabase } from "./on-database.ts";
import { arrivalMs, openOffice } from "./sample.ts";

/** A release of so many bytes, all of them the same. */
function release(fill: number, bytes = 3): NewRelease {
  const artifact = new Uint8Array(bytes).fill(fill);
  const sha256 = createHash("sha256").update(artifact).digest("hex");
  return { artifact, sha256, dataDate: "2026-11-21", postalCodes: fill };
}

async function openPublisher(database: TestDatabase) {
  const office = await openOffice(database.url);
  const { releases } = office;
  let nowMs = arrivalMs;
  return {
    releases,
    close: () => office.close(),
    revision: async () => (await releases.readRevisions()).releases,
    publish: async (...published: readonly NewRelease[]) => {
      const { releases: expected } = await releases.readRevisions();
      nowMs += 1;
      return releases.publish(published, expected, nowMs);
    },
    /** Facts that distinguish the releases that are kept. */
    kept: async () =>
      (await releases.list()).map(({ postalCodes, currentSinceMs }) => [
        postalCodes,
        currentSinceMs === null ? null : currentSinceMs - arrivalMs,
      ]),
    countParts: async () => {
      const [row] = await database.query("select count(*) as parts from gazetteer_release_parts");
      return Number(row?.["parts"]);
    },
  };
}

/** Releases of the gazetteer are published and rolled back for all nodes. */
export function describeReleases(engine: Engine): void {
  onDatabase(engine, "keeps the current release and the one before it", async (database) => {
    const { publish, kept, countParts, revision, close } = await openPublisher(database);
    assert.deepEqual([await kept(), await revision()], [[], 0n]);
    assert.equal(await publish(release(1), release(2)), true);
    assert.deepEqual(await kept(), [
      [2, 1],
      [1, null],
    ]);
    assert.equal(await publish(release(3)), true);
    assert.equal(await publish(release(4)), true);
    assert.deepEqual(await kept(), [
      [4, 3],
      [3, null],
    ]);
    assert.deepEqual([await countParts(), await revision()], [2, 3n]);
    await close();
  });

  onDatabase(engine, "swaps two releases, and swaps them back", async (database) => {
    const { releases, publish, kept, revision, close } = await openPublisher(database);
    await publish(release(1), release(2));
    assert.equal(await releases.rollBack(await revision(), arrivalMs + 5), true);
    assert.deepEqual(await kept(), [
      [1, 5],
      [2, null],
    ]);
    assert.equal(await releases.rollBack(await revision(), arrivalMs + 6), true);
    assert.deepEqual(await kept(), [
      [2, 6],
      [1, null],
    ]);
    await close();
  });

  onDatabase(engine, "takes one of two publications that began together", async (database) => {
    const { releases, kept, countParts, close } = await openPublisher(database);
    const published = await Promise.all(
      [1, 2].map((fill) => releases.publish([release(fill)], 0n, arrivalMs)),
    );
    assert.deepEqual(published.toSorted(), [false, true]);
    assert.deepEqual([(await kept()).length, await countParts()], [1, 1]);
    assert.equal(await releases.rollBack(0n, arrivalMs), false);
    await close();
  });

  onDatabase(engine, "changes nothing when a part cannot be written", async (database) => {
    const { publish, kept, revision, close } = await openPublisher(database);
    await publish(release(1));
    await database.query("alter table gazetteer_release_parts rename to hidden_parts");
    await assert.rejects(publish(release(2)), /gazetteer_release_parts/);
    await database.query("alter table hidden_parts rename to gazetteer_release_parts");
    assert.deepEqual([await kept(), await revision()], [[[1, 1]], 1n]);
    await close();
  });
}

/** Nodes read them. */
export function describeReleaseParts(engine: Engine): void {
  onDatabase(engine, "returns every byte of an artifact in parts", async (database) => {
    const { releases, publish, close } = await openPublisher(database);
    const { partBytes } = releaseLimits;
    await publish(release(255, 2 * partBytes + 7));
    const reader = await openAdmin(database.url);
    const [current] = await reader.releases.list();
    assert.ok(current !== undefined);
    const parts = await Promise.all(
      [0, 1, 2, 3].map((number) => reader.releases.readPart(current.id, number)),
    );
    assert.deepEqual(
      parts.map((part) => part?.length),
      [partBytes, partBytes, 7, undefined],
    );
    assert.ok(parts.every((part) => part?.every((byte) => byte === 255) ?? true));
    assert.deepEqual(current, {
      id: current.id,
      sha256: release(255, 2 * partBytes + 7).sha256,
      bytes: 2 * partBytes + 7,
      dataDate: "2026-11-21",
      postalCodes: 255,
      createdAtMs: arrivalMs + 1,
      currentSinceMs: arrivalMs + 1,
    });
    assert.equal(await releases.readPart(current.id + 1n, 0), null);
    await Promise.all([reader.close(), close()]);
  });

  onDatabase(engine, "does not read a part that is too long", async (database) => {
    const { releases, publish, close } = await openPublisher(database);
    await publish(release(1));
    const [current] = await releases.list();
    const long = releaseLimits.partBytes + 1;
    const bytes =
      engine.name === "SQLite" ? `zeroblob(${long})` : `convert_to(repeat('x', ${long}), 'UTF8')`;
    await database.query(`update gazetteer_release_parts set content = ${bytes}`);
    assert.equal(await releases.readPart(current?.id ?? 0n, 0), null);
    await close();
  });

  onDatabase(engine, "reads no releases from a database of an older program", async (database) => {
    const { close } = await openPublisher(database);
    await close();
    await database.query("drop table gazetteer_release_parts");
    await database.query("drop table gazetteer_releases");
    await database.query("delete from schema_migrations where version >= 7");
    assert.equal(await findAdmin(database.url, "gazetteer-releases"), null);
  });
}
