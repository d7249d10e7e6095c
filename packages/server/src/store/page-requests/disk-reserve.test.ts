import assert from "node:assert/strict";
import { test } from "node:test";
import { type DiskReserve, reserveBytesOf } from "./disk-reserve.ts";

const mebibyte = 1_048_576;

const reserves: readonly [setting: DiskReserve, totalMiB: number, reservedMiB: number][] = [
  ["auto", 1_000_000, 50_000],
  ["auto", 5_120, 256],
  ["auto", 1_024, 256],
  ["auto", 64, 16],
  [100, 1_000_000, 100],
  [100, 64, 100],
  [0, 64, 0],
];

for (const [setting, totalMiB, reservedMiB] of reserves) {
  test(`of a disk of ${totalMiB} MiB, ${reservedMiB} are reserved with the setting ${setting}`, () => {
    const space = { folder: "/", freeBytes: 0, totalBytes: totalMiB * mebibyte };
    assert.equal(reserveBytesOf(space, setting), reservedMiB * mebibyte);
  });
}
