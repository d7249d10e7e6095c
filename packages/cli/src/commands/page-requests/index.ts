import type { DeclareCommand } from "../../io/command.ts";
import { declareDelete } from "./delete.ts";
import { declareExportPageRequests } from "./export.ts";
import { declareFollow } from "./follow.ts";
import { declareImportPageRequests } from "./import.ts";
import { declareTail } from "./tail.ts";

const help = `
Examples:
  wfh page-requests tail --follow           show the newest, and more as they arrive
  wfh page-requests export --from 2026-11-01 --to 2026-12-01 --format csv --output november.csv
  wfh page-requests follow                  print page requests as they arrive
  wfh page-requests follow --after 812      continue after the one with ID 812
  wfh page-requests delete --contact 4711 --dry-run
                                            count the page requests of a contact

wfh report counts page requests, for example by day, form and page.
`;

/** `wfh page-requests`. */
export const declareCommand: DeclareCommand = (group) => {
  group.addHelpText("after", help);
  declareTail(group);
  declareExportPageRequests(group);
  declareFollow(group);
  declareImportPageRequests(group);
  declareDelete(group);
};
