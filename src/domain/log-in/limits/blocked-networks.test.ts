import assert from "node:assert/strict";
import { test } from "node:test";
import { createBlockedNetworks } from "./blocked-networks.ts";

test("a held network is known for a second, and never longer than it is held", () => {
  const networks = createBlockedNetworks();
  assert.equal(networks.find("a", 0), undefined);
  assert.equal(networks.keep("a", 1_500, 0), true);
  assert.equal(networks.find("a", 999), 1_500);
  assert.equal(networks.find("a", 1_000), undefined);
  assert.equal(networks.find("b", 0), undefined);
  assert.equal(networks.keep("a", 1_500, 1_000), false);
  assert.equal(networks.find("a", 1_499), 1_500);
  assert.equal(networks.find("a", 1_500), undefined);
  assert.equal(networks.keep("a", 9_000, 1_600), true);
});

test("of a thousand networks and one, the last is known", () => {
  const networks = createBlockedNetworks();
  for (let i = 0; i <= 1_000; i += 1) networks.keep(`network ${i}`, 500, 0);
  assert.equal(networks.find("network 1000", 0), 500);
  assert.equal(networks.find("network 0", 0), undefined);
});
