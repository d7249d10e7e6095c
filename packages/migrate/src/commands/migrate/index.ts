import type { DeclareCommand } from "@wfh/cli/io/command.ts";
import { CommandError } from "@wfh/cli/io/exit-codes.ts";
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

/** Version 0.1 had a router of its own. */
const routeAdvice =
  "wfh migrate route is gone: HAProxy routes calls, with examples/haproxy-route.cfg. docs/route.md shows how.";

/** Adds `migrate` and its commands. */
export const declareCommand: DeclareCommand = (group) => {
  group.addHelpText("after", help);
  addRecord(group);
  addHar(group);
  addCompare(group);
  addHarvest(group);
  group
    .command("route", { hidden: true })
    .description("Say what took its place")
    .allowUnknownOption()
    .allowExcessArguments()
    .run(async () => {
      throw new CommandError(routeAdvice);
    });
};
