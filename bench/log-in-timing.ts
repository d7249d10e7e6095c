import { randomBytes } from "node:crypto";
import { Connection } from "./connection.ts";
import { prepareLogIns, spendAttempts, usualAccounts } from "./log-in-database.ts";
import { startLogInServer } from "./log-in-server.ts";
import { accountName, rightPassword, writeLogIn } from "./log-in-work.ts";
import { median, renderMarkdown } from "./results.ts";
import { compareSamples } from "./two-samples.ts";

/** How many attempts of each kind are timed. */
export interface TimingPlan {
  /** Of unknown names and of wrong passwords; 1,000 at most, one for each account. */
  readonly attempts: number;
  /** Of the other kinds. */
  readonly others: number;
}

/** Attempts that fail for one reason. The first kind of several is what the others are compared with. */
interface Kind {
  readonly name: string;
  readonly count: number;
  /** What is sent the i-th time. */
  readonly credentials: (i: number) => { readonly userName: string; readonly password: string };
}

const wrongPassword = "six small grey pigeons";
/** Accounts of which no attempt is verified; any number of attempts on each is answered alike. */
const spentCount = 10;
const minuteMs = 60_000;
/** Ten attempts, as fast as the delays between them allow: the next is verified in 15 minutes. */
const delayedAgoMs = [60, 60, 60, 60, 60, 58, 55, 50, 41, 24].map((seconds) => seconds * 1_000);
/** A hundred attempts, one in 16 minutes. */
const heldAgoMs = Array.from({ length: 100 }, (_, i) => (100 - i) * 16 * minuteMs);

/**
 * Time of refused log-ins by their reason, one after the other in random order, each kind beside unknown names;
 * once where all hashes are ours, and once where half of them came from an old system.
 */
export async function benchLogInTiming({ attempts, others }: TimingPlan): Promise<string> {
  const names = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, i) => `${prefix}-${i}`);
  const [disabled, delayed, held] = [names("disabled", others), spent("delayed"), spent("held")];
  const accounts = [
    ...usualAccounts,
    ...disabled.map((userName) => ({ userName, isEnabled: false })),
    ...[...delayed, ...held].map((userName) => ({ userName })),
  ];
  const url = await prepareLogIns(accounts);
  const key = randomBytes(32).toString("base64url");
  await spendAttempts(url, key, delayed, delayedAgoMs);
  await spendAttempts(url, key, held, heldAgoMs);
  const ownRows = await time(url, key, [
    unknown("unknown name", attempts),
    unknown("unknown name, once more", attempts),
    wrong("wrong password", attempts, accountName),
    {
      ...wrong("disabled, right password", others, pick(disabled)),
      credentials: rightFor(disabled),
    },
    wrong("delayed", others, pick(delayed)),
    wrong("held", others, pick(held)),
  ]);
  const half = usualAccounts.map((account, i) => ({ ...account, isWrapped: i % 2 === 1 }));
  const mixedRows = await time(await prepareLogIns(half), key, [
    unknown("old hashes: unknown name", others),
    wrong("old hashes: wrong password, our hash", others, (i) => accountName(2 * i)),
    wrong("old hashes: wrong password, old hash", others, (i) => accountName(2 * i + 1)),
  ]);
  return renderMarkdown([heading, ...ownRows, ...mixedRows]);
}

const spent = (prefix: string) => Array.from({ length: spentCount }, (_, i) => `${prefix}-${i}`);
const pick = (names: readonly string[]) => (i: number) => names[i % names.length] ?? "";
const rightFor = (names: readonly string[]) => (i: number) => ({
  userName: pick(names)(i),
  password: rightPassword,
});

function unknown(name: string, count: number): Kind {
  return wrong(name, count, (i) => `${name}-${i}`);
}

function wrong(name: string, count: number, userName: (i: number) => string): Kind {
  const credentials = (i: number) => ({ userName: userName(i), password: wrongPassword });
  return { name, count, credentials };
}

/** Makes the attempts of all kinds in random order, and compares each kind with the first. */
async function time(url: string, key: string, kinds: readonly Kind[]): Promise<string[][]> {
  const server = await startLogInServer(url, { WFH_SECRET_KEYS: key });
  const connection = new Connection(server.url);
  const times = new Map<Kind, number[]>(kinds.map((kind) => [kind, []]));
  await warmUp(connection);
  const attempts = kinds.flatMap((kind) =>
    Array.from({ length: kind.count }, (_, i) => ({ kind, i })),
  );
  for (const [at, { kind, i }] of shuffle(attempts).entries()) {
    const call = { binding: "json", network: at, ...kind.credentials(i) } as const;
    const { status, body, ms } = await connection.ask(writeLogIn(call));
    if (status !== 200 || !body.includes("Log-in failed")) throw new Error(`${kind.name}: ${body}`);
    times.get(kind)?.push(ms);
    process.stderr.write(`\rattempt ${at + 1} of ${attempts.length}   `);
  }
  process.stderr.write("\n");
  connection.close();
  server.stop();
  const [first = []] = times.values();
  return [...times].map(([kind, own]) => rowOf(kind, own, first));
}

const warmUpCount = 100;

async function warmUp(connection: Connection): Promise<void> {
  for (let i = 0; i < warmUpCount; i += 1) {
    const { credentials } = unknown("warm-up", warmUpCount);
    const network = 2 ** 23 + i;
    await connection.ask(writeLogIn({ binding: "json", network, ...credentials(i) }));
  }
}

function shuffle<Value>(values: readonly Value[]): readonly Value[] {
  return values
    .map((value) => ({ value, at: Math.random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ value }) => value);
}

const heading = [
  "refused for",
  "attempts",
  "median ms",
  "p95 ms",
  "later by, ms",
  "KS distance",
  "p",
];

function rowOf({ name }: Kind, own: readonly number[], first: readonly number[]): string[] {
  const sorted = [...own].sort((a, b) => a - b);
  const figures = [String(own.length), median(own).toFixed(2)];
  const p95 = (sorted[Math.floor(own.length * 0.95)] ?? 0).toFixed(2);
  if (own === first) return [name, ...figures, p95, "", "", ""];
  const { distance, p } = compareSamples(own, first);
  const later = (median(own) - median(first)).toFixed(2);
  const shown = p < 0.001 ? p.toExponential(0) : p.toFixed(3);
  return [name, ...figures, p95, later, distance.toFixed(3), shown];
}
