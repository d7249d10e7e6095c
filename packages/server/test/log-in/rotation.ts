import assert from "node:assert/strict";
import type { CookieReading, SessionToken } from "../../src/domain/log-in/visitor.ts";
import {
  addressIn,
  Browser,
  browserOfAda,
  browserOfBob,
  makeUpToken,
  tryCookie,
} from "./browser.ts";
import { day, hour, minute, type Node, second, type World } from "./log-in-world.ts";
import type { Scenarios } from "./run-scenarios.ts";

/** Calls with one cookie over some nodes at the same time, eight in all. */
function eightTimes(nodes: readonly Node[], cookie: CookieReading) {
  return Promise.all(
    Array.from({ length: 8 }, (_, i) => {
      const [node] = nodes.slice(i % nodes.length);
      assert.ok(node);
      return tryCookie(node, cookie);
    }),
  );
}

/** Comes back after ten minutes, twice: gets the successor, and shows it. */
export async function rotate(world: World, browser: Browser): Promise<SessionToken> {
  world.nowMs += 10 * minute;
  assert.equal(await browser.comeBack(world.node), "in");
  assert.ok(browser.change !== null && browser.change !== "expire");
  const { token } = browser.change;
  assert.equal(await browser.comeBack(world.node), "in");
  assert.equal(browser.change, null);
  return token;
}

/** Changes of a cookie in the course of time. */
export const rotation: Scenarios = {
  "a cookie younger than ten minutes stays": async (world) => {
    const browser = await browserOfAda(world.node);
    world.nowMs += 10 * minute - 1;
    assert.equal(await browser.comeBack(world.node), "in");
    assert.equal(browser.change, null);
  },

  "all calls at once, on two nodes, get the same successor, and all are in": async (world) => {
    const nodes = [world.node, world.openNode()];
    const { cookie } = await browserOfAda(world.node);
    world.nowMs += 10 * minute;
    const outcomes = await eightTimes(nodes, cookie);
    const [first] = outcomes;
    assert.ok(first?.kind === "in" && first.cookie !== null && first.cookie !== "expire");
    assert.ok(typeof cookie !== "string");
    assert.equal(first.cookie.token.selector, cookie.selector);
    assert.notEqual(first.cookie.token.validator, cookie.validator);
    assert.equal(first.cookie.maxAgeS, 1_209_600);
    for (const outcome of outcomes) assert.deepEqual(outcome, first);
    world.nowMs += hour;
    assert.deepEqual(await tryCookie(world.node, cookie), first);
  },

  "calls at once with the successor all are in, and none is an alarm": async (world) => {
    const nodes = [world.node, world.openNode()];
    const browser = await browserOfAda(world.node);
    const old = browser.cookie;
    world.nowMs += 10 * minute;
    await browser.comeBack(world.node);
    const outcomes = await Promise.all([eightTimes(nodes, browser.cookie), eightTimes(nodes, old)]);
    assert.deepEqual(new Set(outcomes.flat().map(({ kind }) => kind)), new Set(["in"]));
    assert.equal((await world.events()).includes("token-reused"), false);
    world.nowMs += minute;
    assert.equal(await browser.comeBack(world.node), "in");
  },

  "the cookie before is good for a minute after its successor was seen": async (world) => {
    const browser = await browserOfAda(world.node);
    const old = browser.cookie;
    await rotate(world, browser);
    world.nowMs += minute;
    const outcome = await tryCookie(world.node, old);
    assert.ok(outcome.kind === "in");
    assert.equal(outcome.cookie, null);
    assert.equal(await browser.comeBack(world.node), "in");
  },

  "a browser whose new cookies are all lost stays in for days": async (world) => {
    const { cookie } = await browserOfAda(world.node);
    for (let hours = 0; hours < 13 * 24; hours += 8) {
      assert.equal((await tryCookie(world.node, cookie)).kind, "in", `after ${hours} hours`);
      world.nowMs += 8 * hour;
    }
  },

  "an insecure connection never gets a successor": async (world) => {
    const { cookie } = await browserOfAda(world.node);
    world.nowMs += 10 * minute;
    const outcome = await tryCookie(world.node, cookie, { isSecure: () => false });
    assert.deepEqual(outcome, { kind: "not", cookie: null, retryAfterS: null });
  },

  "a node with another key gives a successor of its own, and the visitor stays in": async (
    world,
  ) => {
    const browser = await browserOfAda(world.node);
    const { cookie } = browser;
    world.nowMs += 10 * minute;
    const lost = await tryCookie(world.node, cookie);
    const node = world.openNode({ key: "b" });
    assert.equal(await browser.comeBack(node), "in");
    assert.ok(lost.kind === "in" && lost.cookie !== null && lost.cookie !== "expire");
    assert.notDeepEqual(browser.cookie, lost.cookie.token);
    for (let i = 0; i < 3; i += 1) {
      assert.equal(await browser.comeBack(node), "in");
      world.nowMs += 10 * minute;
    }
    assert.equal(browser.tokens.length, 3);
  },

  "a successor that was given before the key changed is good": async (world) => {
    const browser = await browserOfAda(world.node);
    world.nowMs += 10 * minute;
    await browser.comeBack(world.node);
    const node = world.openNode({ key: "b" });
    assert.equal(await browser.comeBack(node), "in");
  },

  "a clock that is set back an hour raises no alarm, and cookies go on": async (world) => {
    const browser = await browserOfAda(world.node);
    await rotate(world, browser);
    const seen = browser.tokens.length;
    world.nowMs -= hour;
    for (let i = 0; i < 20; i += 1) {
      assert.equal(await browser.comeBack(world.node), "in");
      world.nowMs += 10 * minute;
    }
    assert.ok(browser.tokens.length > seen + 5);
    assert.equal((await world.events()).includes("token-reused"), false);
  },

  "a clock that is set back while a successor waits raises no alarm": async (world) => {
    const browser = await browserOfAda(world.node);
    const old = browser.cookie;
    world.nowMs += 10 * minute;
    await browser.comeBack(world.node);
    world.nowMs -= hour;
    assert.equal(await browser.comeBack(world.node), "in");
    assert.equal((await tryCookie(world.node, old)).kind, "in");
    assert.equal((await world.events()).includes("token-reused"), false);
  },
};

/** Shows stolen cookies of two of Ada's three browsers, some time apart. */
async function raiseTwoAlarms(world: World, apartMs: number) {
  const { node } = world;
  const first = await browserOfAda(node);
  const second = await browserOfAda(node);
  const third = await browserOfAda(node);
  const stolen = [first.cookie, second.cookie] as const;
  await rotate(world, first);
  await rotate(world, second);
  world.nowMs += minute + 1;
  await tryCookie(node, stolen[0]);
  assert.equal(await second.comeBack(node), "in");
  world.nowMs += apartMs;
  await tryCookie(node, stolen[1]);
  return [first, second, third] as const;
}

/** A cookie that two have. */
export const theft: Scenarios = {
  "the cookie before, too late, ends the session with its newest cookie": async (world) => {
    const browser = await browserOfAda(world.node);
    const stolen = browser.cookie;
    await rotate(world, browser);
    world.nowMs += minute + 1;
    const outcome = await tryCookie(world.node, stolen, { address: addressIn(1) });
    assert.deepEqual(outcome, { kind: "not", cookie: "expire", retryAfterS: null });
    assert.deepEqual((await world.events()).slice(-2), ["token-reused", "session-ended reused"]);
    assert.equal(await browser.comeBack(world.node), "not");
    assert.equal(browser.change, "expire");
  },

  "a thief who shows the successor first makes the owner's next call the alarm": async (world) => {
    const owner = await browserOfAda(world.node);
    const thief = new Browser();
    thief.cookie = owner.cookie;
    world.nowMs += 10 * minute;
    for (let i = 0; i < 2; i += 1) assert.equal(await thief.comeBack(world.node), "in");
    world.nowMs += minute + 1;
    assert.equal(await owner.comeBack(world.node), "not");
    assert.equal(await thief.comeBack(world.node), "not");
  },

  "the first alarm leaves other sessions, a second one within a day ends all": async (world) => {
    const bob = await browserOfBob(world);
    for (const browser of await raiseTwoAlarms(world, day - 1)) {
      assert.equal(await browser.comeBack(world.node), "not");
    }
    assert.equal(await bob.comeBack(world.node), "in");
  },

  "a stolen cookie that comes eight times at once, over two nodes, is one alarm": async (world) => {
    const nodes = [world.node, world.openNode()];
    const first = await browserOfAda(world.node);
    const other = await browserOfAda(world.node);
    const stolen = first.cookie;
    await rotate(world, first);
    world.nowMs += minute + 1;
    for (const { kind } of await eightTimes(nodes, stolen)) assert.equal(kind, "not");
    const alarms = (await world.events()).filter((event) => event === "token-reused");
    assert.equal(alarms.length, 1);
    assert.equal(await first.comeBack(world.node), "not");
    assert.equal(await other.comeBack(world.node), "in");
  },

  "two alarms more than a day apart leave the other sessions": async (world) => {
    const [, second, third] = await raiseTwoAlarms(world, day + 1);
    assert.equal(await second.comeBack(world.node), "not");
    assert.equal(await third.comeBack(world.node), "in");
  },

  "the five cookies before the last are known, one older is a stranger's": async (world) => {
    const browser = await browserOfAda(world.node);
    for (let i = 0; i < 7; i += 1) await rotate(world, browser);
    world.nowMs += minute + 1;
    const [oldest, known] = browser.tokens;
    assert.ok(oldest && known);
    assert.equal((await tryCookie(world.node, oldest)).kind, "not");
    assert.equal((await world.events()).at(-1), "auto-log-in-refused wrong-validator");
    assert.equal(await browser.comeBack(world.node), "in");
    assert.equal((await tryCookie(world.node, known)).kind, "not");
    assert.equal((await world.events()).includes("token-reused"), true);
    assert.equal(await browser.comeBack(world.node), "not");
  },

  "wrong validators end nothing, and hold their network after sixty in a minute": async (world) => {
    const { node } = world;
    const browser = await browserOfAda(node);
    assert.ok(typeof browser.cookie !== "string");
    const { selector } = browser.cookie;
    const wrong = () => makeUpToken(selector);
    const expired = { kind: "not", cookie: "expire", retryAfterS: null };
    for (let i = 0; i < 60; i += 1) assert.deepEqual(await tryCookie(node, wrong()), expired);
    world.nowMs += 20 * second;
    const written = (await world.events()).length;
    const blocked = { kind: "not", cookie: null, retryAfterS: 40 };
    assert.deepEqual(await tryCookie(node, wrong()), blocked);
    assert.deepEqual(await tryCookie(node, "bad"), blocked);
    assert.deepEqual((await world.events()).slice(written), ["network-blocked cookies"]);
    assert.deepEqual(await tryCookie(node, wrong(), { address: addressIn(1) }), expired);
    assert.equal(await browser.comeBack(node), "in");
    world.nowMs += 40 * second;
    assert.deepEqual(await tryCookie(node, wrong()), expired);
    assert.equal(await browser.comeBack(node), "in");
  },
};
