import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { accountRateLimit } from "../../src/domain/log-in/limits/rate-limits.ts";
import { PasswordHasher } from "../../src/secrets/password-hashing.ts";
import { createTokens } from "../../src/secrets/tokens.ts";
import type { Engine } from "./engines.ts";
import {
  dayMs,
  event,
  form,
  goodLogIn,
  newAccount,
  newSession,
  openLogIn,
} from "./log-in-sample.ts";
import { onDatabase, readAllValues } from "./on-database.ts";
import { arrivalMs } from "./sample.ts";

const offer = {
  pending: "digest-2",
  pendingBox: "box-2",
  usedAtMs: arrivalMs + 1,
  idleUntilMs: arrivalMs + 2,
};
const next = {
  current: "digest-2",
  previous: "digest-1",
  previousUntilMs: arrivalMs + 3,
  retired: ["digest-0", "digest-x"],
  rotatedAtMs: arrivalMs + 4,
  usedAtMs: arrivalMs + 5,
  idleUntilMs: arrivalMs + 6,
};

/** A log-in with one session that has begun. */
async function openSession(url: string) {
  const opened = await openLogIn(url);
  const account = await opened.office.addAccount(newAccount(), arrivalMs);
  const id = (await opened.logIn.complete(goodLogIn(account))) || 0n;
  const find = async () => {
    const session = await opened.logIn.findSession("selector-1");
    assert.ok(session);
    return session;
  };
  return { ...opened, account, id, find };
}

/** Sessions that go on. */
export function describeSessions(engine: Engine): void {
  onDatabase(engine, "notes a successor once, and lets it follow once", async ({ url }) => {
    const { logIn, id, find, close } = await openSession(url);
    const session = await find();
    const offers = await Promise.all([1, 2].map(() => logIn.offer(session, offer)));
    assert.deepEqual(offers.toSorted(), [false, true]);
    const { pending, pendingBox, usedAtMs, idleUntilMs } = offer;
    const offered = { ...session, pending, pendingBox, usedAtMs, idleUntilMs };
    assert.deepEqual(await find(), offered);
    assert.equal(await logIn.promote({ id, rotations: 1 }, next), false);
    const promotions = await Promise.all(
      [1, 2].map(() => logIn.promote({ id, rotations: 0 }, next)),
    );
    assert.deepEqual(promotions.toSorted(), [false, true]);
    const promoted = { ...session, ...next, rotations: 1, pending: null, pendingBox: null };
    assert.deepEqual(await find(), promoted);
    assert.equal(await logIn.offer(session, offer), false);
    assert.equal(await logIn.offer({ id, rotations: 1, pending: null }, offer), true);
    const unreadable = { id, rotations: 1, pending: "digest-2" };
    const third = { ...offer, pending: "digest-3", pendingBox: "box-3" };
    assert.equal(await logIn.offer({ ...unreadable, pending: "digest-x" }, third), false);
    assert.equal(await logIn.offer(unreadable, third), true);
    assert.equal((await find()).pendingBox, "box-3");
    await close();
  });

  onDatabase(engine, "binds a session to an instance once", async ({ url }) => {
    const { logIn, id, find, close } = await openSession(url);
    assert.equal(await logIn.bindInstance(id, 8n), true);
    assert.equal(await logIn.bindInstance(id, 9n), false);
    assert.equal((await find()).instanceId, 8n);
    await close();
  });
}

/** Ends of a session. */
export function describeSessionEnds(engine: Engine): void {
  onDatabase(engine, "ends sessions once, each with its event", async ({ url }) => {
    const { logIn, office, account, id, find, close } = await openSession(url);
    const session = newSession({ selector: "selector-2" });
    const second = await logIn.complete(goodLogIn(account, { session }));
    const reported = event({ name: "logged-out", atMs: arrivalMs + 9 });
    assert.deepEqual(await logIn.endSessions({ sessionId: id }, "logged-out", reported), [id]);
    assert.deepEqual(await logIn.endSessions({ recordId: 1n }, "reused", reported), [second]);
    assert.deepEqual(await logIn.endSessions({ recordId: 1n }, "reused", reported), []);
    const events = await office.listEvents({ recordId: 1n, fromMs: arrivalMs + 9, max: 9 });
    assert.deepEqual(
      events.map(({ id: _, ...rest }) => rest),
      [id, second || null].map((sessionId) => ({ ...reported, accountId: 1n, sessionId })),
    );
    assert.equal((await find()).endedAtMs, arrivalMs + 9);
    await close();
  });

  onDatabase(engine, "changes nothing of a session that has ended", async ({ url }) => {
    const { logIn, id, find, close } = await openSession(url);
    await logIn.offer({ id, rotations: 0, pending: null }, offer);
    await logIn.endSessions({ sessionId: id }, "logged-out", event());
    const ended = await find();
    assert.equal(ended.pending, "digest-2");
    assert.equal(ended.pendingBox, null);
    assert.equal(await logIn.offer(ended, offer), false);
    assert.equal(await logIn.promote({ id, rotations: 0 }, next), false);
    assert.equal(await logIn.bindInstance(id, 8n), false);
    assert.deepEqual(await find(), ended);
    await close();
  });

  onDatabase(engine, "tells sessions of an account that is no longer good", async (database) => {
    const { office, find, close } = await openSession(database.url);
    assert.equal((await find()).isAccountGood, true);
    await database.query("UPDATE accounts SET epoch = epoch + 1");
    assert.equal((await find()).isAccountGood, false);
    await database.query("UPDATE accounts SET epoch = epoch - 1");
    assert.equal((await find()).isAccountGood, true);
    await office.setEnabled(1n, false, arrivalMs);
    assert.equal((await find()).isAccountGood, false);
    await close();
  });

  onDatabase(engine, "lists and counts sessions that have not run out", async ({ url }) => {
    const { logIn, office, account, close } = await openSession(url);
    const later = { createdAtMs: arrivalMs + 1, idleUntilMs: arrivalMs + dayMs };
    for (const selector of ["a", "b"]) {
      const session = newSession({ ...later, selector });
      await logIn.complete(goodLogIn(account, { session }));
    }
    const listed = async (nowMs: number) =>
      (await office.listSessions(1n, nowMs)).map(({ selector }) => selector);
    assert.deepEqual(await listed(arrivalMs), ["b", "a", "selector-1"]);
    assert.deepEqual(await listed(arrivalMs + dayMs), ["selector-1"]);
    assert.deepEqual(await listed(arrivalMs + 14 * dayMs), []);
    await close();
  });
}

/** Secrets that are not in any table. */
export function describeSecrets(engine: Engine): void {
  onDatabase(engine, "keeps neither a password nor a validator", async (database) => {
    const { logIn, office, close } = await openLogIn(database.url);
    const tokens = createTokens([{ id: "12345678", bytes: randomBytes(32) }]);
    const hashing = new PasswordHasher({
      hashesAtOnce: 1,
      work: { memoryKib: 8, passes: 1, lanes: 1 },
    });
    const password = "correct horse battery staple";
    const selector = tokens.newSelector();
    const first = tokens.newValidator(selector);
    const second = tokens.newValidator(selector);
    const accountKey = tokens.nameKey("ada");
    const hash = await hashing.hash(password);
    const account = await office.addAccount(newAccount({ hash }), arrivalMs);
    await office.putForms([form()], arrivalMs);
    const session = newSession({ selector, current: tokens.digest(first) });
    const id = (await logIn.complete(goodLogIn(account, { session }))) || 0n;
    await logIn.consume(accountKey, accountRateLimit, arrivalMs);
    const pending = tokens.digest(second);
    const pendingBox = tokens.seal(second, selector);
    await logIn.offer({ id, rotations: 0, pending: null }, { ...offer, pending, pendingBox });
    await close();
    const values = (await readAllValues(database)).join("\n");
    // What must be there, or the search would find nothing anyway.
    for (const text of [hash, selector, session.current, pending, pendingBox, accountKey]) {
      assert.ok(values.includes(text), text);
    }
    for (const secret of [password, first, second]) assert.ok(!values.includes(secret), secret);
  });
}
