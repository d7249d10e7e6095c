import assert from "node:assert/strict";
import { foldUserName } from "../../src/domain/log-in/accounts/account.ts";
import { TooManyLogInsError } from "../../src/domain/log-in/limits/concurrency-limiter.ts";
import { accountKeyOf, accountRateLimit } from "../../src/domain/log-in/limits/rate-limits.ts";
import { addressIn, guess, logIn } from "./browser.ts";
import { oldRecord } from "./hashes.ts";
import { type Node, password, tokensOf, type World } from "./log-in-world.ts";
import type { Scenarios } from "./run-scenarios.ts";

/** Attempts that may be on their way for one account (decision 0023). */
const accountMax = 8;

/** Why log-ins are refused. */
interface Reason {
  readonly name: string;
  /** Prepares the reason; an account has the name unless this says otherwise. */
  readonly prepare?: (world: World, userName: string) => Promise<unknown>;
  readonly hasAccount?: false;
  readonly hasOldHash?: true;
  readonly password?: string;
}

const tries = (count: number) => async (world: World, userName: string) => {
  for (let i = 0; i < count; i += 1) {
    await guess(world.openNode(), userName, { address: addressIn(60_000 + i) });
  }
};

async function hold(world: World, userName: string): Promise<void> {
  await tries(1)(world, userName);
  const key = accountKeyOf(tokensOf(), foldUserName(userName));
  const counted = `UPDATE log_in_counters SET attempts = ${accountRateLimit.blockAt}`;
  await world.database.query(`${counted} WHERE key = '${key}'`);
}

async function disable({ office, database, nowMs }: World, userName: string): Promise<void> {
  const found = `SELECT record_id FROM accounts WHERE user_name = '${userName}'`;
  const [row] = await database.query(found);
  await office.setEnabled(BigInt(String(row?.["record_id"])), false, nowMs);
}

/** The first is what the others are compared with. */
const reasons: readonly Reason[] = [
  { name: "wrong password" },
  { name: "wrong password, three attempts before", prepare: tries(3) },
  { name: "wrong password, old hash", hasOldHash: true },
  { name: "unknown name", hasAccount: false },
  { name: "unknown name, three attempts before", hasAccount: false, prepare: tries(3) },
  { name: "disabled, right password", prepare: disable, password },
  { name: "delayed", prepare: tries(5) },
  { name: "delayed, right password", prepare: tries(5), password },
  { name: "delayed, old hash", hasOldHash: true, prepare: tries(5) },
  { name: "delayed, unknown name", hasAccount: false, prepare: tries(5) },
  { name: "held", prepare: hold },
  { name: "held, unknown name", hasAccount: false, prepare: hold },
];

/** Makes guesses at once, each from its own network; resolves to what is seen of them. */
async function guessAtOnce(
  node: Node,
  guesses: number,
  credentials: { readonly userName: string; readonly password: string },
) {
  const before = node.works.length;
  const calls = Array.from({ length: guesses }, (_, i) =>
    logIn(node, credentials, { address: addressIn(i) }),
  );
  const outcomes = await Promise.all(calls.map((call) => call.catch((cause: Error) => cause.name)));
  const works = node.works.slice(before).map((work) => work.join("; "));
  return { outcomes, works: works.map((work) => work.replace(credentials.password, "it")) };
}

/** Facts that refusals share, so that nothing of an account is learned by their time. */
export const refusalWork: Scenarios = Object.fromEntries(
  [1, 6, 40].map((guesses) => [
    `${guesses} at once cost the same hashes in the same turns, whatever the reason`,
    async (world: World) => {
      await addAccounts(world);
      const seen: Awaited<ReturnType<typeof guessAtOnce>>[] = [];
      for (const [i, { prepare, password: guessed = "not the right one" }] of reasons.entries()) {
        await prepare?.(world, nameOf(i));
        await world.database.query("DELETE FROM log_in_counters WHERE key LIKE 'network:%'");
        const node = world.openNode({ countedMax: 2 });
        seen.push(await guessAtOnce(node, guesses, { userName: nameOf(i), password: guessed }));
      }
      const refused = Math.min(guesses, accountMax);
      const work = `waits for its turn; counts; hashes it as ${await formsOf(world)}; writes`;
      const usual = {
        outcomes: [
          ...Array(refused).fill({ kind: "refused" }),
          ...Array(guesses - refused).fill(new TooManyLogInsError().name),
        ],
        works: [...Array(refused).fill(work), ...Array(guesses - refused).fill("pauses 1000")],
      };
      for (const [i, { name }] of reasons.entries()) assert.deepEqual(seen[i], usual, name);
    },
  ]),
);

const nameOf = (i: number) => `user ${i}`;

async function addAccounts(world: World): Promise<void> {
  const record = await oldRecord(world);
  for (const [i, { hasAccount, hasOldHash }] of reasons.entries()) {
    if (hasAccount !== false) await world.addAccount(nameOf(i), hasOldHash ? record : undefined);
  }
}

/** Forms of all hashes there are: whatever any of them asks for is done for each log-in. */
async function formsOf({ database }: World): Promise<string> {
  const rows = await database.query("SELECT DISTINCT hash_form FROM accounts ORDER BY hash_form");
  assert.equal(rows.length, 2);
  return rows.map((row) => row["hash_form"]).join(" and ");
}
