import type { DeclareCommand } from "@wfh/cli/io/command.ts";
import { addCompare } from "./compare.ts";
import { addHar } from "./har.ts";
import { addHarvest } from "./harvest.ts";
import { addRecord } from "./record.ts";

const help = `
Examples:
  wfh migrate record --to http://old.example.com --output old.ndjson
                                            record the calls of the old server

docs/moving.md has all steps in order.
`;

/** Adds `migrate` and its commands. */
export const declareCommand: DeclareCommand = (group) => {
  group.addHelpText("after", help);
  addRecord(group);
  addHar(group);
  addCompare(group);
  addHarvest(group);
  group.gone(
    "route",
    "HAProxy routes calls, with examples/haproxy-route.cfg. docs/route.md shows how.",
  );
};
