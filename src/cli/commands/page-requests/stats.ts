import type { PageRequestStats, ValueCount } from "../../../store/page-requests/reader.ts";
import { withReader } from "../../admin-context.ts";
import type { DeclareCommand } from "../../command.ts";
import { configOption, formatInstant, jsonOption, type SharedOptions } from "../../io/options.ts";
import { printReport, type Section } from "../../io/report.ts";

/** Days, forms and application instances that are shown: what fits on a screen. */
const topMax = 10;

/** Adds `page-requests stats`. */
export const addPageRequestsStats: DeclareCommand = (group, { terminal }) => {
  group
    .command("stats")
    .description("count page requests by day, form and application instance")
    .addOption(jsonOption())
    .addOption(configOption())
    .action(async (options: SharedOptions) => {
      const stats = await withReader(options.config, terminal, (reader) => reader.stats(topMax));
      const data = toStatsData(stats);
      printReport(terminal, options, data, describeStats);
    });
};

/** The counts as `--json` prints them; ids have all their digits. */
function toStatsData({ oldestMs, newestMs, days, forms, ...others }: PageRequestStats) {
  return {
    ...others,
    oldest: oldestMs === null ? null : formatInstant(oldestMs),
    newest: newestMs === null ? null : formatInstant(newestMs),
    days: days.map(({ value, rows }) => ({ value: value === null ? null : dayOf(value), rows })),
    forms,
  };
}

function describeStats(data: ReturnType<typeof toStatsData>): readonly Section[] {
  const { rows, oldest, newest, networks, days, forms, applicationInstances } = data;
  return [
    {
      header: ["Page requests", "Oldest", "Newest", "Networks"],
      rows: [[rows, oldest ?? "none", newest ?? "none", networks]],
    },
    countTable("Day (UTC)", days),
    countTable("Form", forms),
    countTable("Application instance", applicationInstances),
  ];
}

function countTable(
  header: string,
  counts: readonly ValueCount<string | number | bigint>[],
): Section {
  return {
    header: [header, "Page requests"],
    rows: counts.map(({ value, rows }) => [value === null ? "not given" : String(value), rows]),
  };
}

function dayOf(ms: number): string {
  return formatInstant(ms).slice(0, "2026-11-21".length);
}
