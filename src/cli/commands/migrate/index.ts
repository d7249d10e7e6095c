import type { DeclareCommand } from "../../io/command.ts";
import { addCompare } from "./compare.ts";
import { addHar } from "./har.ts";
import { addHarvest } from "./harvest.ts";
import { addRecord } from "./record.ts";

const help = `
Examples:
  wfh migrate record --to http://192.0.2.20 --output old.ndjson
                                            pass calls on to the old server, and record them
  wfh migrate har fiddler.har --output old.ndjson
                                            make a recording of what a browser saved
  wfh migrate compare old.ndjson            compare our responses with recorded ones
  wfh migrate harvest --from http://192.0.2.20/Services/LocationUIHelper.asmx
                                            ask for IDs and places, and write harvest.csv

docs/moving.md has all steps in order.
`;

/** Adds `migrate` and its commands. */
export const declareCommand: DeclareCommand = (group) => {
  group.addHelpText("after", help);
  addRecord(group);
  addHar(group);
  addCompare(group);
  addHarvest(group);
};
