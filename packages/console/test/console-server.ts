import { startServer, type TestServer, temporaryDatabase } from "@wfh/server/test/test-server.ts";
import type { Token } from "../src/access/tokens.ts";
import { OperatorConsole } from "../src/console.ts";
import { openCommandDatabase } from "../src/database/console-database.ts";
import { addToken } from "./access-world.ts";

/** A server with its console. */
interface ConsoleServer {
  readonly server: TestServer;
  /** Adds a token, by default one of a day for all forms; returns its text. */
  addToken(name: string, given?: Partial<Pick<Token, "forms" | "endsAtMs">>): Promise<string>;
}

/** Starts a server with its console, over a new SQLite database or that of an address. */
export async function startConsoleServer(databaseUrl?: string): Promise<ConsoleServer> {
  const url = databaseUrl ?? temporaryDatabase();
  const server = await startServer(
    { WFH_DATABASE_URL: url },
    { extension: (deps) => new OperatorConsole({ ...deps, checkHealth: async () => [] }) },
  );
  return {
    server,
    addToken: async (name, given) => {
      const { queries, close } = await openCommandDatabase(url, "write");
      const text = await addToken(queries, { name, ...given }, Date.now());
      await close();
      return text;
    },
  };
}
