import { toPrintable, toShellWord } from "@wfh/server/lib/printable.ts";
import {
  createKey,
  createKeyFile,
  fingerprintsOf,
  SecretKeyError,
} from "@wfh/server/secrets/secret-keys.ts";
import { keyFileOf } from "@wfh/server/server/settings/data-folder.ts";
import { databaseAddressOf } from "@wfh/server/store/open-database.ts";
import { type AdminContext, administer } from "../../io/admin-context.ts";
import type { Command, DeclareCommand } from "../../io/command.ts";
import { CommandError, exitCodes } from "../../io/exit-codes.ts";
import { findConfiguredKeys } from "../../io/secret-keys.ts";

const help = `
Examples:
  wfh keys new                              print a new key, for WFH_SECRET_KEYS
  wfh keys new --output wfh.key             write a new key file
  wfh keys accept                           register this node's key in the database

All nodes of a PostgreSQL database need the same key. A node with a different key does not start. If
all nodes have lost the key, start one node: it creates a key file and refuses to serve. Then run
wfh keys accept on that node, copy its key file to the other nodes, and restart them all.
`;

const newHelp = `
Keep the key secret: anyone with the key and a copy of the database can log in. Only the key itself
is written to standard output; the explanation goes to standard error.
`;

/** Advice on using a new key. */
const advice = `
To use it, make it the first key, in WFH_SECRET_KEYS or in the key file, and restart. With several
nodes, first add it as the second key on all of them and restart; then make it the first. Keep the
old key in second place for 30 days: sessions and counted attempts still need it. Keep both secret.
`;

/** `wfh keys`. */
export const declareCommand: DeclareCommand = (keys) => {
  keys.addHelpText("after", help);
  keys
    .command("new")
    .description("Create a key, and show how to switch to it")
    .option("-o, --output <file>", "key file to create (default: print the key)")
    .addHelpText("after", newHelp)
    .run(makeKey);
  keys
    .command("accept")
    .description("Register this node's key in the PostgreSQL database")
    .shared("config")
    .run(administer(acceptKey));
};

async function makeKey({ output: file }: { readonly output?: string }, { terminal }: Command) {
  if (file === undefined) terminal.out(`${createKey()}\n`);
  else {
    if (file === "") throw new CommandError("--output is empty: name a file.", exitCodes.usage);
    writeKey(file);
    terminal.out(`Created ${toPrintable(file)}, which only its owner can read.\n`);
    if (process.getuid?.() === 0)
      terminal.err(
        `\nIt belongs to root: give it to the server's user (chown wfh ${toShellWord(file)}).\n`,
      );
  }
  terminal.err(advice);
}

function writeKey(file: string): void {
  const fail = (message: string, cause?: unknown) =>
    new CommandError(toPrintable(message), undefined, cause);
  try {
    if (createKeyFile(file)) return;
  } catch (cause) {
    if (!(cause instanceof SecretKeyError)) throw cause;
    throw fail(`${cause.message}.`, cause);
  }
  throw fail(`${file} exists, and was not changed. Name a new file.`);
}

async function acceptKey({ database, config, terminal }: AdminContext): Promise<void> {
  const { engine, shown } = databaseAddressOf(config.databaseUrl);
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
  await database.nodes.acceptKey(fingerprintsOf(keys), Date.now());
  terminal.out(`The key of this node is now that of ${shown}: give it to all nodes.\n`);
}
