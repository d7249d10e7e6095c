import assert from "node:assert/strict";
import { test } from "node:test";
import { BlockedNetworks } from "./blocked-networks.ts";

test("a blocked network is known for a second, and never longer than it is blocked", () => {
  const networks = new BlockedNetworks();
  assert.equal(networks.find("a", 0), undefined);
  assert.equal(networks.add("a", 1_500, 0), true);
  assert.equal(networks.find("a", 999), 1_500);
  assert.equal(networks.find("a", 1_000), undefined);
  assert.equal(networks.find("b", 0), undefined);
  assert.equal(networks.add("a", 1_500, 1_000), false);
  assert.equal(networks.find("a", 1_499), 1_500);
  assert.equal(networks.find("a", 1_500), undefined);
  assert.equal(networks.add("a", 9_000, 1_600), true);
});

test("a flood of networks leaves the latest thousand", () => {
  const networks = new BlockedNetworks();
  for (let i = 0; i <= 2_000; i += 1) networks.add(`network ${i}`, 500, 0);
  assert.equal(networks.find("network 1001", 0), 500);
  assert.equal(networks.find("network 0", 0), undefined);
});
