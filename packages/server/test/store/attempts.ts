import assert from "node:assert/strict";
import {
  accountRateLimit,
  networkRateLimit,
  type RateLimit,
  type RateLimitDecision,
} from "../../src/domain/log-in/limits/rate-limits.ts";
import type { Engine } from "./engines.ts";
import { onDatabase } from "./on-database.ts";
import { arrivalMs, openTestStore, type ReportingStore } from "./sample.ts";

const never = 2_000_000_000;
const endless = Number.POSITIVE_INFINITY;

/** Three in a second, without delays. */
const plain: RateLimit = {
  windowMax: 3,
  windowMs: 1_000,
  windowFrom: "first",
  delayFrom: never,
  delayMs: 0,
  delayMaxMs: 0,
  blockAt: never,
};

const delaying: RateLimit = {
  ...plain,
  windowMax: 100,
  windowMs: 10_000,
  delayFrom: 2,
  delayMs: 100,
  delayMaxMs: 350,
  blockAt: 6,
};

/** An attempt at a time, its end, the count then, and when the next may be. */
type Step = readonly [atMs: number, response: "allowed" | "refused", count: number, nextMs: number];

const cases: readonly { name: string; rule: RateLimit; steps: readonly Step[] }[] = [
  {
    name: "a window that begins with its first attempt",
    rule: plain,
    steps: [
      [0, "allowed", 1, 0],
      [0, "allowed", 2, 0],
      [10, "allowed", 3, 1_000],
      [999, "refused", 3, 1_000],
      [1_000, "allowed", 4, 1_000],
      [1_001, "allowed", 5, 1_001],
      [1_002, "allowed", 6, 2_000],
      [1_003, "refused", 6, 2_000],
    ],
  },
  {
    name: "a window that ends after its latest attempt, which a refused one is not",
    rule: { ...plain, windowFrom: "latest" },
    steps: [
      [0, "allowed", 1, 0],
      [999, "allowed", 2, 999],
      [1_500, "allowed", 3, 2_500],
      [2_400, "refused", 3, 2_500],
      [2_500, "allowed", 4, 2_500],
      [3_499, "allowed", 5, 3_499],
      [4_499, "allowed", 6, 4_499],
    ],
  },
  {
    name: "delays that double up to the longest, and a hold",
    rule: delaying,
    steps: [
      [0, "allowed", 1, 0],
      [0, "allowed", 2, 100],
      [99, "refused", 2, 100],
      [100, "allowed", 3, 300],
      [299, "refused", 3, 300],
      [300, "allowed", 4, 650],
      [650, "allowed", 5, 1_000],
      [999, "refused", 5, 1_000],
      [1_000, "allowed", 6, endless],
      [1_000_000_000, "refused", 6, endless],
    ],
  },
  {
    name: "a clock that is set back by no more than the window",
    rule: { ...plain, windowMax: 1 },
    steps: [
      [5_000, "allowed", 1, 6_000],
      [4_000, "refused", 1, 6_000],
    ],
  },
  {
    name: "a clock that is set back by more than the window",
    rule: { ...plain, windowMax: 1 },
    steps: [
      [5_000, "allowed", 1, 6_000],
      [3_999, "allowed", 2, 4_999],
      [4_998, "refused", 2, 4_999],
      [4_999, "allowed", 3, 5_999],
    ],
  },
  {
    name: "a clock that is set back during a delay",
    rule: { ...delaying, windowMs: 200, delayFrom: 1 },
    steps: [
      [50_000, "allowed", 1, 50_100],
      [49_750, "refused", 1, 50_100],
      [49_749, "allowed", 2, 49_949],
    ],
  },
  {
    name: "two nodes, the clock of one a minute ahead",
    rule: accountRateLimit,
    steps: [
      [60_000, "allowed", 1, 60_000],
      [0, "allowed", 2, 0],
      [60_000, "allowed", 3, 60_000],
      [0, "allowed", 4, 0],
    ],
  },
  {
    name: "the ten attempts that an account has",
    rule: accountRateLimit,
    steps: [
      [0, "allowed", 1, 0],
      [0, "allowed", 2, 0],
      [0, "allowed", 3, 0],
      [0, "allowed", 4, 0],
      [0, "allowed", 5, 1_000],
      [999, "refused", 5, 1_000],
      [1_000, "allowed", 6, 3_000],
      [3_000, "allowed", 7, 7_000],
      [7_000, "allowed", 8, 15_000],
      [15_000, "allowed", 9, 31_000],
      [31_000, "allowed", 10, 931_000],
      [930_999, "refused", 10, 931_000],
      [931_000, "allowed", 11, 995_000],
    ],
  },
];

/** Counts of attempts, for all nodes together. */
export function describeAttempts(engine: Engine): void {
  for (const { name, rule, steps } of cases) {
    onDatabase(engine, `counts attempts: ${name}`, async ({ url }) => {
      const { store } = await openTestStore(url);
      for (const [atMs, response, attempts, nextMs] of steps) {
        const nowMs = arrivalMs + atMs;
        const expected = {
          isAllowed: response === "allowed",
          attempts,
          nextAtMs: arrivalMs + nextMs,
        } satisfies RateLimitDecision;
        assert.deepEqual(await store.logIn.consume("a", rule, nowMs), expected, `at ${atMs}`);
      }
      const other = await store.logIn.consume("b", rule, arrivalMs);
      assert.deepEqual([other.isAllowed, other.attempts], [true, 1]);
      await store.close();
    });
  }

  onDatabase(engine, "doubles a delay as often as there are attempts", async ({ url }) => {
    const { store } = await openTestStore(url);
    const rule = { ...delaying, delayFrom: 1, delayMs: 1, delayMaxMs: 2 ** 40, blockAt: 100 };
    let nowMs = arrivalMs;
    for (let attempt = 1; attempt < 100; attempt++) {
      const { isAllowed, nextAtMs } = await store.logIn.consume("a", rule, nowMs);
      assert.equal(isAllowed, true);
      assert.equal(nextAtMs - nowMs, 2 ** Math.min(attempt - 1, 40));
      nowMs = nextAtMs;
    }
    await store.close();
  });

  const limits: readonly [limit: string, rule: RateLimit, allowed: number][] = [
    ["a window", networkRateLimit, 30],
    ["a delay", accountRateLimit, 5],
    ["a hold", { ...plain, windowMax: never, blockAt: 40 }, 40],
  ];
  for (const [limit, rule, allowed] of limits) {
    onDatabase(
      engine,
      `allows no attempt beyond ${limit}, on two nodes at once`,
      async ({ url }) => {
        const nodes = [await openTestStore(url), await openTestStore(url)];
        const reservations: RateLimitDecision[] = [];
        const reserve = async ({ store }: ReportingStore) => {
          for (let count = 0; count < 10; count++) {
            reservations.push(await store.logIn.consume("a", rule, arrivalMs));
          }
        };
        await Promise.all(nodes.flatMap((node) => Array.from({ length: 50 }, () => reserve(node))));
        assert.equal(reservations.length, 1_000);
        const counts = reservations.flatMap(({ isAllowed, attempts }) =>
          isAllowed ? attempts : [],
        );
        assert.deepEqual(
          counts.toSorted((one, other) => one - other),
          Array.from({ length: allowed }, (_, index) => index + 1),
        );
        for (const { store } of nodes) await store.close();
      },
    );
  }
}
