import assert from "node:assert/strict";
import { cookieRateLimit } from "../../src/domain/log-in/limits/rate-limits.ts";
import {
  addressIn,
  Browser,
  browserOfAda,
  guess,
  logIn,
  makeUpToken,
  tryCookie,
} from "./browser.ts";
import { minute, second, type World } from "./log-in-world.ts";
import type { Scenarios } from "./run-scenarios.ts";

const { windowMax } = cookieRateLimit;

/** Blocks the cookies of the network that calls come from. */
async function blockCookies({ node }: World): Promise<void> {
  for (let i = 0; i <= windowMax; i += 1) await tryCookie(node, makeUpToken());
}

/** The queries that cookies cause while something is done. */
async function queriesOf({ node }: World, run: () => Promise<void>) {
  const before = { ...node.cookieQueries };
  await run();
  const { reads, counts } = node.cookieQueries;
  return { reads: reads - before.reads, counts: counts - before.counts };
}

const expired = { kind: "not", cookie: "expire", retryAfterS: null };
const blocked = { kind: "not", cookie: null, retryAfterS: 60 };

/** Cookies that no server has made, in large numbers. */
export const cookieFloods: Scenarios = {
  "once a network is blocked its made-up cookies all get one response, and no query": async (
    world,
  ) => {
    const { node } = world;
    await blockCookies(world);
    const queries = await queriesOf(world, async () => {
      for (let i = 0; i < 100; i += 1) {
        assert.deepEqual(await tryCookie(node, i % 2 === 0 ? makeUpToken() : "bad"), blocked);
      }
    });
    assert.deepEqual(queries, { reads: 0, counts: 0 });
    assert.deepEqual(await tryCookie(node, makeUpToken(), { address: addressIn(1) }), expired);
  },

  "each second one of them has the counter read, also of many at once": async (world) => {
    const { node } = world;
    await blockCookies(world);
    world.nowMs += second;
    const queries = await queriesOf(world, async () => {
      const calls = Array.from({ length: 100 }, () => tryCookie(node, makeUpToken()));
      for (const outcome of await Promise.all(calls)) {
        assert.deepEqual(outcome, { ...blocked, retryAfterS: 59 });
      }
    });
    assert.deepEqual(queries, { reads: 1, counts: 1 });
  },

  "of a thousand at once no more are looked up than may fail": async (world) => {
    const { node } = world;
    const queries = await queriesOf(world, async () => {
      const calls = Array.from({ length: 1_000 }, () => tryCookie(node, makeUpToken()));
      const outcomes = await Promise.all(calls);
      const failed = outcomes.filter(
        (outcome) => outcome.kind === "not" && outcome.cookie !== null,
      );
      assert.equal(failed.length, windowMax);
    });
    assert.deepEqual(queries, { reads: windowMax, counts: windowMax });
  },

  "a good cookie is looked up whatever others of its network send": async (world) => {
    const { node } = world;
    const browser = await browserOfAda(node);
    await blockCookies(world);
    assert.equal(await browser.comeBack(node), "in");
    for (let i = 0; i < 30; i += 1) await guess(node, `user ${i}`);
    assert.equal((await logIn(node)).kind, "network-blocked");
    assert.equal((await logIn(node, {}, { cookie: browser.cookie })).kind, "in");
    assert.equal(await browser.comeBack(node), "not");
  },

  "a good cookie of another key is refused while its network is blocked, and not expired": async (
    world,
  ) => {
    const { node } = world;
    const browser = new Browser();
    await browser.logIn(world.openNode({ key: "b" }));
    assert.equal(await browser.comeBack(node), "in");
    await blockCookies(world);
    assert.deepEqual(await tryCookie(node, browser.cookie), blocked);
    world.nowMs += minute;
    assert.equal(await browser.comeBack(node), "in");
  },

  "a log-in with a made-up cookie is refused like one without, and costs no query once its network is blocked":
    async (world) => {
      const { node } = world;
      const wrong = { password: "wrong" };
      const as = () => ({ cookie: makeUpToken() });
      assert.deepEqual(await logIn(node, wrong, as()), await logIn(node, wrong));
      assert.equal((await logIn(node, {}, as())).kind, "in");
      await blockCookies(world);
      const queries = await queriesOf(world, async () => {
        assert.deepEqual(await logIn(node, wrong, as()), await logIn(node, wrong));
        assert.equal((await logIn(node, {}, as())).kind, "in");
        for (let i = 0; i < 100; i += 1) await guess(node, `user ${i}`, as());
      });
      assert.deepEqual(queries, { reads: 0, counts: 0 });
      assert.equal((await logIn(node, {}, as())).kind, "network-blocked");
    },

  "made-up cookies of log-ins block those of their network": async (world) => {
    const { node } = world;
    for (let i = 0; i <= windowMax; i += 1) {
      await guess(node, `user ${i}`, { cookie: makeUpToken() });
    }
    assert.deepEqual(await tryCookie(node, makeUpToken()), blocked);
    const events = await world.events();
    assert.equal(events.filter((event) => event === "network-blocked cookies").length, 1);
  },
};
