import assert from "node:assert/strict";
import { copyFileSync, existsSync, renameSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { networkRateLimit } from "../../src/domain/log-in/limits/rate-limits.ts";
import { LogInUnavailableError } from "../../src/domain/log-in/log-in-store.ts";
import { openAdmin } from "../../src/store/admin/open-admin.ts";
import type { Engine } from "./engines.ts";
import { isNotStored, onDatabase } from "./on-database.ts";
import { listStored, ManualClock, openOffice, openTestStore, pageRequest } from "./sample.ts";

const endings = ["", "-wal", "-shm"];

interface Change {
  readonly name: string;
  /** Takes the file away while it is open. */
  readonly make: (file: string) => void;
  /** True where there is a database at its path afterwards. */
  readonly isThere: boolean;
}

const changes: readonly Change[] = [
  {
    name: "deleted",
    make: (file) => {
      for (const ending of endings) rmSync(file + ending);
    },
    isThere: false,
  },
  { name: "moved away", make: (file) => renameSync(file, `${file}.old`), isThere: false },
  {
    name: "replaced",
    make: (file) => {
      copyFileSync(file, `${file}.new`);
      renameSync(`${file}.new`, file);
    },
    isThere: true,
  },
];

/** Page requests and log-ins when the file of the database goes away while it is open. */
export function describeSqliteMoved(engine: Engine): void {
  for (const { name, make, isThere } of changes) {
    onDatabase(engine, `acknowledges nothing once its file was ${name}`, async ({ url }) => {
      const file = url.slice("sqlite:".length);
      const clock = new ManualClock();
      const { store, reported } = await openTestStore(url, { clock });
      await store.pageRequests.append(pageRequest());
      make(file);
      await assert.rejects(store.pageRequests.append(pageRequest()), isNotStored("unknown"));
      await assert.rejects(store.pageRequests.append(pageRequest()), isNotStored("unavailable"));
      await assert.rejects(store.logIn.consume("a", networkRateLimit, 0), LogInUnavailableError);
      // Neither does it come back by itself with another file.
      clock.elapse();
      await clock.scheduled();
      assert.equal(store.readiness(), "database");
      assert.equal(existsSync(file), isThere);
      assert.deepEqual(reported, ["down"]);
      await store.close();
    });
  }

  onDatabase(engine, "notices a deleted file before anything is written", async ({ url }) => {
    const clock = new ManualClock();
    const { store, reported } = await openTestStore(url, { clock });
    rmSync(url.slice("sqlite:".length));
    clock.elapse();
    await clock.scheduled();
    assert.deepEqual(reported, ["down"]);
    assert.equal(store.readiness(), "database");
    await store.close();
  });

  onDatabase(engine, "goes on when its files are put back", async ({ url }) => {
    const file = url.slice("sqlite:".length);
    const clock = new ManualClock();
    const { store, up } = await openTestStore(url, { clock });
    await store.pageRequests.append(pageRequest({ requestId: "before" }));
    for (const ending of endings) renameSync(file + ending, `${file}.old${ending}`);
    await assert.rejects(store.pageRequests.append(pageRequest()), isNotStored("unknown"));
    for (const ending of endings) renameSync(`${file}.old${ending}`, file + ending);
    clock.elapse();
    await up;
    await store.pageRequests.append(pageRequest({ requestId: "after" }));
    const ids = (await listStored(url)).map((row) => row.requestId);
    assert.deepEqual([ids[0], ids.at(-1)], ["before", "after"]);
    await store.close();
  });
}

/** The database when its write-ahead log goes away while it is open. */
export function describeSqliteLostLog(engine: Engine): void {
  onDatabase(
    engine,
    "saves what was acknowledged when its write-ahead log is deleted",
    async ({ url }) => {
      const { store } = await openTestStore(url, { clock: new ManualClock() });
      await store.pageRequests.append(pageRequest({ requestId: "before" }));
      const file = url.slice("sqlite:".length);
      rmSync(`${file}-wal`);
      await assert.rejects(store.pageRequests.append(pageRequest()), isNotStored("unknown"));
      // The database alone, as after a power cut.
      copyFileSync(file, `${file}.copy`);
      const copy = new DatabaseSync(`${file}.copy`);
      const [first] = copy.prepare("SELECT request_id FROM page_requests ORDER BY id").all();
      assert.equal(first?.["request_id"], "before");
      copy.close();
      await store.close();
    },
  );

  onDatabase(
    engine,
    "lets nothing write beside a server whose write-ahead log was deleted",
    async ({ url, query }) => {
      const file = url.slice("sqlite:".length);
      const { store } = await openTestStore(url, { clock: new ManualClock() }, true);
      const administer = () => openOffice(url);
      await (await administer()).close();
      rmSync(`${file}-wal`);
      const message =
        /its write-ahead log \S+-wal is missing or empty: .* Stop the server and start it again/;
      await assert.rejects(administer(), { message });
      // Reading makes an empty one.
      await (await openAdmin(url)).close();
      assert.equal(existsSync(`${file}-wal`), true);
      await assert.rejects(administer(), { message });
      await assert.rejects(openTestStore(url), { message });
      await store.close();
      await (await administer()).close();
      assert.deepEqual(Object.values((await query("PRAGMA integrity_check"))[0] ?? {}), ["ok"]);
    },
  );
}
