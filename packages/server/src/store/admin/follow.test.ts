import assert from "node:assert/strict";
import { test } from "node:test";
import { type FollowQueries, findFollowStart } from "./follow.ts";

/** Transactions that are open at one look after the other. */
type Looks = Awaited<ReturnType<FollowQueries["listOpen"]>>[];

async function waitFor(looks: Looks) {
  const waits: number[] = [];
  const reports: string[] = [];
  const queries = {
    findLastId: async () => 7n,
    findNewest: async (end: bigint) => end,
    listOpen: async () => looks.shift() ?? [],
  };
  const pause = async (ms: number) => {
    waits.push(ms);
  };
  await findFollowStart(queries, { pause, report: (message) => reports.push(message) });
  return { waits, reports };
}

const one = { name: "3/15", pid: 101 };
const other = { name: "4/20", pid: 102 };

test("a follower waits for transactions that were open when it looked, and for no others", async () => {
  assert.deepEqual(await waitFor([[one], [one, other], [other], [other]]), {
    waits: [20, 40],
    reports: [],
  });
});

test("a follower waits for a transaction that was prepared meanwhile, under its new name", async () => {
  const prepared = { name: "-1/812", pid: null };
  assert.deepEqual((await waitFor([[one], [prepared], [prepared]])).waits, [20, 40, 80]);
});

test("a transaction that does not end is reported once, and looked at more seldom", async () => {
  const { waits, reports } = await waitFor(Array(12).fill([one]));
  assert.deepEqual(waits, [20, 40, 80, 160, 320, 640, 1_280, 2_560, 2_560, 2_560, 2_560, 2_560]);
  assert.deepEqual(reports, [
    "Waiting for transactions that may still add page requests (pg_stat_activity: 101)",
  ]);
});
