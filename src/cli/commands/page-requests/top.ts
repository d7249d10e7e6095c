import { withReader } from "../../io/admin-context.ts";
import type { Command, DeclareCommand } from "../../io/command.ts";
import { printReport } from "../../io/report.ts";
import { addFilterOptions, type PageFilterOptions, toPageFilter } from "./page-filter.ts";

interface TopOptions extends PageFilterOptions {
  /** UTC in milliseconds; inclusive. */
  readonly since?: number;
}

/** `wfh page-requests top`. */
export const declareTop: DeclareCommand = (group) => {
  const command = group
    .command("top")
    .description("Count the most frequent pages, without query and fragment")
    .instant("--since <time>", "start: day (2026-11-21, UTC) or time with zone")
    .max("number of pages", 10);
  addFilterOptions(command)
    .shared("json", "config")
    .run(async (options: TopOptions, { terminal }: Command) => {
      const { since = null, max } = options;
      const { rows, pages } = await withReader(options, terminal, (reader) =>
        reader.topPages(toPageFilter(options), since, max),
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
            `${(share * 100).toFixed(1)} %`.padStart(7),
            page ?? "not given",
          ]),
        },
      ]);
    });
};
