import assert from "node:assert/strict";
import type { Store } from "../../src/store/store.ts";
import type { Engine, TestDatabase } from "./engines.ts";
import { onDatabase } from "./on-database.ts";
import { arrivalMs, openTestStore } from "./sample.ts";

const durationMs = 60_000;
const dayMs = 86_400_000;

/** So many nodes on one database, each with connections of its own. */
async function openNodes(database: TestDatabase, count: number) {
  let nowMs = arrivalMs;
  const setTime = async (ms: number) => {
    nowMs = ms;
    await database.setTime(ms);
  };
  await setTime(arrivalMs);
  const stores: Store[] = [];
  for (let i = 0; i < count; i += 1) {
    stores.push((await openTestStore(database.url, { now: () => nowMs })).store);
  }
  const leases = stores.map((store) => store.lease("job", durationMs));
  const close = () => Promise.all(stores.map((store) => store.close()));
  return { leases, setTime, close };
}

/** Who may do what only one of several nodes may do. */
export function describeLeases(engine: Engine): void {
  onDatabase(engine, "gives a lease to one of several who want it at once", async (database) => {
    const { leases, close } = await openNodes(database, 4);
    const taken = await Promise.all(leases.map((lease) => lease.acquire()));
    assert.equal(taken.filter(Boolean).length, 1);
    await close();
  });

  const stories: readonly {
    name: string;
    /** Steps at times in milliseconds, and their results; a release has none. */
    steps: readonly (readonly [atMs: number, who: "a" | "b", what: boolean | "release"])[];
  }[] = [
    {
      name: "keeps others out until its holder gives it back",
      steps: [
        [0, "a", true],
        [1, "b", false],
        [2, "a", "release"],
        [3, "b", true],
      ],
    },
    {
      name: "is lost by a holder that died, but not too early",
      steps: [
        [0, "a", true],
        [durationMs - 1, "b", false],
        [durationMs, "b", true],
        [durationMs, "a", false],
      ],
    },
    {
      name: "is extended by its holder",
      steps: [
        [0, "a", true],
        [durationMs - 1, "a", true],
        [durationMs, "b", false],
        [2 * durationMs - 1, "b", true],
      ],
    },
    {
      name: "is not given back by one who has lost it",
      steps: [
        [0, "a", true],
        [durationMs, "b", true],
        [durationMs, "a", "release"],
        [durationMs, "a", false],
      ],
    },
    {
      name: "does not outlive a clock that was ahead",
      steps: [
        [401 * dayMs, "a", true],
        [0, "b", true],
      ],
    },
  ];
  for (const { name, steps } of stories) {
    onDatabase(engine, `a lease ${name}`, async (database) => {
      const { leases, setTime, close } = await openNodes(database, 2);
      for (const [atMs, who, what] of steps) {
        await setTime(arrivalMs + atMs);
        const lease = leases[who === "a" ? 0 : 1];
        if (what === "release") await lease?.release();
        else assert.equal(await lease?.acquire(), what, `${who} at ${atMs}`);
      }
      await close();
    });
  }
}
