import assert from "node:assert/strict";
import { AdministrationError } from "../../src/domain/log-in/accounts/administration.ts";
import { accountRateLimit } from "../../src/domain/log-in/limits/rate-limits.ts";
import { undoAfter12 } from "./earlier-schema.ts";
import type { Engine } from "./engines.ts";
import {
  attemptsOn,
  brief,
  briefEvents,
  goodLogIn,
  listAll,
  newAccount,
  newSession,
  openLogIn,
} from "./log-in-sample.ts";
import { onDatabase } from "./on-database.ts";
import { arrivalMs } from "./sample.ts";

const int64Max = 9_223_372_036_854_775_807n;

const refused: readonly [what: Parameters<typeof newAccount>[0], message: RegExp][] = [
  [{ userName: " ＡDA " }, /^There is an account with that name already: its record id is 1$/],
  [{ userName: "Bob", recordId: 1n }, /^There is an account with the record id 1 already$/],
  [{ userName: "Bob", recordId: 0n }, /^Invalid record ID 0: use a non-zero/],
  [{ userName: "Bob", contactId: 0n }, /^Invalid contact ID 0: use a non-zero/],
  [{ userName: "Bob", recordId: int64Max + 1n }, /^Invalid record ID 9223372036854775808: /],
  [{ userName: " " }, /^A user name has at least one character/],
  [{ userName: "a\0" }, /^A user name has at least one character/],
];

function refusal(message: RegExp) {
  return (thrown: unknown) => {
    assert.ok(thrown instanceof AdministrationError);
    assert.match(thrown.message, message);
    return true;
  };
}

/** Actions of operators on accounts. */
export function describeAccounts(engine: Engine): void {
  onDatabase(engine, "gives accounts the ids that are asked for, or the next", async ({ url }) => {
    const { office, close } = await openLogIn(url);
    const given = [
      newAccount({ recordId: -5n }),
      newAccount({ userName: "Bob", contactId: 7n }),
      newAccount({ userName: "Straße", recordId: 40n }),
      newAccount({ userName: "Dora" }),
    ];
    const ids: bigint[][] = [];
    for (const one of given) {
      const { recordId, contactId } = await office.addAccount(one, arrivalMs);
      ids.push([recordId, contactId]);
    }
    assert.deepEqual(ids, [
      [-5n, -5n],
      [1n, 7n],
      [40n, 40n],
      [41n, 41n],
    ]);
    const { isEnabled, epoch, ...found } = (await office.findAccount("strasse")) ?? {};
    assert.deepEqual(
      [isEnabled, epoch, found],
      [true, 0, { recordId: 40n, contactId: 40n, userName: "Straße", hash: "hash-1" }],
    );
    assert.equal((await office.findAccount("STRASSE"))?.recordId, 40n);
    await office.addAccount(newAccount({ userName: "Last", recordId: int64Max }), arrivalMs);
    const beyond = office.addAccount(newAccount({ userName: "Eve" }), arrivalMs);
    await assert.rejects(beyond, refusal(/^No free record ID is left/));
    await close();
  });

  onDatabase(engine, "gives no id twice, however many add accounts", async ({ url }) => {
    const offices = [await openLogIn(url), await openLogIn(url)];
    const added = await Promise.all(
      offices.flatMap(({ office }, node) =>
        Array.from({ length: 20 }, (_, i) =>
          office.addAccount(newAccount({ userName: `${node}-${i}` }), arrivalMs),
        ),
      ),
    );
    assert.deepEqual(
      added.map(({ recordId }) => Number(recordId)).toSorted((one, other) => one - other),
      Array.from({ length: 40 }, (_, i) => i + 1),
    );
    for (const { close } of offices) await close();
  });
}

/** Limits of operators on accounts, and what they see of them. */
export function describeAccountLists(engine: Engine): void {
  onDatabase(engine, "refuses what is taken or none, and writes nothing", async ({ url }) => {
    const { office, close } = await openLogIn(url);
    await office.addAccount(newAccount(), arrivalMs);
    for (const [what, message] of refused) {
      await assert.rejects(office.addAccount(newAccount(what), arrivalMs), refusal(message));
    }
    const nobody = refusal(/^There is no account with the record id 9$/);
    await assert.rejects(
      office.setPassword(9n, { record: "hash-2", form: "form-1" }, arrivalMs),
      nobody,
    );
    await assert.rejects(office.setEnabled(9n, false, arrivalMs), nobody);
    assert.deepEqual(await briefEvents(office), ["account-added"]);
    await close();
  });

  onDatabase(engine, "lists accounts, however many there are", async (database) => {
    const { office, logIn, close } = await openLogIn(database.url);
    const ada = await office.addAccount(newAccount(), arrivalMs);
    await logIn.complete(goodLogIn(ada));
    await database.query(`
      INSERT INTO accounts (record_id, contact_id, user_name, folded_name, hash, hash_form, is_enabled, epoch, created_at)
      WITH RECURSIVE ids (id) AS (SELECT 2 UNION ALL SELECT id + 1 FROM ids WHERE id < 1201)
      SELECT id, id, 'u' || id, 'u' || id, 'h', 'f', ${engine.name === "SQLite" ? "1" : "true"}, 0, 0 FROM ids`);
    const lines = await listAll(office);
    assert.deepEqual(
      lines.map(({ recordId }) => Number(recordId)),
      Array.from({ length: 1_201 }, (_, i) => i + 1),
    );
    assert.deepEqual(lines[0], {
      ...ada,
      hashForm: "form-1",
      createdAtMs: arrivalMs,
      lastLogInAtMs: arrivalMs,
      sessions: 1,
    });
    assert.equal(lines[1]?.lastLogInAtMs, null);
    assert.deepEqual((await logIn.listHashForms()).toSorted(), ["f", "form-1"]);
    await close();
  });
}

/** Changes of accounts by operators. */
export function describeAccountChanges(engine: Engine): void {
  onDatabase(engine, "ends all sessions with a password, and with an account", async ({ url }) => {
    const { office, logIn, close } = await openLogIn(url);
    const account = await office.addAccount(newAccount(), arrivalMs);
    await logIn.complete(goodLogIn(account));
    await office.setPassword(1n, { record: "hash-2", form: "form-2" }, arrivalMs + 1);
    const changed = { ...account, hash: "hash-2", epoch: 1 };
    assert.deepEqual(await office.findAccount("ada"), changed);
    const session = newSession({ selector: "selector-2" });
    await logIn.complete(goodLogIn(changed, { session }));
    await office.setEnabled(1n, true, arrivalMs + 2);
    await office.setEnabled(1n, false, arrivalMs + 2);
    await office.setEnabled(1n, false, arrivalMs + 2);
    assert.deepEqual(await office.findAccount("ada"), { ...changed, isEnabled: false, epoch: 2 });
    await office.setEnabled(1n, true, arrivalMs + 3);
    assert.deepEqual(await office.findAccount("ada"), { ...changed, isEnabled: true, epoch: 2 });
    for (const selector of ["selector-1", "selector-2"]) {
      const found = await logIn.findSession(selector);
      assert.notEqual(found?.endedAtMs, null);
      assert.equal(found?.isAccountGood, false);
    }
    const events = await office.listEvents({ recordId: 1n, fromMs: arrivalMs + 1, max: 99 });
    assert.deepEqual(events.map(brief), [
      "password-set",
      "session-ended password-changed",
      "account-disabled",
      "session-ended disabled",
      "account-enabled",
    ]);
    await close();
  });

  onDatabase(engine, "renames events of an earlier version", async ({ url, query }) => {
    await (await openLogIn(url)).close();
    const names = [
      "'network-held', null",
      "'log-in-refused', 'held'",
      "'attempts-forgotten', null",
    ];
    for (const name of names) {
      await query(`INSERT INTO log_in_events (at, name, reason) VALUES (${arrivalMs}, ${name})`);
    }
    for (const statement of undoAfter12) await query(statement);
    await query("DELETE FROM schema_migrations WHERE version >= 12");
    const { office, close } = await openLogIn(url);
    const renamed = ["network-blocked", "log-in-refused blocked", "attempts-reset"];
    assert.deepEqual((await briefEvents(office)).toSorted(), renamed.toSorted());
    await close();
  });

  onDatabase(engine, "lets those try again whose attempts are forgotten", async (database) => {
    const { office, logIn, close } = await openLogIn(database.url);
    for (const key of ["a", "b", "c"]) await logIn.consume(key, accountRateLimit, arrivalMs);
    await office.forgetAttempts([], undefined, arrivalMs);
    await office.forgetAttempts(["a", "b", "nobody's"], undefined, arrivalMs);
    const counts: number[] = [];
    for (const key of ["a", "b", "c"]) {
      counts.push(await attemptsOn(database, key));
    }
    assert.deepEqual(counts, [0, 0, 1]);
    await close();
  });
}
