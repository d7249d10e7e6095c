import type { KillWatch } from "../harness/kill-watch.ts";
import type { SentLogFinding } from "../harness/sent-log.ts";
import { renderMarkdown } from "../harness/tables.ts";
import type { Tally } from "../harness/tally.ts";
import type { KillRecord } from "./fault-injector.ts";
import { findGrowth, type MemorySample, mediansOf } from "./memory-record.ts";

/** Everything that a run came to. */
export interface SoakFindings {
  readonly tally: Tally;
  readonly kills: KillWatch;
  readonly record: KillRecord;
  readonly sentLog: SentLogFinding;
  readonly samples: readonly MemorySample[];
  /** Exit code of the server that was kept, after SIGTERM; null where it had to be killed. */
  readonly exitCode: number | null;
  readonly minutes: number;
}

/** Finds failures, a sentence each; none after a good run. */
export function findFailures(findings: SoakFindings): readonly string[] {
  const { tally, kills, record, sentLog, samples, exitCode } = findings;
  const wrong = tally.sum((kind) => kind.wrong);
  const unreplaced = kills.effects.filter(({ replacedMs }) => replacedMs === undefined).length;
  const failures: readonly (readonly [isSo: boolean, text: string])[] = [
    [wrong > 0, `${wrong} answers were wrong`],
    [sentLog.lost > 0, `${sentLog.lost} acknowledged page requests are lost`],
    [sentLog.twice > 0, `${sentLog.twice} page requests are stored twice`],
    [sentLog.foreign > 0, `${sentLog.foreign} rows are not what was sent`],
    [kills.effects.length === 0, "no server was killed"],
    // A kill at the very end has nobody left who would ask.
    [unreplaced > 1, `${unreplaced} servers were not replaced`],
    [record.alarms.length > 0, `the log has lines above info:\n${record.alarms.join("\n")}`],
    [exitCode !== 0, `the server ended with ${exitCode} after SIGTERM`],
  ];
  return [
    ...failures.filter(([isSo]) => isSo).map(([, text]) => text),
    ...findGrowth(samples).map((text) => `memory is not flat: ${text}`),
  ];
}

/** The tables of a run, for a person and for docs/hardening.md. */
export function renderReport(findings: SoakFindings): string {
  const { sentLog, kills, record } = findings;
  const page =
    `Page requests: ${count(sentLog.sent)} sent, ${count(sentLog.acknowledged)} acknowledged, ${sentLog.lost} lost, ${sentLog.twice} stored twice, ` +
    `${sentLog.foreign} stored with other fields; ${sentLog.storedUnanswered} cut off and stored all the same.`;
  const replaced = kills.effects.flatMap(({ replacedMs }) => replacedMs ?? []);
  const killed =
    `${kills.effects.length} servers killed; the next one was listening after ${range(record.listeningMs)}, ` +
    `and had answered somebody after ${range(replaced)}.`;
  return [kindsTable(findings), page, killed, memoryTable(findings)].join("\n\n");
}

function kindsTable({ tally }: SoakFindings): string {
  const rows = tally.kinds().map((kind) => {
    const { right, cutOff, wrong, slowestMs } = kind;
    const times = [kind.quantileMs(0.5), kind.quantileMs(0.99), Math.ceil(slowestMs)];
    return row(kind.kind, [right + cutOff + wrong, right, cutOff, wrong, ...times]);
  });
  const sums = row("all", [
    tally.sum(({ right, cutOff, wrong }) => right + cutOff + wrong),
    tally.sum(({ right }) => right),
    tally.sum(({ cutOff }) => cutOff),
    tally.sum(({ wrong }) => wrong),
  ]);
  const heads = ["kind", "requests", "right", "cut off", "wrong", "p50 ms", "p99 ms", "slowest ms"];
  return renderMarkdown([heads, ...rows, [...sums, "", "", ""]], 1);
}

function memoryTable({ samples, minutes }: SoakFindings): string {
  const rows = [
    ["memory, MB", ({ bytes }: MemorySample) => bytes, 1_000_000],
    ["descriptors", ({ descriptors }: MemorySample) => descriptors, 1],
  ] as const;
  const table = (parts: number, heads: readonly string[]) => {
    const lines = rows.map(([what, of, unit]) => {
      const medians = mediansOf(samples, of, parts);
      return row(
        what,
        medians.map((value) => Math.round(value / unit)),
      );
    });
    return renderMarkdown([["median", ...heads], ...lines], 1);
  };
  // Five minutes each, in a short run less.
  const parts = Math.max(4, Math.round(minutes / 5));
  const ends = Array.from(
    { length: parts },
    (_, i) => `to ${((minutes * (i + 1)) / parts).toFixed(minutes < 20 ? 1 : 0)} min`,
  );
  const quarters = ["first quarter", "second", "third", "last"];
  return `${table(4, quarters)}\n\n${table(parts, ends)}`;
}

function row(name: string, values: readonly number[]): readonly string[] {
  return [name, ...values.map(count)];
}

function count(value: number): string {
  return value.toLocaleString("en");
}

function range(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const most = sorted.at(-1) ?? Number.NaN;
  return `${Math.round(at)} ms (median; ${Math.round(most)} ms at most)`;
}
