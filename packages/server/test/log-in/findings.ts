import assert from "node:assert/strict";
import { browserOfAda, browserOfBob, makeUpToken, visitor } from "./browser.ts";
import { adaId, hour } from "./log-in-world.ts";
import { rotate } from "./rotation.ts";
import type { Scenarios } from "./run-scenarios.ts";
import { forms, origins } from "./sample-forms.ts";

const stranger = { sessionId: null, contactId: null, isLoggedIn: false };
const instanceId = forms.a.instance.id;

/** Notes on visitors beside their page requests. */
export const findings: Scenarios = {
  "a visitor with a good session is known, and nothing of it changes": async (world) => {
    const { node, database, office } = world;
    const { cookie } = await browserOfAda(node);
    world.nowMs += hour;
    const before = await database.query("SELECT * FROM sessions");
    const [session] = await office.listSessions(adaId, world.nowMs);
    const known = { sessionId: session?.id, contactId: 4_001n, isLoggedIn: true };
    for (const instance of [instanceId, null]) {
      assert.deepEqual(await node.sessions.findFor(visitor({ cookie }), instance), known);
    }
    assert.deepEqual(await database.query("SELECT * FROM sessions"), before);
  },

  "a visitor of another origin or instance, or without a good cookie, is a stranger": async ({
    node,
  }) => {
    const { cookie } = await browserOfAda(node);
    assert.ok(typeof cookie !== "string");
    const wrong = makeUpToken(cookie.selector);
    const find = (as: Parameters<typeof visitor>[0], instance = instanceId) =>
      node.sessions.findFor(visitor(as), instance);
    assert.deepEqual(await find({ cookie, origin: origins.b }), stranger);
    assert.deepEqual(await find({ cookie, origin: null }), stranger);
    assert.deepEqual(await find({ cookie }, forms.b.instance.id), stranger);
    assert.deepEqual(await find({ cookie: wrong }), stranger);
    assert.deepEqual(await find({ cookie: "none" }), stranger);
    assert.deepEqual(await find({ cookie: "bad" }), stranger);
  },

  "a visitor whose session has ended is a stranger": async (world) => {
    const { node } = world;
    const { cookie } = await browserOfAda(node);
    await node.sessions.logOut(visitor({ cookie }), false);
    assert.deepEqual(await node.sessions.findFor(visitor({ cookie }), instanceId), stranger);
    const late = await browserOfAda(node);
    world.nowMs += 400 * hour;
    const { cookie: old } = late;
    assert.deepEqual(await node.sessions.findFor(visitor({ cookie: old }), null), stranger);
  },

  "a cookie that has retired makes a stranger, and no alarm": async (world) => {
    const browser = await browserOfAda(world.node);
    const old = browser.cookie;
    await rotate(world, browser);
    world.nowMs += hour;
    const finding = await world.node.sessions.findFor(visitor({ cookie: old }), instanceId);
    assert.deepEqual(finding, stranger);
    assert.equal(await browser.comeBack(world.node), "in");
  },

  "of a visitor who wants privacy nothing is noted": async ({ node }) => {
    const { cookie } = await browserOfAda(node);
    const call = visitor({ cookie, wantsPrivacy: true });
    assert.equal(await node.sessions.findFor(call, instanceId), null);
  },

  "a log-out everywhere ends all sessions of the account, and no other": async (world) => {
    const { node } = world;
    const bob = await browserOfBob(world);
    const one = await browserOfAda(node);
    const another = await browserOfAda(node, forms.b);
    await node.sessions.logOut(visitor({ cookie: one.cookie }), true);
    assert.equal(await one.comeBack(node), "not");
    assert.equal(await another.comeBack(node), "not");
    assert.equal(await bob.comeBack(node), "in");
  },
};
