import assert from "node:assert/strict";
import { accountRateLimit, networkRateLimit } from "../../src/domain/log-in/limits/rate-limits.ts";
import { LogInUnavailableError } from "../../src/domain/log-in/log-in-store.ts";
import { findAccount } from "../../src/store/log-in/accounts.ts";
import { countAttempt } from "../../src/store/log-in/log-in-queries.ts";
import { PostgresDatabase } from "../../src/store/postgres/database.ts";
import type { SqlConnection } from "../../src/store/sql.ts";
import { SqliteDatabase } from "../../src/store/sqlite/database.ts";
import type { Engine } from "./engines.ts";
import {
  attemptsOn,
  brief,
  briefEvents,
  event,
  goodLogIn,
  listAll,
  newAccount,
  newSession,
  openLogIn,
} from "./log-in-sample.ts";
import { onDatabase } from "./on-database.ts";
import { arrivalMs } from "./sample.ts";

const everything = { recordId: null, fromMs: null, max: 1_000 };

/** Counts attempts on an account of which two are allowed; resolves to what each of them took. */
async function beginThree(url: string, foldedUserName: string) {
  const database = url.startsWith("sqlite:")
    ? new SqliteDatabase({
        file: url.slice("sqlite:".length),
        mode: "write",
        abandoned: () => 0,
        locked: () => {},
      })
    : new PostgresDatabase(url, "write");
  let statements = 0;
  const counting = (connection: SqlConnection): SqlConnection => ({
    ...connection,
    rows: (...given) => {
      statements += 1;
      return connection.rows(...given);
    },
  });
  const attempt = {
    network: { key: "network", limit: networkRateLimit },
    account: { key: `account ${foldedUserName}`, limit: { ...accountRateLimit, windowMax: 2 } },
    foldedUserName,
    nowMs: arrivalMs,
  };
  const seen = [];
  for (let i = 0; i < 3; i += 1) {
    statements = 0;
    const { blocked } = await database.transaction((transaction) =>
      countAttempt(counting(transaction), attempt, findAccount),
    );
    seen.push({ blocked, statements });
  }
  await database.close();
  return seen;
}

/** Rows that a good log-in writes, and when it writes nothing. */
export function describeLogIns(engine: Engine): void {
  onDatabase(engine, "counts an attempt that is held in as many statements", async ({ url }) => {
    const { office, close } = await openLogIn(url);
    await office.addAccount(newAccount(), arrivalMs);
    const ofAccount = await beginThree(url, "ada");
    const [first] = ofAccount;
    assert.deepEqual(
      ofAccount.map(({ blocked }) => blocked),
      [null, null, "account"],
    );
    assert.ok((first?.statements ?? 0) >= 3);
    assert.equal(new Set(ofAccount.map(({ statements }) => statements)).size, 1);
    assert.deepEqual(await beginThree(url, "nobody"), ofAccount);
    await close();
  });

  onDatabase(engine, "writes a log-in with its session and its events", async ({ url }) => {
    const { logIn, office, close } = await openLogIn(url);
    const recordId = 9_007_199_254_740_993n;
    const contactId = -9_223_372_036_854_775_808n;
    const account = await office.addAccount(newAccount({ recordId, contactId }), arrivalMs);
    const session = newSession({ instanceId: 8n, origin: "https://a.example.org", browser: "X" });
    const id = await logIn.complete(goodLogIn(account, { session, nowMs: arrivalMs + 1 }));
    assert.ok(typeof id === "bigint" && id > 0n);
    assert.deepEqual(await logIn.findSession("selector-1"), {
      ...session,
      id,
      recordId,
      contactId,
      rotations: 0,
      previous: null,
      previousUntilMs: null,
      pending: null,
      pendingBox: null,
      retired: [],
      rotatedAtMs: arrivalMs,
      usedAtMs: arrivalMs,
      endedAtMs: null,
      isAccountGood: true,
      foldedUserName: "ada",
    });
    const [added, loggedIn] = await office.listEvents(everything);
    assert.equal(added?.name, "account-added");
    assert.deepEqual(loggedIn, {
      ...event({ accountId: recordId, sessionId: id }),
      id: (added?.id ?? 0n) + 1n,
    });
    const [line] = await listAll(office);
    assert.equal(line?.lastLogInAtMs, arrivalMs + 1);
    assert.equal(line?.sessions, 1);
    assert.equal(await logIn.findSession("selector-2"), null);
    await close();
  });

  onDatabase(engine, "remembers nothing where nothing is to be remembered", async ({ url }) => {
    const { logIn, office, close } = await openLogIn(url);
    const account = await office.addAccount(newAccount(), arrivalMs);
    assert.equal(await logIn.complete(goodLogIn(account, { session: null })), null);
    assert.deepEqual(await office.listSessions(1n, arrivalMs), []);
    assert.deepEqual(await briefEvents(office), ["account-added", "logged-in"]);
    await close();
  });
}

/** Log-ins that come at the same time. */
export function describeLogInsTogether(engine: Engine): void {
  onDatabase(
    engine,
    "writes or undoes each of the log-ins that come together",
    async (database) => {
      const { logIn, office, close } = await openLogIn(database.url);
      const ada = await office.addAccount(newAccount(), arrivalMs);
      const bob = await office.addAccount(newAccount({ userName: "Bob" }), arrivalMs);
      await logIn.complete(goodLogIn(ada, { session: newSession({ selector: "taken" }) }));
      const attempt = (foldedUserName: string) => ({
        network: { key: "network of all", limit: { ...networkRateLimit, windowMax: 1 } },
        account: { key: foldedUserName, limit: accountRateLimit },
        foldedUserName,
        nowMs: arrivalMs,
      });
      const settled = await Promise.allSettled([
        logIn.complete(goodLogIn(ada, { session: newSession({ selector: "free" }) })),
        logIn.complete(goodLogIn(bob, { session: newSession({ selector: "taken" }) })),
        logIn.begin(attempt("ada")),
        logIn.begin(attempt("bob")),
        logIn.addEvents([event({ name: "log-in-refused" })]),
      ]);
      const statuses = settled.map(({ status }) => status);
      assert.deepEqual(statuses, ["fulfilled", "rejected", ...Array(3).fill("fulfilled")]);
      // A violated constraint is a bug and no outage.
      const [, taken] = settled;
      assert.ok(taken?.status === "rejected" && !(taken.reason instanceof LogInUnavailableError));
      assert.match(String(taken.reason), /unique/i);
      // Of two attempts the network allows one, and the other is not counted against its account.
      const counted = await Promise.all(["ada", "bob"].map((key) => attemptsOn(database, key)));
      assert.deepEqual(counted.sort(), [0, 1]);
      assert.deepEqual(await office.listSessions(bob.recordId, arrivalMs), []);
      assert.equal((await office.listSessions(ada.recordId, arrivalMs)).length, 2);
      const events = await briefEvents(office);
      const names = ["logged-in", "logged-in", "log-in-refused"];
      assert.deepEqual(events.slice(2).sort(), names.sort());
      await close();
    },
  );
}

/** Attempts that were a good log-in, and its account. */
export function describeAttemptsOfLogIns(engine: Engine): void {
  onDatabase(
    engine,
    "forgets the account's attempts and one of the network's",
    async (database) => {
      const { logIn, office, close } = await openLogIn(database.url);
      const account = await office.addAccount(newAccount(), arrivalMs);
      for (let attempt = 0; attempt < 3; attempt++) {
        await logIn.consume("account", accountRateLimit, arrivalMs);
        await logIn.consume("network", networkRateLimit, arrivalMs);
      }
      await logIn.complete(goodLogIn(account));
      assert.equal(await attemptsOn(database, "account"), 0);
      assert.equal(await attemptsOn(database, "network"), 2);
      const twoMore = { ...networkRateLimit, windowMax: 4 };
      for (const isAllowed of [true, true, false]) {
        const reservation = await logIn.consume("network", twoMore, arrivalMs);
        assert.equal(reservation.isAllowed, isAllowed);
      }
      for (let more = 0; more < 6; more++) {
        const session = newSession({ selector: `s-${more}` });
        await logIn.complete(goodLogIn(account, { session }));
      }
      assert.equal(await attemptsOn(database, "network"), 0);
      await close();
    },
  );

  onDatabase(engine, "writes nothing when the account changed meanwhile", async (database) => {
    const { logIn, office, close } = await openLogIn(database.url);
    const account = await office.addAccount(newAccount(), arrivalMs);
    await logIn.consume("account", accountRateLimit, arrivalMs);
    await office.setPassword(1n, { record: "hash-2", form: "form-1" }, arrivalMs);
    assert.equal(await logIn.complete(goodLogIn(account)), false);
    await office.setEnabled(1n, false, arrivalMs);
    const disabled = await office.findAccount("ADA");
    assert.ok(disabled);
    assert.equal(await logIn.complete(goodLogIn({ ...disabled, isEnabled: true })), false);
    assert.equal(await logIn.findSession("selector-1"), null);
    assert.equal(await attemptsOn(database, "account"), 1);
    const events = await briefEvents(office);
    assert.deepEqual(events, ["account-added", "password-set", "account-disabled"]);
    await close();
  });
}

/** Sessions and hashes that a good log-in replaces. */
export function describeReplacements(engine: Engine): void {
  onDatabase(engine, "replaces a hash unless another log-in did it before", async ({ url }) => {
    const { logIn, office, close } = await openLogIn(url);
    const account = await office.addAccount(newAccount(), arrivalMs);
    const upgrade = (record: string) =>
      goodLogIn(account, {
        newHash: { record, form: "form-2" },
        session: null,
        events: [event(), event({ name: "hash-upgraded" })],
      });
    assert.equal(await logIn.complete(upgrade("hash-2")), null);
    assert.deepEqual(await logIn.listHashForms(), ["form-2"]);
    assert.equal(await logIn.complete(upgrade("hash-3")), null);
    assert.equal((await office.findAccount("ada"))?.hash, "hash-2");
    assert.deepEqual(await briefEvents(office), [
      "account-added",
      "logged-in",
      "hash-upgraded",
      "logged-in",
    ]);
    await close();
  });

  onDatabase(engine, "ends the session that a log-in replaces, and the oldest", async ({ url }) => {
    const { logIn, office, close } = await openLogIn(url);
    const account = await office.addAccount(newAccount(), arrivalMs);
    const other = await office.addAccount(newAccount({ userName: "Bob" }), arrivalMs);
    await logIn.complete(goodLogIn(other, { session: newSession({ selector: "other" }) }));
    let replaced: bigint | null = null;
    for (const selector of ["s-1", "s-2", "s-3", "s-4"]) {
      const session = newSession({ selector });
      const id = await logIn.complete(goodLogIn(account, { session, sessionsMax: 2 }));
      if (selector === "s-3") replaced = id || null;
    }
    const live = async () =>
      (await office.listSessions(1n, arrivalMs)).map(({ selector }) => selector);
    assert.deepEqual(await live(), ["s-4", "s-3"]);
    const session = newSession({ selector: "s-5" });
    const next = goodLogIn(account, { session, sessionsMax: 2, endsSessionId: replaced });
    await logIn.complete(next);
    assert.deepEqual(await live(), ["s-5", "s-4"]);
    assert.equal((await office.listSessions(2n, arrivalMs)).length, 1);
    const ended = (await office.listEvents({ ...everything, recordId: 1n })).filter(
      ({ name }) => name === "session-ended",
    );
    assert.deepEqual(ended.map(brief), [
      "session-ended too-many",
      "session-ended too-many",
      "session-ended replaced",
    ]);
    const { id: _, ...last } = ended.at(-1) ?? {};
    const facts = { name: "session-ended", reason: "replaced", accountId: 1n } as const;
    assert.deepEqual(last, event({ ...facts, sessionId: replaced }));
    // One that has ended is not replaced again, nor told of.
    await logIn.complete({ ...next, session: null });
    assert.equal((await briefEvents(office)).filter((text) => /replaced/.test(text)).length, 1);
    await close();
  });
}

/** Questions about events, and those that cannot be answered. */
export function describeLogInFailure(engine: Engine): void {
  onDatabase(engine, "knows no account by a name that no text is", async ({ url }) => {
    const { office, close } = await openLogIn(url);
    assert.equal(await office.findAccount("a\0b"), null);
    assert.equal(await office.findAccount("nobody"), null);
    await close();
  });

  onDatabase(
    engine,
    "lets no visitor in while a query fails, which is no outage",
    async (database) => {
      const { logIn, office, close } = await openLogIn(database.url);
      const account = await office.addAccount(newAccount(), arrivalMs);
      await database.query("ALTER TABLE log_in_events RENAME TO hidden_events");
      await database.query("ALTER TABLE log_in_counters RENAME TO hidden_counters");
      for (const ask of [
        () => logIn.complete(goodLogIn(account)),
        () => logIn.consume("a", accountRateLimit, arrivalMs),
      ]) {
        await assert.rejects(ask, (thrown) => {
          assert.ok(!(thrown instanceof LogInUnavailableError));
          assert.match(String(thrown), /no such table|does not exist/);
          return true;
        });
      }
      await database.query("ALTER TABLE hidden_events RENAME TO log_in_events");
      await database.query("ALTER TABLE hidden_counters RENAME TO log_in_counters");
      assert.equal(await logIn.findSession("selector-1"), null);
      assert.notEqual(await logIn.complete(goodLogIn(account)), false);
      await close();
    },
  );
}
