import assert from "node:assert/strict";
import { guess, logIn } from "./browser.ts";
import { minute, second, type World } from "./log-in-world.ts";
import type { Scenarios } from "./run-scenarios.ts";

const address = "192.0.2.1";

/** Fails to log in from one network, each time under another name. */
async function fail(world: World, times: number, from: string | null = address): Promise<void> {
  for (let i = 0; i < times; i += 1) {
    assert.equal(await guess(world.node, `user ${i}`, { address: from }), "refused");
  }
}

/** Guessing many accounts from one network. */
export const networkGuessing: Scenarios = {
  "thirty failures in five minutes hold the network, and no other": async (world) => {
    const { node } = world;
    await fail(world, 1);
    world.nowMs += 100 * second;
    await fail(world, 29);
    const held = { kind: "network-blocked", retryAfterS: 200 };
    assert.deepEqual(await logIn(node, { password: "wrong" }), held);
    assert.deepEqual(await logIn(node), held);
    assert.deepEqual(await logIn(node, {}, { address: "192.0.2.250" }), held);
    assert.equal(node.verified.length, 30);
    assert.equal((await logIn(node, {}, { address: "192.0.3.1" })).kind, "in");
    world.nowMs += 200 * second - 1;
    assert.deepEqual(await logIn(node), { kind: "network-blocked", retryAfterS: 1 });
    world.nowMs += 1;
    assert.equal((await logIn(node)).kind, "in");
    const events = await world.events();
    assert.equal(events.filter((event) => event === "network-blocked").length, 1);
  },

  "a log-in gives its network the one attempt back, and no more": async (world) => {
    const { node } = world;
    await fail(world, 29);
    for (let i = 0; i < 3; i += 1) assert.equal((await logIn(node)).kind, "in");
    await fail(world, 1);
    assert.equal((await logIn(node)).kind, "network-blocked");
  },

  "attempts that are held back count against their network": async (world) => {
    for (let i = 0; i < 30; i += 1) assert.equal(await guess(world.node), "refused");
    assert.equal(world.node.verified.length, 5);
    assert.equal(await guess(world.node), "network-blocked");
  },

  "a network of IPv6 has 56 bits": async (world) => {
    await fail(world, 15, "2001:db8:1:2300::1");
    await fail(world, 15, "2001:db8:1:23ff:ffff::9");
    const from = async (given: string) => (await logIn(world.node, {}, { address: given })).kind;
    assert.equal(await from("2001:db8:1:2345::5"), "network-blocked");
    assert.equal(await from("2001:db8:1:2400::1"), "in");
  },

  "IPv4 within IPv6 is the network of IPv4": async (world) => {
    await fail(world, 30, "::ffff:192.0.2.77");
    assert.equal((await logIn(world.node)).kind, "network-blocked");
  },

  "callers without an address share a network": async (world) => {
    await fail(world, 30, null);
    assert.equal((await logIn(world.node, {}, { address: null })).kind, "network-blocked");
    assert.equal((await logIn(world.node)).kind, "in");
  },

  "nodes count together": async (world) => {
    const other = world.openNode();
    await fail(world, 30);
    assert.equal((await logIn(other)).kind, "network-blocked");
  },

  "a clock that is set back an hour blocks no caller longer than a window": async (world) => {
    const { node } = world;
    await fail(world, 30);
    for (let i = 0; i < 10; i += 1) {
      await guess(node, "Ada", { address: "198.51.100.1" });
      world.nowMs += 16 * second;
    }
    assert.equal((await logIn(node, {}, { address: "203.0.113.1" })).kind, "refused");
    await fail(world, 30, "100.64.0.9");
    assert.equal(await guess(node, "Ada", { address: "100.64.0.9" }), "network-blocked");
    world.nowMs -= 60 * minute;
    world.nowMs += 15 * minute;
    assert.equal((await logIn(node, {}, { address: "100.64.0.9" })).kind, "in");
    assert.equal((await logIn(node)).kind, "in");
    await fail(world, 29);
    assert.equal((await logIn(node)).kind, "in");
    await fail(world, 1);
    assert.equal((await logIn(node)).kind, "network-blocked");
  },
};
