import assert from "node:assert/strict";
import { test } from "node:test";
import { addressPrefix, maskAddress } from "./network.ts";

const table: readonly [address: string, network: string | null][] = [
  ["192.0.2.17", "192.0.2.0/24"],
  ["255.255.255.255", "255.255.255.0/24"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"],
  ["2001:DB8:0001::1", "2001:db8:1::/48"],
  ["2001:db8::1", "2001:db8::/48"],
  ["2001:0:1::", "2001:0:1::/48"],
  ["::1", "::/48"],
  ["::", "::/48"],
  ["fe80::1%eth0", "fe80::/48"],
  ["::ffff:192.0.2.17", "192.0.2.0/24"],
  ["::ffff:c000:0211", "192.0.2.0/24"],
  ["64:ff9b::192.0.2.17", "192.0.2.0/24"],
  ["64:ff9b::c000:211", "192.0.2.0/24"],
  ["64:ff9b:1::192.0.2.17", "64:ff9b:1::/48"],
  ["2002:c000:204::1", "2002:c000:200::/40"],
  ["2002:c000:4::1", "2002:c000::/40"],
  ["2002::", "2002::/40"],
  ["1:2:3:4:5:6:7:8", "1:2:3::/48"],
  ["1::2:3:4:5:6:7:8", null],
  ["1:2:3:4:5:6:7", null],
  ["1:2:3:4:5:6:7:8:9", null],
  [":1:2:3:4:5:6:7", null],
  ["1::2::3", null],
  ["12345::", null],
  ["g::", null],
  ["192.0.2", null],
  ["192.0.2.256", null],
  ["192.0.2.017", null],
  ["192.0.2.1.2", null],
  ["localhost", null],
  ["", null],
];
for (const [address, network] of table) {
  test(`maskAddress() makes ${network} of "${address}"`, () => {
    assert.equal(maskAddress(address), network);
  });
}

const prefixes: readonly [address: string, prefix: string | null][] = [
  ["192.0.2.17", "192.0.2.0/24"],
  ["2001:db8:1:2345::1", "2001:db8:1:2300::/56"],
  ["2001:db8:1:23ff::1", "2001:db8:1:2300::/56"],
  ["2001:db8:1:24::1", "2001:db8:1::/56"],
  ["2002:c000:204::1", "2002:c000:200::/40"],
  ["no address", null],
];
for (const [address, prefix] of prefixes) {
  test(`addressPrefix() makes ${prefix} of "${address}"`, () => {
    assert.equal(addressPrefix(address), prefix);
  });
}
