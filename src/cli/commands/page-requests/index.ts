import type { DeclareCommand } from "../../command.ts";
import { addPageRequestsExport } from "./export.ts";
import { addPageRequestsStats } from "./stats.ts";

const help = `
Examples:
  wfh page-requests stats                   count them by day, form and application instance
  wfh page-requests stats --json            the same for a script
  wfh page-requests export --from 2026-11-01 --to 2026-12-01 --format csv --output november.csv
`;

/** Adds `page-requests` and its commands. */
export const declareCommand: DeclareCommand = (group, context) => {
  group.addHelpText("after", help);
  addPageRequestsStats(group, context);
  addPageRequestsExport(group, context);
};
