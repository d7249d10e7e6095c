import type { DeclareCommand } from "../../command.ts";
import { addCompare } from "./compare.ts";
import { addHar } from "./har.ts";
import { addHarvest } from "./harvest.ts";
import { addRecord } from "./record.ts";
import { addRoute } from "./route.ts";

const help = `
Examples:
  wfh migrate record --to http://old.example.com --output old.ndjson
                                            pass calls on to the old server, and record them
  wfh migrate har fiddler.har --output old.ndjson
                                            make a recording of what a browser saved
  wfh migrate compare old.ndjson            compare our responses with recorded ones
  wfh migrate harvest --from http://old.example.com/LocationUIHelper.asmx --dry-run
                                            plan to take over IDs and places
  wfh migrate route routes.toml             send each operation to the old server or to ours
`;

/** Adds `migrate` and its commands. */
export const declareCommand: DeclareCommand = (group) => {
  group.addHelpText("after", help);
  addRecord(group);
  addHar(group);
  addCompare(group);
  addHarvest(group);
  addRoute(group);
};
