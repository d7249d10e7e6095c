import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { PassThrough, type Readable } from "node:stream";
import type { TestContext } from "node:test";
import { PasswordHasher } from "@wfh/server/secrets/password-hashing.ts";
import { openAdmin } from "@wfh/server/store/admin/open-admin.ts";
import { quickFolder } from "@wfh/server/test/quick-folder.ts";
import type { Engine, TestDatabase } from "@wfh/server/test/store/engines.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { startServer } from "@wfh/server/test/test-server.ts";
import type { ToolModules } from "../src/io/command.ts";
import type { Terminal } from "../src/io/terminal.ts";
import { runProgram } from "../src/program.ts";

/** Result of a command, and all its output. */
export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Input of a command; empty by default. */
export interface Typed {
  /** Bytes or text of a pipe. */
  readonly piped?: string | Uint8Array;
  /** A pipe that is still being written to. */
  readonly stream?: Readable;
  /** Keys that are pressed on a terminal. */
  readonly keys?: string;
  /** Called on every change between raw mode and the usual one. */
  readonly rawMode?: (isRaw: boolean) => void;
}

/** A place to run commands in: settings of its own. */
export interface CliFixture {
  readonly folder: string;
  /** File of the database, where it is one of SQLite. */
  readonly databaseFile: string;
  readonly databaseUrl: string;
  run(words: readonly string[], typed?: Typed): Promise<Run>;
  close(): void;
}

/**
 * Opens a place with a new SQLite database, or the database of an address.
 *
 * @param tools commands of another package that can be run there.
 */
export function openCliFixture(url?: string, tools?: ToolModules): CliFixture {
  const folder = temporaryFolder(quickFolder);
  const databaseFile = join(folder, "office.db");
  const databaseUrl = url ?? `sqlite:${databaseFile}`;
  const settings = join(folder, "settings.toml");
  const values = { WFH_DATABASE_URL: databaseUrl, WFH_KEY_FILE: join(folder, "office.key") };
  const lines = Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`);
  writeFileSync(settings, lines.join(""));
  return {
    folder,
    databaseFile,
    databaseUrl,
    run: (words, typed) => runCli([...words, "--config", settings], typed, tools),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Opens a place that goes with the test. */
export function openFixture(t: TestContext, url?: string): CliFixture {
  const fixture = openCliFixture(url);
  t.after(() => fixture.close());
  return fixture;
}

/** Opens a place with a database of an engine, which go with the test. */
export async function openFixtureOn(
  engine: Engine,
  t: TestContext,
  options?: Parameters<Engine["createDatabase"]>[0],
): Promise<CliFixture & { readonly database: TestDatabase }> {
  const database = await engine.createDatabase(options);
  t.after(() => database.drop());
  return { ...openFixture(t, database.url), database };
}

/** Starts a server with the database and the key of a place. */
export function startOn({ databaseUrl, folder }: CliFixture) {
  return startServer({
    WFH_DATABASE_URL: databaseUrl,
    WFH_KEY_FILE: join(folder, "office.key"),
  });
}

/** Form ids of all page requests in the database of a place. */
export function formIdsIn({ databaseFile }: CliFixture): ReadonlySet<number> {
  const database = new DatabaseSync(databaseFile, { readOnly: true });
  const rows = database.prepare("SELECT form_id FROM page_requests").all();
  database.close();
  return new Set(rows.map(({ form_id: id }) => Number(id)));
}

/** Tells whether a password is the one of an account. */
export async function isPassword(
  fixture: CliFixture,
  name: string,
  text: string,
): Promise<boolean> {
  const database = await openAdmin(fixture.databaseUrl, "write", () => 0);
  const { administration } = database;
  try {
    const account = await administration.findAccount(name);
    return await new PasswordHasher({ hashesAtOnce: 1 }).verify(account?.hash ?? null, text, []);
  } finally {
    await database.close();
  }
}

/** Runs a command line. */
export async function runCli(
  words: readonly string[],
  typed: Typed = {},
  tools?: ToolModules,
): Promise<Run> {
  const written = { out: "", err: "" };
  const terminal: Terminal = {
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
    },
    input: inputOf(typed),
  };
  const code = await runProgram(words, terminal, tools);
  return { code, ...written };
}

function inputOf({ piped, stream: given, keys, rawMode }: Typed) {
  if (given !== undefined) return given;
  const stream = new PassThrough();
  if (keys === undefined) {
    stream.end(piped ?? "");
    return stream;
  }
  stream.write(keys);
  return Object.assign(stream, { isTTY: true, setRawMode: rawMode ?? (() => {}) });
}
