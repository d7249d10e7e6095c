import { fingerprintsOf } from "../../../secrets/secret-keys.ts";
import { keyFileOf } from "../../../server/settings/config.ts";
import { addressOf } from "../../../store/open-database.ts";
import { type AdminContext, administer } from "../../admin-context.ts";
import type { DeclareCommand } from "../../command.ts";
import { CommandError } from "../../exit-codes.ts";
import { findConfiguredKeys } from "../../secret-keys.ts";

const help = `
Examples:
  wfh keys accept                           make the key of this node that of the database

All nodes of a PostgreSQL database need the same key, and a node with another one does not start.
If the key of all nodes is lost, start a node once, which creates a key file and refuses to serve.
Then run this command, copy the key file to the other nodes, and restart them.
`;

/** `wfh keys`. */
export const declareCommand: DeclareCommand = (keys, { terminal }) => {
  keys.addHelpText("after", help);
  const command = keys
    .command("accept")
    .description("Make the key of this node that of the PostgreSQL database");
  administer(command, terminal, acceptKey);
};

async function acceptKey({ administration, config, terminal }: AdminContext): Promise<void> {
  const { engine, shown } = addressOf(config.databaseUrl);
  if (engine === "SQLite") {
    terminal.out(`Nothing to do: ${shown} belongs to one server, whose key is not compared.\n`);
    return;
  }
  const keys = findConfiguredKeys(config);
  if (keys === null) {
    throw new CommandError(
      `There is no key file ${keyFileOf(config)}.\nCopy that of another node, or start the server once, which creates one.`,
    );
  }
  await administration.nodes.acceptKey(fingerprintsOf(keys), Date.now());
  terminal.out(`The key of this node is now that of ${shown}: give it to all nodes.\n`);
}
