import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Engine, startEngines, type TestDatabase } from "@wfh/server/test/store/engines.ts";
import { arrivalMs, openTestStore, pageRequest } from "@wfh/server/test/store/sample.ts";
import { openFixtureOn } from "./cli-fixture.ts";

const dayMs = 86_400_000;
const contactId = 9_007_199_254_740_993n;
const engines = await startEngines();

/**
 * A database with 240 page requests of a contact on three days, every second one as the server
 * found it, 12 of form 7 with an event key; and with three of others.
 */
async function openPlace(engine: Engine, t: TestContext) {
  const fixture = await openFixtureOn(engine, t, { isNew: false });
  const { database } = fixture;
  const { store } = await openTestStore(database.url, { now: () => arrivalMs });
  const finding = { sessionId: 1n, contactId, isLoggedIn: true };
  const ofContact = Array.from({ length: 240 }, (_, i) =>
    pageRequest({
      arrivedAtMs: arrivalMs + (i % 3) * dayMs,
      ...(i % 2 === 0 ? { contactId } : { contactId: null, finding }),
      ...(i % 20 === 0 && { formId: 7n, eventKey: `key-${i}` }),
    }),
  );
  const others = [
    pageRequest({ contactId: 2n, formId: 7n, eventKey: "other" }),
    pageRequest({ arrivedAtMs: arrivalMs - dayMs }),
    pageRequest({ arrivedAtMs: arrivalMs + 400 * dayMs, formId: 8n }),
  ];
  await Promise.all([...ofContact, ...others].map((row) => store.pageRequests.append(row)));
  await store.close();
  const run = (...words: readonly string[]) => fixture.run(["page-requests", "delete", ...words]);
  return { run, runAny: fixture.run, database };
}

async function countRows({ query }: TestDatabase, table = "page_requests"): Promise<number> {
  const [row] = await query(`SELECT count(*) AS rows FROM ${table}`);
  return Number(row?.["rows"]);
}

for (const engine of engines) {
  const skip = engine.missing ?? false;
  const on = `on ${engine.name}`;

  test(`wfh page-requests delete ${on} deletes what the contact claims and what was found, with event keys`, {
    skip,
  }, async (t) => {
    const { run, runAny, database } = await openPlace(engine, t);
    const { code, out } = await run("--contact", String(contactId), "--yes");
    const text = `Found 240 page requests of contact ${contactId}.\nDeleted 240 page requests.\n`;
    assert.deepEqual([code, out], [0, text]);
    assert.equal(await countRows(database), 3);
    if (engine.name === "PostgreSQL")
      assert.equal(await countRows(database, "page_request_keys"), 1);
    const { out: events } = await runAny(["accounts", "events", "--json"]);
    assert.match(events, /"event":"page-requests-deleted","reason":"contact","recordId":null/);
    assert.ok(!events.includes(String(contactId)));
    // A key that was deleted is free again, and the other one is not.
    const { store } = await openTestStore(database.url);
    for (const eventKey of ["key-0", "other"]) {
      await store.pageRequests.append(pageRequest({ formId: 7n, eventKey }));
    }
    await store.close();
    assert.equal(await countRows(database), 4);
  });

  test(`wfh page-requests delete ${on} requires all conditions`, { skip }, async (t) => {
    const { run, runAny, database } = await openPlace(engine, t);
    const conditions = ["--contact", String(contactId), "--form", "7", "--before", "2026-11-22"];
    const { out } = await run(...conditions, "--yes");
    assert.match(
      out,
      /^Found 4 page requests of contact 9007199254740993 of form 7 before 2026-11-22T00:00:00\.000Z\.\nDeleted 4 /,
    );
    assert.equal(await countRows(database), 239);
    const { out: events } = await runAny(["accounts", "events"]);
    assert.match(events, /page-requests-deleted +contact,form,before +- +- +- +7 /);
    assert.match(
      (await run("--before", "2026-11-23", "--yes")).out,
      /^Deleted 158 page requests\.$/m,
    );
    assert.match((await run("--form", "8", "--yes")).out, /^Deleted 1 page request\.$/m);
    assert.equal((await run("--form", "9", "--yes")).out, "Found 0 page requests of form 9.\n");
  });

  test(`wfh page-requests delete ${on} deletes nothing in a dry run, or without consent`, {
    skip,
  }, async (t) => {
    const { run, runAny, database } = await openPlace(engine, t);
    const preview = await run("--form", "7", "--dry-run");
    assert.equal(
      preview.out,
      "Found 13 page requests of form 7.\nNothing was deleted: this was a dry run.\n",
    );
    const refused = await run("--form", "7");
    const message = "Nothing was changed. Use --yes to delete 13 page requests for good.\n";
    assert.deepEqual([refused.code, refused.err], [69, message]);
    const none = await run("--yes");
    assert.equal(none.code, 2);
    assert.match(none.err, /^Give at least one of --contact, --form and --before\./);
    assert.equal(await countRows(database), 243);
    assert.doesNotMatch((await runAny(["accounts", "events"])).out, /deleted/);
  });

  test(`wfh page-requests delete ${on} can be interrupted and run again`, { skip }, async (t) => {
    const { run, database } = await openPlace(engine, t);
    // The runner of tests listens too, and would end.
    const others = new Set(process.listeners("SIGINT"));
    const findListener = () => process.listeners("SIGINT").find((one) => !others.has(one));
    const first = run("--contact", String(contactId), "--yes");
    while (findListener() === undefined) await nextTurn();
    findListener()?.("SIGINT");
    const { code, err } = await first;
    const message = "Interrupted. Run the command again to delete the rest.\n";
    assert.deepEqual([code, err], [130, message]);
    assert.ok((await countRows(database)) > 3);
    assert.equal((await run("--contact", String(contactId), "--yes")).code, 0);
    assert.equal(await countRows(database), 3);
  });

  test(`wfh page-requests delete ${on} works beside a server`, { skip }, async (t) => {
    const { run, database } = await openPlace(engine, t);
    const { store } = await openTestStore(database.url);
    const [{ code }] = await Promise.all([
      run("--contact", String(contactId), "--yes"),
      ...Array.from({ length: 100 }, () =>
        store.pageRequests.append(pageRequest({ contactId: 2n })),
      ),
    ]);
    await store.close();
    assert.equal(code, 0);
    assert.equal(await countRows(database), 103);
  });
}
