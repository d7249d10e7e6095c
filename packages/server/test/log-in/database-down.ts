import assert from "node:assert/strict";
import { LogInUnavailableError } from "../../src/domain/log-in/log-in-store.ts";
import type { Engine } from "../store/engines.ts";
import { lockTable } from "../store/on-database.ts";
import { browserOfAda, guess, logIn, tryCookie, visitor } from "./browser.ts";
import { carol, importCarol } from "./hashes.ts";
import { minute, second, type World } from "./log-in-world.ts";
import type { Scenarios } from "./run-scenarios.ts";

/** Takes tables away; what it resolves to brings them back. */
async function hide({ database }: World, tables: readonly string[]): Promise<() => Promise<void>> {
  for (const table of tables)
    await database.query(`ALTER TABLE ${table} RENAME TO hidden_${table}`);
  return async () => {
    for (const table of tables) {
      await database.query(`ALTER TABLE hidden_${table} RENAME TO ${table}`);
    }
  };
}

/** Error of calls while tables are hidden: a query that is wrong is no outage. */
const wrongQuery = /no such table|does not exist/;

/** Takes the database away, or what log-ins need of it; what it resolves to brings it back. */
async function takeDatabase({ power }: Engine, world: World) {
  if (power === undefined) {
    const bringBack = await hide(world, ["sessions", "log_in_counters"]);
    return { bringBack, failure: wrongQuery };
  }
  await power.stop();
  return { bringBack: () => power.start(), failure: LogInUnavailableError };
}

/** Every call fails because nothing can be decided. */
async function assertUndecided(
  { node }: World,
  call: ReturnType<typeof visitor>,
  failure: RegExp | typeof LogInUnavailableError,
) {
  const { cookie } = call;
  await assert.rejects(logIn(node), failure);
  await assert.rejects(logIn(node, {}, { cookie }), failure);
  await assert.rejects(guess(node, "Unknown"), failure);
  await assert.rejects(tryCookie(node, cookie), failure);
  await assert.rejects(tryCookie(node, "bad"), failure);
  await assert.rejects(node.sessions.logOut(call, false), failure);
  assert.equal(await node.sessions.findFor(call, null), null);
}

/** A database that does not respond. */
export const databaseDown: Scenarios = {
  "no visitor is logged in while the database is away, and the cookie is good when it is back":
    async (world, engine) => {
      const { node } = world;
      const { cookie } = await browserOfAda(node);
      const verified = node.verified.length;
      const { bringBack, failure } = await takeDatabase(engine, world);
      try {
        // The forms are known at first, and asked for in vain later.
        for (const laterMs of [0, 2 * second, 11 * minute]) {
          world.nowMs += laterMs;
          await assertUndecided(world, visitor({ cookie }), failure);
        }
        assert.equal(node.verified.length, verified);
      } finally {
        await bringBack();
      }
      world.nowMs += 2 * second;
      assert.equal((await tryCookie(node, cookie)).kind, "in");
      assert.equal((await logIn(node)).kind, "in");
    },

  "calls that wait behind a slow failure of the database fail with it": async (world) => {
    // By its clock everything takes long.
    const node = world.openNode({ countedMax: 1, lookMs: second });
    const unlock = await lockTable(world.database, "log_in_counters");
    const names = ["Ada", "Ada", "Unknown"];
    const calls = names.map((userName) => logIn(node, { userName }).catch((thrown) => thrown));
    const [first, ...others] = await Promise.all(calls).finally(unlock);
    assert.ok(first instanceof LogInUnavailableError);
    for (const other of others) assert.equal(other, first);
    assert.equal((await logIn(node)).kind, "in");
  },

  "a log-in that has waited for its turn until its caller was refused is not counted": async (
    world,
  ) => {
    // By its clock the time of the caller is over.
    const node = world.openNode({ lookMs: 10 * second });
    await assert.rejects(guess(node), LogInUnavailableError);
    assert.deepEqual(node.works, [["waits for its turn"]]);
    assert.deepEqual(await world.database.query("SELECT * FROM log_in_counters"), []);
  },

  "a log-in whose event cannot be written fails": async (world) => {
    const { node, database } = world;
    await importCarol(world);
    const state = () => database.query("SELECT hash, last_log_in_at FROM accounts");
    const before = await state();
    let bringBack = async () => {};
    node.meanwhile = async () => {
      bringBack = await hide(world, ["log_in_events"]);
    };
    try {
      await assert.rejects(logIn(node, carol), wrongQuery);
      await assert.rejects(guess(node), wrongQuery);
    } finally {
      await bringBack();
    }
    assert.deepEqual(await database.query("SELECT * FROM sessions"), []);
    assert.deepEqual(await state(), before);
    assert.deepEqual(await world.events(), []);
    assert.equal((await logIn(node, carol)).kind, "in");
  },

  "an automatic log-in whose event cannot be written fails, and the cookie stays good": async (
    world,
  ) => {
    const { node } = world;
    const browser = await browserOfAda(node);
    world.nowMs += 10 * minute;
    const bringBack = await hide(world, ["log_in_events"]);
    try {
      await assert.rejects(browser.comeBack(node), wrongQuery);
    } finally {
      await bringBack();
    }
    for (let i = 0; i < 2; i += 1) assert.equal(await browser.comeBack(node), "in");
    assert.equal(browser.tokens.length, 2);
  },
};
