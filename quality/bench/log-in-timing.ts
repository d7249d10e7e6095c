import { randomBytes } from "node:crypto";
import { KeepAliveClient } from "../harness/keep-alive-client.ts";
import { median } from "../harness/tables.ts";
import {
  prepareLogIns,
  spendAttempts,
  startLogInServer,
  usualAccounts,
} from "./log-in-database.ts";
import { type BenchResult, type BenchRow, timesOf } from "./results.ts";
import { compareSamples } from "./two-samples.ts";
import { accountName, rightPassword, writeLogIn } from "./workload.ts";

/** Guesses that are made at the same time, and how often. */
export interface TimingLevel {
  /** Guesses of one round: for one account at most eight, all that may wait (decision 0023). */
  readonly atOnce: number;
  /** Rounds of unknown names and of wrong passwords. Times accounts of a round, 1,000 at most. */
  readonly rounds: number;
  /** Rounds of the other kinds. */
  readonly others: number;
}

/** Attempts that fail for one reason. The first kind of several is the reference. */
interface Kind {
  readonly name: string;
  readonly rounds: number;
  readonly userName: (i: number) => string;
  readonly password: string;
  /** True when all come from the blocked network. */
  readonly isNetworkBlocked?: boolean;
}

/** A row, and a sentence where it differs from its reference. */
interface Timed {
  readonly row: BenchRow;
  readonly difference: string | undefined;
}

/** Probability below which two kinds count as different. */
const sureBelow = 0.01;
const wrongPassword = "six small grey pigeons";
const mostOfAccount = 8;
/** Accounts without verified attempts; any number of attempts on each gets the same response. */
const spentCount = 10;
const minuteMs = 60_000;
/** Three attempts: of six more, two are verified. */
const usedAgoMs = [60, 59, 58].map((seconds) => seconds * 1_000);
/** Ten attempts, as fast as the delays between them allow: the next is verified in 15 minutes. */
const delayedAgoMs = [60, 60, 60, 60, 60, 58, 55, 50, 41, 24].map((seconds) => seconds * 1_000);
/** A hundred attempts, one in 16 minutes. */
const heldAgoMs = Array.from({ length: 100 }, (_, i) => (100 - i) * 16 * minuteMs);

/**
 * Measures refused log-ins by reason, in concurrent rounds in random order, each kind beside
 * unknown names; once with our hashes only, and once with half of them from an old system.
 */
export async function benchLogInTiming(levels: readonly TimingLevel[]): Promise<BenchResult> {
  const found: Timed[] = [];
  for (const level of levels) {
    found.push(...(await timeOwnHashes(level)), ...(await timeMixedHashes(level)));
  }
  const notes = found.flatMap(({ difference }) => difference ?? []);
  const about = `The last response of each round. The ratio is of the median to that of unknown names. Those that differ from them with p below ${sureBelow} (Kolmogorov–Smirnov): ${notes.length === 0 ? "none." : ""}`;
  return { rows: found.map(({ row }) => row), notes: [about.trimEnd(), ...notes] };
}

async function timeOwnHashes(level: TimingLevel): Promise<readonly Timed[]> {
  const { rounds, others } = level;
  const [used, disabled] = ["used", "disabled"].map((name) =>
    names(name, others * accountsOf(level)),
  ) as [string[], string[]];
  const delayed = names("delayed", spentCount);
  const held = names("held", spentCount);
  const url = await prepareLogIns([
    ...usualAccounts,
    ...disabled.map((userName) => ({ userName, isEnabled: false })),
    ...[...used, ...delayed, ...held].map((userName) => ({ userName })),
  ]);
  const key = randomBytes(32).toString("base64url");
  const delayedUnknown = names("delayed-unknown", spentCount);
  await spendAttempts(url, key, used, usedAgoMs);
  await spendAttempts(url, key, [...delayed, ...delayedUnknown], delayedAgoMs);
  await spendAttempts(url, key, held, heldAgoMs);
  return time(url, key, level, [
    unknown("unknown name", rounds),
    unknown("unknown name, once more", rounds),
    wrong("wrong password", rounds, accountName),
    wrong("wrong password, three attempts before", others, pick(used)),
    { ...wrong("disabled, right password", others, pick(disabled)), password: rightPassword },
    wrong("delayed", others, pick(delayed)),
    wrong("delayed, unknown name", others, pick(delayedUnknown)),
    wrong("held", others, pick(held)),
    { ...unknown("network held: unknown name", others), isNetworkBlocked: true },
    { ...wrong("network held: wrong password", others, accountName), isNetworkBlocked: true },
  ]);
}

async function timeMixedHashes(level: TimingLevel): Promise<readonly Timed[]> {
  const { others } = level;
  const half = usualAccounts.map((account, i) => ({ ...account, isRehashed: i % 2 === 1 }));
  const delayed = names("delayed", spentCount).map((userName) => ({ userName, isRehashed: true }));
  const url = await prepareLogIns([...half, ...delayed]);
  const key = randomBytes(32).toString("base64url");
  const delayedNames = delayed.map(({ userName }) => userName);
  await spendAttempts(url, key, delayedNames, delayedAgoMs);
  return time(url, key, level, [
    unknown("old hashes: unknown name", others),
    wrong("old hashes: wrong password, our hash", others, (i) => accountName(2 * i)),
    wrong("old hashes: wrong password, old hash", others, (i) => accountName(2 * i + 1)),
    wrong("old hashes: delayed, old hash", others, pick(delayedNames)),
  ]);
}

const names = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, i) => `${prefix}-${i}`);
const pick = (from: readonly string[]) => (i: number) => from[i % from.length] ?? "";

function unknown(name: string, rounds: number): Kind {
  return wrong(name, rounds, (i) => `${name}-${i}`);
}

function wrong(name: string, rounds: number, userName: (i: number) => string): Kind {
  return { name, rounds, userName, password: wrongPassword };
}

/** Accounts that the guesses of one round are spread over. */
function accountsOf({ atOnce }: TimingLevel): number {
  return Math.ceil(atOnce / mostOfAccount);
}

/** Times of the rounds of one kind, in milliseconds. */
interface Rounds {
  /** First response of each. */
  readonly first: number[];
  /** Last response of each. */
  readonly last: number[];
}

const heldNetwork = 2 ** 23 - 1;

/** Makes the rounds of all kinds in random order; compares each with its reference kind. */
async function time(
  url: string,
  key: string,
  level: TimingLevel,
  kinds: readonly Kind[],
): Promise<readonly Timed[]> {
  const server = await startLogInServer(url, { WFH_SECRET_KEYS: key });
  const connections = Array.from({ length: level.atOnce }, () => new KeepAliveClient(server.url));
  const times = new Map(kinds.map((kind) => [kind, { first: [], last: [] } as Rounds]));
  await warmUp(connections[0] as KeepAliveClient);
  const rounds = kinds.flatMap((kind) =>
    Array.from({ length: kind.rounds }, (_, i) => ({ kind, i })),
  );
  for (const [at, { kind, i }] of shuffle(rounds).entries()) {
    const guesses = connections.map((connection, j) => {
      const account = kind.userName(i * accountsOf(level) + Math.floor(j / mostOfAccount));
      const network = kind.isNetworkBlocked ? heldNetwork : at * level.atOnce + j;
      return guess(connection, kind, { userName: account, network });
    });
    const ms = await Promise.all(guesses);
    times.get(kind)?.first.push(Math.min(...ms));
    times.get(kind)?.last.push(Math.max(...ms));
    process.stderr.write(`\r${level.atOnce} at once: round ${at + 1} of ${rounds.length}   `);
  }
  process.stderr.write("\n");
  for (const connection of connections) connection.close();
  server.stop();
  return kinds.map((kind) => {
    const base =
      kinds.find(({ isNetworkBlocked }) => isNetworkBlocked === kind.isNetworkBlocked) ?? kind;
    return compareKinds(`${level.atOnce} at once: ${kind.name}`, times.get(kind), times.get(base));
  });
}

async function guess(
  connection: KeepAliveClient,
  { name, password, isNetworkBlocked }: Kind,
  from: { readonly userName: string; readonly network: number },
): Promise<number> {
  const call = writeLogIn({ binding: "json", password, ...from });
  const { status, body, ms } = await connection.call(call);
  const isAsExpected = body.includes(isNetworkBlocked ? "Too many" : "Log-in failed");
  if (status !== 200 || !isAsExpected) throw new Error(`${name}: ${status} ${body}`);
  return ms;
}

const warmUpCount = 100;
/** More than a network may fail, so that it is held. */
const holdingCount = 40;

async function warmUp(connection: KeepAliveClient): Promise<void> {
  for (let i = 0; i < warmUpCount + holdingCount; i += 1) {
    const network = i < warmUpCount ? 2 ** 23 + i : heldNetwork;
    const call = { binding: "json", userName: `warm-up-${i}`, password: wrongPassword } as const;
    await connection.call(writeLogIn({ ...call, network }));
  }
}

function shuffle<Value>(values: readonly Value[]): readonly Value[] {
  return values
    .map((value) => ({ value, at: Math.random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ value }) => value);
}

const noRounds: Rounds = { first: [], last: [] };

/** Compares the rounds of a kind with those of its reference, first and last responses. */
function compareKinds(what: string, own = noRounds, base = noRounds): Timed {
  const differences = (["first", "last"] as const).flatMap((which) => {
    const { distance, p } = compareSamples(own[which], base[which]);
    if (p >= sureBelow) return [];
    const laterMs = (median(own[which]) - median(base[which])).toFixed(2);
    const facts = `distance ${distance.toFixed(3)}, p ${formatP(p)}`;
    return [`${which} response ${laterMs} ms later, ${facts}`];
  });
  const difference = differences.length === 0 ? undefined : `${what}: ${differences.join("; ")}.`;
  const ratio = median(own.last) / median(base.last);
  return { row: { what, ...timesOf(own.last), ratio }, difference };
}

function formatP(p: number): string {
  return p < 0.001 ? p.toExponential(0) : p.toFixed(3);
}
