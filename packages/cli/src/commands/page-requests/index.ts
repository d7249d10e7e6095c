import type { PageRequestStats, ValueCount } from "@wfh/server/store/admin/page-request-reader.ts";
import { withReader } from "../../io/admin-context.ts";
import type { Command, DeclareCommand, SharedOptions } from "../../io/command.ts";
import { formatInstant } from "../../io/options.ts";
import { formatShare, printReport, type Section } from "../../io/report.ts";
import { declareDelete } from "./delete.ts";
import { declareExportPageRequests } from "./export.ts";
import { declareFollow } from "./follow.ts";
import { declareImportPageRequests } from "./import.ts";
import { addFilterOptions, declareTail, type PageFilterOptions, toPageFilter } from "./tail.ts";

const help = `
Examples:
  wfh page-requests stats                   count by day, form and application instance
  wfh page-requests stats --json            the same for a script
  wfh page-requests top --since 2026-11-01  list the most frequent pages
  wfh page-requests tail --follow           show the newest, and more as they arrive
  wfh page-requests export --from 2026-11-01 --to 2026-12-01 --format csv --output november.csv
  wfh page-requests follow                  print page requests as they arrive
  wfh page-requests follow --after 812      continue after the one with ID 812
  wfh page-requests delete --contact 4711 --dry-run
                                            count the page requests of a contact
`;

/** `wfh page-requests`. */
export const declareCommand: DeclareCommand = (group) => {
  group.addHelpText("after", help);
  const verbs = [declareStats, declareTop, declareTail, declareExportPageRequests, declareFollow];
  for (const declare of [...verbs, declareImportPageRequests, declareDelete]) declare(group);
};

/** Days, forms and application instances that are shown: what fits on a screen. */
const topMax = 10;

const declareStats: DeclareCommand = (group) =>
  group
    .command("stats")
    .description("Count page requests by day, form and application instance")
    .shared("json", "config")
    .run(async (options: SharedOptions, { terminal }: Command) => {
      const stats = await withReader(options, terminal, ({ pageRequests }) =>
        pageRequests.stats(topMax),
      );
      printReport(terminal, options, toStatsData(stats), describeStats);
    });

/** The counts as `--json` prints them; IDs have all their digits. */
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

interface TopOptions extends PageFilterOptions {
  /** UTC in milliseconds; inclusive. */
  readonly since?: number;
}

const declareTop: DeclareCommand = (group) => {
  const command = group
    .command("top")
    .description("List the most frequent pages, ignoring query and fragment")
    .instant("--since <time>", "start: day (2026-11-21, UTC) or time with zone")
    .max("number of pages", 10);
  addFilterOptions(command)
    .shared("json", "config")
    .run(async (options: TopOptions, { terminal }: Command) => {
      const { since = null, max } = options;
      const { rows, pages } = await withReader(options, terminal, ({ pageRequests }) =>
        pageRequests.topPages(toPageFilter(options), since, max),
      );
      const data = {
        rows,
        pages: pages.map((page) => ({
          page: page.value,
          rows: page.rows,
          share: page.rows / rows,
        })),
      };
      printReport(terminal, options, data, () => [
        rows === 0 ? "There are no such page requests." : "",
        {
          header: ["Page requests", "Share", "Page"],
          rows: data.pages.map(({ page, rows: count, share }) => [
            count,
            formatShare(share),
            page ?? "not given",
          ]),
        },
      ]);
    });
};
