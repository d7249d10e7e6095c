import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { networkRateLimit } from "../../src/domain/log-in/limits/rate-limits.ts";
import { LogInUnavailableError } from "../../src/domain/log-in/log-in-store.ts";
import { NotStoredError } from "../../src/domain/page-requests/page-request-log.ts";
import { openAdmin } from "../../src/store/admin/open-admin.ts";
import { OtherServerError, StoreError } from "../../src/store/store-error.ts";
import { limitFileSize } from "../limit-file-size.ts";
import type { Engine } from "./engines.ts";
import { audit, startLoad } from "./load.ts";
import { event, goodLogIn, newAccount, openLogIn } from "./log-in-sample.ts";
import { onDatabase } from "./on-database.ts";
import { arrivalMs, ManualClock, openOffice, openTestStore, pageRequest } from "./sample.ts";

/** Largest write-ahead log that is kept, in bytes. */
const logBytesKept = 16 * 1_024 * 1_024;

const refusals: readonly [url: string, message: RegExp][] = [
  ["sqlite::memory:", /in memory would lose page requests/],
  ["sqlite:", /in memory would lose page requests/],
  [
    "sqlite:/no/such/folder/a.db",
    /cannot be opened: The folder \/no\/such\/folder does not exist\. Create it/,
  ],
  ["mysql://localhost/a", /begins with sqlite: or postgres:/],
];

/** Failures of a database that is a file. */
export function describeSqliteFailure(engine: Engine): void {
  for (const [url, message] of refusals) {
    test(`refuses ${url}`, () => assert.rejects(openTestStore(url), refusal(message)));
  }

  onDatabase(engine, "refuses a file that is no database", async ({ url }) => {
    writeFileSync(url.slice("sqlite:".length), "This is a text.".repeat(1_000));
    await assert.rejects(openTestStore(url), refusal(/cannot be opened: file is not a database/));
  });

  onDatabase(
    engine,
    "reads only a database that is there",
    async ({ url }) => {
      await assert.rejects(openAdmin(url), refusal(/cannot be used: File not found/));
      writeFileSync(url.slice("sqlite:".length), "");
      await assert.rejects(openAdmin(url), refusal(/has version 0 of the schema/));
    },
    { isNew: true },
  );

  test("loses nothing when the disk is full under load, and comes back when it is not", {
    skip: limitFileSize("unlimited"),
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
    assert.deepEqual(await audit(database.url, load.acknowledged), { lost: [], duplicates: 0 });
    assert.deepEqual(Object.values((await database.query("PRAGMA integrity_check"))[0] ?? {}), [
      "ok",
    ]);
    await store.close();
    await database.drop();
  });
}

/** Files beside the database: its write-ahead log, and the lock of a server. */
export function describeSqliteFiles(engine: Engine): void {
  onDatabase(
    engine,
    "refuses a write-ahead log without its database",
    async ({ url }) => {
      const file = url.slice("sqlite:".length);
      writeFileSync(`${file}-wal`, "committed");
      await assert.rejects(
        openTestStore(url),
        refusal(/There is a write-ahead log \S+-wal without its database\. Put the database back/),
      );
      assert.deepEqual(
        [existsSync(file), readFileSync(`${file}-wal`, "utf8")],
        [false, "committed"],
      );
      rmSync(`${file}-wal`);
    },
    { isNew: true },
  );

  onDatabase(
    engine,
    "refuses a second server, and no command",
    async ({ url }) => {
      const first = await openTestStore(url, {}, true);
      const office = await openOffice(url);
      const reader = await openAdmin(url);
      await assert.rejects(openTestStore(url, {}, true), OtherServerError);
      assert.deepEqual(first.warned, ["created"]);
      for (const open of [office, reader, first.store]) await open.close();
      const third = await openTestStore(url, {}, true);
      assert.deepEqual(third.warned, []);
      await third.store.close();
    },
    { isNew: true },
  );

  onDatabase(engine, "cuts its write-ahead log when a reader lets go of it", async ({ url }) => {
    const file = url.slice("sqlite:".length);
    const { store } = await openTestStore(url);
    const write = (count: number) =>
      Promise.all(Array.from({ length: count }, () => store.pageRequests.append(long)));
    const long = pageRequest({ pageUrl: "/".repeat(4_096) });
    const reader = new DatabaseSync(file);
    reader.exec("BEGIN; SELECT count(*) FROM page_requests");
    await write(6_000);
    assert.ok(statSync(`${file}-wal`).size > logBytesKept);
    reader.close();
    // The first one writes the log back into the database, and the next begins it anew.
    for (let batch = 0; batch < 2; batch += 1) await write(1);
    assert.ok(statSync(`${file}-wal`).size <= logBytesKept);
    await store.close();
  });
}

/** Calls that find the file locked by another process. */
export function describeSqliteLock(engine: Engine): void {
  onDatabase(engine, "refuses those together who wait for a locked file", async ({ url }) => {
    const { logIn, store, close } = await openLogIn(url);
    await logIn.addEvents([event()]);
    const lock = new DatabaseSync(url.slice("sqlite:".length));
    lock.exec("BEGIN IMMEDIATE");
    const first = failureOf(logIn.addEvents([event()]));
    // Comes while the first one waits, in a turn of the event loop of its own.
    await nextTurn();
    await nextTurn();
    const others = [
      failureOf(logIn.addEvents([event()])),
      failureOf(logIn.consume("a", networkRateLimit, arrivalMs)),
      failureOf(store.pageRequests.append(pageRequest())),
    ];
    await nextTurn();
    assert.ok((await first) instanceof LogInUnavailableError);
    lock.exec("ROLLBACK");
    const [noted, reservation, written] = await Promise.all(others);
    assert.ok(noted instanceof LogInUnavailableError);
    assert.ok(reservation instanceof LogInUnavailableError);
    assert.ok(written instanceof NotStoredError);
    await logIn.addEvents([event()]);
    assert.equal((await logIn.consume("a", networkRateLimit, arrivalMs)).attempts, 1);
    lock.close();
    await close();
  });
}

/** Log-ins when the file cannot be written to, which only they find out. */
export function describeSqliteLogInFailure(engine: Engine): void {
  test("lets no visitor in while the disk is full, and comes back when it is not", {
    skip: limitFileSize("unlimited"),
    timeout: 30_000,
  }, async () => {
    const database = await engine.createDatabase();
    const { logIn, office, store, reported, up, close } = await openLogIn(database.url);
    const account = await office.addAccount(newAccount(), arrivalMs);
    await logIn.consume("a", networkRateLimit, arrivalMs);
    limitFileSize(1_000);
    const failures = [
      await failureOf(logIn.consume("a", networkRateLimit, arrivalMs)),
      await failureOf(logIn.complete(goodLogIn(account))),
      await failureOf(logIn.consume("a", networkRateLimit, arrivalMs)),
    ];
    assert.deepEqual([store.readiness(), reported[0]], ["database", "down"]);
    limitFileSize("unlimited");
    await up;
    for (const failure of failures) {
      assert.ok(failure instanceof LogInUnavailableError);
      assert.match(String(failure.cause), /disk|full/);
    }
    assert.equal((await logIn.consume("a", networkRateLimit, arrivalMs)).attempts, 2);
    assert.ok((await logIn.complete(goodLogIn(account))) !== false);
    await store.pageRequests.append(pageRequest());
    await close();
    await database.drop();
  });

  onDatabase(engine, "logs in while page requests cannot be written", async (database) => {
    const clock = new ManualClock();
    const { store } = await openTestStore(database.url, { clock });
    await database.query("ALTER TABLE page_requests RENAME TO hidden_requests");
    await assert.rejects(store.pageRequests.append(pageRequest()));
    assert.equal((await store.logIn.consume("a", networkRateLimit, arrivalMs)).attempts, 1);
    // An attempt to come back that fails leaves no transaction behind for others to write into.
    clock.elapse();
    await clock.scheduled();
    assert.equal((await store.logIn.consume("a", networkRateLimit, arrivalMs)).attempts, 2);
    await store.close();
    const [counter] = await database.query("SELECT attempts FROM log_in_counters");
    assert.equal(counter?.["attempts"], 2n);
  });
}

async function failureOf(asking: Promise<unknown>): Promise<unknown> {
  return asking.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
}

function refusal(message: RegExp) {
  return (thrown: unknown) => {
    assert.ok(thrown instanceof StoreError);
    assert.match(thrown.message, message);
    return true;
  };
}
