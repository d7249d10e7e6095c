import assert from "node:assert/strict";
import { readLegacyHash } from "../../src/secrets/legacy-hash.ts";
import { Browser, logIn } from "./browser.ts";
import { adaId, minute, password, type World } from "./log-in-world.ts";
import type { Scenarios } from "./run-scenarios.ts";

/** Name and password of Carol. */
export const carol = { userName: "Carol", password: "my password" };

/** Makes the record of a password of an old system, Carol's. */
export function oldRecord({ hashing }: World): Promise<string> {
  const hash = "AAABAgMEBQYHCAkKCwwNDg+ukCEMDf0yyQ29NYubggHIVY0sdEUfdyeM+E1LtH1uJg==";
  return hashing.rehash(readLegacyHash(hash, "aspnet-identity"));
}

/** Adds the account of Carol, which has an old hash. */
export async function importCarol(world: World): Promise<bigint> {
  return world.addAccount("Carol", await oldRecord(world));
}

async function hashOf({ database }: World, recordId: bigint): Promise<string> {
  const [row] = await database.query(`SELECT hash FROM accounts WHERE record_id = ${recordId}`);
  return String(row?.["hash"]);
}

function upgrades(events: readonly string[]): number {
  return events.filter((event) => event === "hash-upgraded").length;
}

/** Hashes that come from an old system. */
export const oldHashes: Scenarios = {
  "an old hash lets its owner in, is replaced once, and goes on doing so": async (world) => {
    const { node } = world;
    const id = await importCarol(world);
    assert.match(await hashOf(world, id), /^\$wrapped\$/);
    assert.equal((await logIn(node, { ...carol, password: "My password" })).kind, "refused");
    assert.match(await hashOf(world, id), /^\$wrapped\$/);
    const outcome = await logIn(node, carol);
    assert.ok(outcome.kind === "in");
    assert.deepEqual([outcome.recordId, outcome.contactId], [id, id + 4_000n]);
    const upgraded = await hashOf(world, id);
    assert.match(upgraded, /^\$argon2id\$/);
    assert.equal((await logIn(node, carol)).kind, "in");
    assert.equal((await logIn(node, { ...carol, password: "My password" })).kind, "refused");
    assert.equal(await hashOf(world, id), upgraded);
    assert.equal(upgrades(await world.events()), 1);
  },

  "a kind of hash that is met before the list is read again counts from then on": async (world) => {
    const { node } = world;
    await logIn(node);
    await importCarol(world);
    const kinds = async (userName: string) => {
      await logIn(node, { userName, password: "wrong" });
      return node.works
        .at(-1)
        ?.find((work) => work.startsWith("hashes"))
        ?.split(" and ").length;
    };
    const found = [
      await kinds("Ada"),
      await kinds("Carol"),
      await kinds("Ada"),
      await kinds("Eve"),
    ];
    assert.deepEqual(found, [1, 2, 2, 2]);
    world.nowMs += minute;
    assert.equal(await kinds("Eve"), 2);
  },

  "first log-ins on two nodes at once all succeed, and one replaces the hash": async (world) => {
    const nodes = [world.node, world.openNode()];
    await importCarol(world);
    const outcomes = await Promise.all([...nodes, ...nodes].map((node) => logIn(node, carol)));
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ["in", "in", "in", "in"],
    );
    assert.equal(upgrades(await world.events()), 1);
    assert.equal(
      nodes.flatMap(({ logged }) => logged).filter((e) => e.name === "logged-in").length,
      4,
    );
    assert.equal((await logIn(world.node, carol)).kind, "in");
  },

  "a new password that is set meanwhile stays, and the old one fails": async (world) => {
    const { node, office } = world;
    const id = await importCarol(world);
    const record = await world.hashing.hash(password);
    node.meanwhile = () =>
      office.setPassword(id, { record, form: world.hashing.formOf(record) }, world.nowMs);
    assert.deepEqual(await logIn(node, carol), { kind: "refused" });
    assert.equal((await world.events()).at(-1), "log-in-refused account-changed");
    assert.equal(await hashOf(world, id), record);
    assert.equal((await logIn(node, carol)).kind, "refused");
    assert.equal((await logIn(node, { userName: "Carol" })).kind, "in");
    assert.equal(upgrades(await world.events()), 0);
  },

  "an account that is disabled meanwhile cannot be logged in to": async (world) => {
    const { node, office } = world;
    const id = await importCarol(world);
    node.meanwhile = () => office.setEnabled(id, false, world.nowMs);
    assert.deepEqual(await logIn(node, carol), { kind: "refused" });
    assert.match(await hashOf(world, id), /^\$wrapped\$/);
    assert.deepEqual(await world.database.query("SELECT * FROM sessions"), []);
  },

  "a hash of ours is left as it is": async (world) => {
    const before = await hashOf(world, adaId);
    await new Browser().logIn(world.node);
    assert.equal(await hashOf(world, adaId), before);
    assert.equal(upgrades(await world.events()), 0);
  },
};
