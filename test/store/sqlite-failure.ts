import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { openReader } from "../../src/store/open-store.ts";
import { StoreError } from "../../src/store/store-error.ts";
import type { Engine } from "./engines.ts";
import { audit, startLoad } from "./load.ts";
import { onDatabase } from "./on-database.ts";
import { openTestStore } from "./sample.ts";

/** Bounds the size of files this process may write, in bytes; a text says why it cannot. */
function limitFileSize(bytes: number | "unlimited"): string | undefined {
  const arguments_ = ["--pid", String(process.pid), `--fsize=${bytes}:unlimited`];
  const { status, error, stderr } = spawnSync("prlimit", arguments_, { encoding: "utf8" });
  return status === 0 ? undefined : `file sizes cannot be limited: ${error?.message ?? stderr}`;
}

const refusals: readonly [url: string, message: RegExp][] = [
  ["sqlite::memory:", /in memory would lose page requests/],
  ["sqlite:", /in memory would lose page requests/],
  ["sqlite:/no/such/folder/a.db", /cannot be opened: .*no such file or directory/],
  ["mysql://localhost/a", /begins with sqlite: or postgres:/],
];

/** What breaks when the database is a file. */
export function describeSqliteFailure(engine: Engine): void {
  for (const [url, message] of refusals) {
    test(`refuses ${url}`, () => assert.rejects(openTestStore(url), refusal(message)));
  }

  onDatabase(engine, "refuses a file that is no database", async ({ url }) => {
    writeFileSync(url.slice("sqlite:".length), "This is a text.".repeat(1_000));
    await assert.rejects(openTestStore(url), refusal(/cannot be opened: file is not a database/));
  });

  onDatabase(engine, "reads only a database that is there", async ({ url }) => {
    await assert.rejects(openReader(url), refusal(/cannot be opened: There is no file/));
    writeFileSync(url.slice("sqlite:".length), "");
    await assert.rejects(openReader(url), refusal(/has version 0 of the schema/));
  });

  test("loses nothing when the disk is full under load, and comes back when it is not", {
    skip: limitFileSize("unlimited") ?? false,
    timeout: 30_000,
  }, async () => {
    const database = await engine.createDatabase();
    const { store, up } = await openTestStore(database.url);
    const load = startLoad(store, 16);
    await load.more(200);
    limitFileSize(300_000);
    await load.refused;
    limitFileSize("unlimited");
    await up;
    await load.more(200);
    await load.stop();
    assert.deepEqual(await audit(store, load.acknowledged), { lost: [], duplicates: 0 });
    assert.deepEqual(Object.values((await database.query("PRAGMA integrity_check"))[0] ?? {}), [
      "ok",
    ]);
    await store.close();
    await database.drop();
  });
}

function refusal(message: RegExp) {
  return (thrown: unknown) => {
    assert.ok(thrown instanceof StoreError);
    assert.match(thrown.message, message);
    return true;
  };
}
