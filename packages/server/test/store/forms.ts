import assert from "node:assert/strict";
import { StoreError, StoreUnavailableError } from "../../src/store/store-error.ts";
import type { Engine } from "./engines.ts";
import {
  brief,
  event,
  form,
  goodLogIn,
  listAll,
  newAccount,
  newSession,
  openLogIn,
} from "./log-in-sample.ts";
import { lockTable, onDatabase } from "./on-database.ts";
import { arrivalMs, openOffice } from "./sample.ts";

/** Ends of sessions by operators. */
export function describeRevocation(engine: Engine): void {
  onDatabase(
    engine,
    "ends one session, those of an account, an instance, or all",
    async ({ url }) => {
      const { office, logIn, close } = await openLogIn(url);
      const ids: bigint[] = [];
      for (const [index, userName] of ["a", "a", "b", "b", "c"].entries()) {
        const known = await office.findAccount(userName);
        const account = known ?? (await office.addAccount(newAccount({ userName }), arrivalMs));
        const instanceId = index === 3 ? 8n : null;
        const origin = index === 2 ? "https://listed.example.org" : "https://other.example.org";
        const session = newSession({ selector: `s-${index}`, instanceId, origin });
        ids.push((await logIn.complete(goodLogIn(account, { session }))) || 0n);
      }
      await office.putForms(
        [form({ instance: { ...form().instance, id: 8n }, origins: [] })],
        arrivalMs,
      );
      const listing = form({ id: 70n, instance: { ...form().instance, id: 9n } });
      await office.putForms([{ ...listing, origins: ["https://listed.example.org"] }], arrivalMs);
      const counts = [
        await office.revoke({ sessionId: ids[0] ?? 0n }, "revoked", arrivalMs),
        await office.revoke({ sessionId: ids[0] ?? 0n }, "revoked", arrivalMs),
        await office.revoke({ recordId: 1n }, "revoked", arrivalMs),
        await office.revoke({ instanceId: 8n }, "revoked", arrivalMs),
        // Bound to none yet, but of an origin that a form of the instance lists.
        await office.revoke({ instanceId: 9n }, "revoked", arrivalMs),
        await office.revoke("all", "revoked", arrivalMs),
      ];
      assert.deepEqual(counts, [1, 0, 1, 1, 1, 1]);
      const events = await office.listEvents({ recordId: null, fromMs: null, max: 5 });
      assert.deepEqual(events.map(brief), Array<string>(5).fill("session-ended revoked"));
      const ended = events.map(({ sessionId }) => sessionId ?? 0n);
      const [first, second, third, fourth, fifth] = ids;
      assert.deepEqual(ended, [first, second, fourth, third, fifth]);
      await close();
    },
  );

  onDatabase(engine, "tells of every session when it ends very many", async (database) => {
    const { office, logIn, close } = await openLogIn(database.url);
    const account = await office.addAccount(newAccount(), arrivalMs);
    await logIn.complete(goodLogIn(account));
    const columns =
      "record_id, contact_id, remembering, generation, current_hash, retired_hashes, created_at, rotated_at, used_at, idle_until, absolute_until, epoch";
    await database.query(`
      INSERT INTO sessions (selector, ${columns})
      WITH RECURSIVE ids (id) AS (SELECT 2 UNION ALL SELECT id + 1 FROM ids WHERE id <= 5000)
      SELECT 's-' || ids.id, ${columns} FROM ids, sessions`);
    assert.equal(await office.revoke("all", "revoked", arrivalMs), 5_001);
    const events = await office.listEvents({ recordId: 1n, fromMs: null, max: 10_000 });
    const reported = events.filter(({ name }) => name === "session-ended");
    assert.equal(new Set(reported.map(({ sessionId }) => sessionId)).size, 5_001);
    await close();
  });
}

/** Events and forms in the hands of operators. */
export function describeForms(engine: Engine): void {
  onDatabase(engine, "lists the latest events, the latest last", async ({ url }) => {
    const { office, logIn, close } = await openLogIn(url);
    for (const age of [3, 1, 2, 0]) {
      await logIn.addEvents([event({ atMs: arrivalMs - age, reason: `${age}`, accountId: 5n })]);
    }
    await logIn.addEvents([event({ reason: "other" })]);
    const reasons = async (filter: Parameters<typeof office.listEvents>[0]) =>
      (await office.listEvents(filter)).map(({ reason }) => reason);
    const all = { recordId: null, fromMs: null, max: 9 };
    assert.deepEqual(await reasons(all), ["3", "2", "1", "0", "other"]);
    assert.deepEqual(await reasons({ ...all, max: 2 }), ["0", "other"]);
    assert.deepEqual(await reasons({ ...all, recordId: 5n, max: 2 }), ["1", "0"]);
    assert.deepEqual(await reasons({ ...all, fromMs: arrivalMs - 1 }), ["1", "0", "other"]);
    await close();
  });

  onDatabase(engine, "keeps forms, and instances as long as they have one", async (database) => {
    const { office, logIn, close } = await openLogIn(database.url);
    const instanceIds = async () => {
      const rows = await database.query("SELECT id FROM application_instances ORDER BY id");
      return rows.map(({ id }) => Number(id));
    };
    assert.deepEqual(await logIn.listForms(), []);
    const id = -9_223_372_036_854_775_808n;
    const bare = form({ id, origins: [], allowsAutoLogIn: false, name: "" });
    await office.putForms([form()], arrivalMs);
    await office.putForms([bare], arrivalMs);
    assert.deepEqual(await logIn.listForms(), [bare, form()]);
    assert.deepEqual(await office.listForms(), [bare, form()]);
    const off = { id: 8n, remembering: "off", sameSite: "none" } as const;
    const changed = form({ name: "Order", origins: ["https://c.example.org"], instance: off });
    await office.putForms([changed], arrivalMs);
    assert.deepEqual(await logIn.listForms(), [{ ...bare, instance: off }, changed]);
    assert.deepEqual(await instanceIds(), [8]);
    const moved = form({ instance: { id: 9n, remembering: "session", sameSite: "strict" } });
    await office.putForms([moved], arrivalMs);
    assert.equal(await office.removeForm(id, arrivalMs), true);
    assert.equal(await office.removeForm(id, arrivalMs), false);
    assert.deepEqual(await instanceIds(), [9]);
    assert.deepEqual(await logIn.listForms(), [moved]);
    assert.equal(await office.removeForm(7n, arrivalMs), true);
    assert.deepEqual(await instanceIds(), []);
    await close();
  });
}

/** Errors for operators when the database fails. */
export function describeAdministrationFailure(engine: Engine): void {
  onDatabase(engine, "names a database that another program has locked", async (database) => {
    const { office, close } = await openLogIn(database.url);
    const unlock = await lockTable(database, "accounts");
    await assert.rejects(office.addAccount(newAccount(), arrivalMs), (thrown) => {
      assert.ok(thrown instanceof StoreUnavailableError);
      assert.match(thrown.message, /^The database \S+ cannot be used: /);
      return true;
    });
    await unlock();
    await office.addAccount(newAccount(), arrivalMs);
    await close();
  });

  onDatabase(engine, "does not blame the database for a wrong query", async (database) => {
    const { office, close } = await openLogIn(database.url);
    await database.query("ALTER TABLE log_in_events RENAME TO hidden_events");
    await assert.rejects(office.addAccount(newAccount(), arrivalMs), (thrown) => {
      assert.ok(!(thrown instanceof StoreError));
      assert.match(String(thrown), /log_in_events/);
      return true;
    });
    await database.query("ALTER TABLE hidden_events RENAME TO log_in_events");
    assert.deepEqual(await listAll(office), []);
    await close();
  });

  onDatabase(
    engine,
    "makes a database where it is missing, and refuses others",
    async (database) => {
      const office = await openOffice(database.url);
      await office.administration.addAccount(newAccount(), arrivalMs);
      await office.close();
      await database.query(
        "INSERT INTO schema_migrations (version, name, applied_at) VALUES (99, 'x', 0)",
      );
      await assert.rejects(openOffice(database.url), StoreError);
      await assert.rejects(openOffice("mysql://localhost/a"), StoreError);
    },
  );
}
