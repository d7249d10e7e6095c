import { type Measured, startOn, startWords } from "./processes.ts";

/**
 * The server with its own settings on a database of log-ins, on all cores, as an operator starts it. It believes
 * what a proxy on this machine says, so that the load can come from as many networks as it likes.
 */
export function startLogInServer(
  databaseUrl: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Measured> {
  return startOn("any", startWords, {
    WFH_PORT: "0",
    WFH_DATABASE_URL: databaseUrl,
    WFH_TRUSTED_PROXIES: "127.0.0.1",
    ...environment,
  });
}
