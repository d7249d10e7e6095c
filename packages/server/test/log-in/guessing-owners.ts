import assert from "node:assert/strict";
import { TooManyLogInsError } from "../../src/domain/log-in/limits/concurrency-limiter.ts";
import { accountKeyOf, accountRateLimit } from "../../src/domain/log-in/limits/rate-limits.ts";
import {
  addressIn,
  Browser,
  browserOfAda,
  browserOfBob,
  guess,
  logIn,
  makeUpToken,
  tryCookie,
} from "./browser.ts";
import { adaId, hour, password, second, tokensOf, type World } from "./log-in-world.ts";
import type { Scenarios } from "./run-scenarios.ts";
import { origins } from "./sample-forms.ts";

/** A stranger holds Ada's account: delays and windows have passed, and only the hold is left. */
async function holdAda(world: World): Promise<void> {
  const { database, node } = world;
  await guess(node, "Ada", { address: addressIn(1) });
  const key = accountKeyOf(tokensOf(), "ada");
  await database.query(
    `UPDATE log_in_counters SET attempts = ${accountRateLimit.blockAt} WHERE key = '${key}'`,
  );
  world.nowMs += hour;
  assert.equal((await logIn(node, {}, { address: addressIn(2) })).kind, "refused");
  assert.equal((await world.events()).at(-1), "log-in-refused blocked");
}

/** The owner of an account that strangers guess. */
export const ownerRights: Scenarios = {
  "an owner who is logged in gets in while the account is blocked, others do not": async (
    world,
  ) => {
    const { node } = world;
    const browser = await browserOfAda(node);
    await holdAda(world);
    await browser.logIn(node);
    assert.equal((await logIn(node)).kind, "refused");
    assert.equal((await world.events()).at(-1), "log-in-refused blocked");
  },

  "an owner who is logged in gets in while the network is blocked, others there do not": async (
    world,
  ) => {
    const { node } = world;
    const { cookie } = await browserOfAda(node);
    for (let i = 0; i < 30; i += 1) await guess(node, `user ${i}`);
    assert.equal((await logIn(node)).kind, "network-blocked");
    assert.equal((await logIn(node, {}, { cookie })).kind, "in");
    assert.equal((await logIn(node)).kind, "network-blocked");
  },

  "guesses from a device that is logged in are counted, and hold only that device": async (
    world,
  ) => {
    const { node } = world;
    const { cookie } = await browserOfAda(node);
    const before = node.verified.length;
    for (let i = 0; i < 8; i += 1) await guess(node, "Ada", { cookie });
    assert.equal(node.verified.length - before, 5);
    assert.equal((await logIn(node, {}, { cookie })).kind, "refused");
    assert.equal((await logIn(node)).kind, "in");
    world.nowMs += second;
    assert.equal((await logIn(node, {}, { cookie })).kind, "in");
  },

  "the session of another account is no way around": async (world) => {
    const { node } = world;
    const bob = await browserOfBob(world);
    await holdAda(world);
    assert.equal((await logIn(node, {}, { cookie: bob.cookie })).kind, "refused");
  },

  "a session of another origin, or one that has ended, is no way around": async (world) => {
    const { node, office } = world;
    const { cookie } = await browserOfAda(node);
    await holdAda(world);
    const from = async (origin: string) => (await logIn(node, {}, { cookie, origin })).kind;
    assert.equal(await from(origins.b), "refused");
    await office.revoke({ recordId: adaId }, "revoked", world.nowMs);
    assert.equal(await from(origins.a), "refused");
    assert.equal(node.verified.filter((text) => text === password).length, 1);
  },

  "a selector without its validator is no way around": async (world) => {
    const { node } = world;
    const { selector } = await new Browser().logIn(node);
    await holdAda(world);
    const signed = { selector, validator: tokensOf().newValidator(selector) };
    for (const cookie of [makeUpToken(selector), signed]) {
      assert.equal((await logIn(node, {}, { cookie })).kind, "refused");
    }
  },
};

/** Texts that are neither a name nor a password. */
const unusable = [null, "", "x".repeat(1_025), "é".repeat(513), "a\0b", "a\ud800b", "\udc00"];

/** Log-ins that are refused for other reasons than a wrong password. */
export const refusals: Scenarios = {
  "the right password of a disabled account is refused like a wrong one, and verified as little":
    async (world) => {
      const { node, office } = world;
      await office.setEnabled(adaId, false, world.nowMs);
      assert.deepEqual(await logIn(node), await logIn(node, { password: "wrong" }));
      assert.deepEqual((await world.events()).slice(-2), [
        "log-in-refused disabled",
        "log-in-refused disabled",
      ]);
    },

  "texts that cannot be a name or a password are refused and never hashed": async (world) => {
    const { node } = world;
    for (const [i, text] of unusable.entries()) {
      for (const given of [{ userName: text }, { password: text }]) {
        world.nowMs += hour;
        const outcome = await logIn(node, given, { address: addressIn(i) });
        assert.deepEqual(outcome, { kind: "refused" });
      }
    }
    assert.deepEqual(new Set(node.hashed), new Set([""]));
    assert.deepEqual(new Set(await world.events()), new Set(["log-in-refused unusable"]));
    world.nowMs += hour;
    assert.equal((await logIn(node)).kind, "in");
  },

  "a password that cannot be one counts against the account": async (world) => {
    for (let i = 0; i < 5; i += 1) await logIn(world.node, { password: "" });
    assert.equal((await logIn(world.node)).kind, "refused");
  },

  "1,024 bytes are a password": async (world) => {
    const long = "é".repeat(512);
    await world.addAccount("Bob", await world.hashing.hash(long));
    assert.equal((await logIn(world.node, { userName: "Bob", password: long })).kind, "in");
  },

  "a page of an origin that no form lists is forbidden before anything is counted": async (
    world,
  ) => {
    const { node, database } = world;
    const outcome = await logIn(node, {}, { origin: "https://evil.example" });
    assert.deepEqual(outcome, { kind: "forbidden" });
    assert.deepEqual(node.hashed, []);
    assert.deepEqual(await database.query("SELECT * FROM log_in_counters"), []);
  },

  "one too many at once is turned away at once, and not counted": async (world) => {
    const node = world.openNode({ admittedMax: 2 });
    const calls = [1, 2, 3].map(() => logIn(node, { password: "wrong" }));
    const settled = await Promise.allSettled(calls);
    const [first, second, third] = settled;
    assert.deepEqual([first?.status, second?.status], ["fulfilled", "fulfilled"]);
    assert.ok(third?.status === "rejected" && third.reason instanceof TooManyLogInsError);
    assert.deepEqual([...node.ends].sort(), [
      "password busy",
      ...Array(2).fill("password refused"),
    ]);
    const counters = await world.database.query("SELECT attempts FROM log_in_counters");
    assert.deepEqual(
      counters.map(({ attempts }) => String(attempts)),
      ["2", "2"],
    );
    assert.equal((await logIn(node)).kind, "in");
  },

  "a caller that is no browser logs in, and is remembered for every form": async (world) => {
    const outcome = await logIn(world.node, {}, { origin: null });
    assert.ok(outcome.kind === "in" && outcome.cookie !== null && outcome.cookie !== "expire");
    const { token, maxAgeS, sameSite } = outcome.cookie;
    assert.deepEqual([maxAgeS, sameSite], [null, "strict"]);
    const again = await tryCookie(world.node, token, { origin: null, address: null });
    assert.equal(again.kind, "in");
  },
};
