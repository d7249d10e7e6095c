import {
  accountRateLimit,
  networkRateLimit,
} from "@wfh/server/domain/log-in/limits/rate-limits.ts";
import { renderMarkdown } from "../harness/tables.ts";

/** Kinds of calls that are told apart. */
export const groups = ["page requests", "look-ups", "log-ins"] as const;

/** One of them. */
export type Group = (typeof groups)[number];

/** Outcomes of a group's calls; see `KindTally`. */
export interface GroupCount {
  readonly failed: number;
  readonly statuses: Readonly<Record<number, number>>;
  readonly wrong: number;
  /** Longest time without a right response, in milliseconds. */
  readonly gapMs: number;
}

/** Outcome of one run of a fault. */
export interface RunOutcome {
  readonly fault: string;
  /** True when no call may fail. */
  readonly isGraceful: boolean;
  /** Calls in flight when the fault came. */
  readonly inFlight: number;
  /** Page requests: see `SentLogFinding`. */
  readonly acknowledged: number;
  readonly lost: number;
  readonly duplicated: number;
  /** Rows with other fields than were sent. */
  readonly foreign: number;
  readonly calls: Readonly<Record<Group, GroupCount>>;
  /** Passwords of one account that were verified, and were wrong. */
  readonly guessesOfAccount: number;
  /** Guesses from one network that were let through. */
  readonly guessesOfNetwork: number;
  readonly examples: readonly string[];
}

/** All runs of one fault together. */
export interface FaultRow {
  readonly fault: string;
  readonly runs: number;
  readonly inFlight: number;
  readonly acknowledged: number;
  readonly lost: number;
  readonly duplicated: number;
  /** Wrong responses, and rows with other fields than were sent. */
  readonly wrong: number;
  readonly failed: Readonly<Record<Group, number>>;
  /** Statuses of those that failed, each with how often it came; 0 where no response came. */
  readonly statuses: readonly (readonly [group: Group, status: string, count: number])[];
  /** The most of any run; see `RunOutcome`. */
  readonly guesses: Readonly<Record<"account" | "network", number>>;
  /** The longest of any run. */
  readonly secondsWithout: Readonly<Record<Group, number>>;
}

/** The table of faults. */
export function toRows(outcomes: readonly RunOutcome[]): readonly FaultRow[] {
  const byFault = Map.groupBy(outcomes, ({ fault }) => fault);
  return [...byFault].map(([fault, runs]) => {
    const sum = (of: (run: RunOutcome) => number) => runs.reduce((all, run) => all + of(run), 0);
    const ofGroups = (of: (group: Group) => number) =>
      Object.fromEntries(groups.map((group) => [group, of(group)])) as Record<Group, number>;
    return {
      fault,
      runs: runs.length,
      inFlight: sum(({ inFlight }) => inFlight),
      acknowledged: sum(({ acknowledged }) => acknowledged),
      lost: sum(({ lost }) => lost),
      duplicated: sum(({ duplicated }) => duplicated),
      wrong: sum(wrongOf),
      failed: ofGroups((group) => sum(({ calls }) => calls[group].failed)),
      statuses: runs.flatMap(({ calls }) =>
        groups.flatMap((group) =>
          Object.entries(calls[group].statuses).map(
            ([status, count]) => [group, status, count] as const,
          ),
        ),
      ),
      guesses: {
        account: Math.max(...runs.map(({ guessesOfAccount }) => guessesOfAccount)),
        network: Math.max(...runs.map(({ guessesOfNetwork }) => guessesOfNetwork)),
      },
      secondsWithout: ofGroups((group) =>
        Math.max(...runs.map(({ calls }) => Math.round(calls[group].gapMs / 100) / 10)),
      ),
    };
  });
}

/**
 * Counts failed calls: without a node's response, or with 503, except log-ins, which get 503 also
 * on a machine that is busy with other work.
 */
function failedOf({ calls }: RunOutcome): number {
  const interrupted = [0, 502, 504].map((status) => calls["log-ins"].statuses[status] ?? 0);
  const failed = [calls["page requests"].failed, calls["look-ups"].failed];
  return [...failed, ...interrupted].reduce((all, count) => all + count, 0);
}

function wrongOf({ calls, foreign }: RunOutcome): number {
  return groups.reduce((all, group) => all + calls[group].wrong, foreign);
}

/** Everything that is not as promised, a sentence each. */
export function findFailures(outcomes: readonly RunOutcome[]): readonly string[] {
  return outcomes.flatMap((run) => {
    const failures: readonly (readonly [isSo: boolean, text: string])[] = [
      [run.lost > 0, `${run.lost} acknowledged page requests are lost`],
      [run.duplicated > 0, `${run.duplicated} page requests are stored twice`],
      [wrongOf(run) > 0, `${wrongOf(run)} responses or rows are wrong: ${run.examples.join("; ")}`],
      [run.isGraceful && failedOf(run) > 0, `${failedOf(run)} calls failed, and none may`],
      [run.acknowledged === 0, "no page request was acknowledged"],
      [
        run.guessesOfAccount > accountRateLimit.windowMax,
        `${run.guessesOfAccount} passwords of an account were verified`,
      ],
      [
        run.guessesOfNetwork > networkRateLimit.windowMax,
        `${run.guessesOfNetwork} guesses from a network were let through`,
      ],
    ];
    return failures.filter(([isSo]) => isSo).map(([, text]) => `${run.fault}: ${text}`);
  });
}

/** The table as Markdown. */
export function renderTable(rows: readonly FaultRow[]): string {
  const heads = [
    "fault",
    "runs",
    "in flight",
    "acknowledged",
    "lost",
    "duplicated",
    "wrong",
    ...groups.map((group) => `failed ${group}`),
    ...groups.map((group) => `s without ${group}`),
  ];
  const lines = rows.map((row) => [
    row.fault,
    row.runs,
    row.inFlight,
    row.acknowledged,
    row.lost,
    row.duplicated,
    row.wrong,
    ...groups.map((group) => row.failed[group]),
    ...groups.map((group) => row.secondsWithout[group].toFixed(1)),
  ]);
  return renderMarkdown([heads, ...lines], 1);
}
