import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { promisify } from "node:util";
import { type CheckResult, type Checks, ok, problem, warning } from "../../lib/check.ts";
import { formatCount } from "../../lib/printable.ts";
import { get, isServerAt } from "../probe.ts";
import { localUrlOf } from "../settings/config.ts";
import type { Config } from "../settings/settings.ts";

/** Files that are open beside connections: the database, its threads, the log. */
const otherFiles = 64;

/** Checks of the runtime and its limits. */
export const machineChecks: Checks<Config> = {
  "node-version": () => ok(`Node.js ${process.versions.node} is supported.`),

  "open-files": ({ connectionsMax }) => {
    if (process.platform !== "linux") return null;
    const limits = readFileSync("/proc/self/limits", "utf8");
    // Node.js raises its limit to the hard one.
    const files = Number(/^Max open files +\S+ +(\d+)/m.exec(limits)?.[1] ?? Infinity);
    if (files === Infinity) return null;
    const shown = formatCount(files);
    const wanted = connectionsMax + otherFiles;
    if (files >= wanted) return ok(`A process can open ${shown} files.`);
    return warning(
      `A process can open only ${shown} files, but WFH_CONNECTIONS_MAX is ${connectionsMax}: connections would fail before that limit.`,
      `ulimit -n ${wanted}, in systemd LimitNOFILE=${wanted}; or lower WFH_CONNECTIONS_MAX`,
    );
  },
};

/** Problems of an address to listen on, by the system's code. */
const listenProblems: Readonly<Record<string, CheckResult>> = {
  EADDRINUSE: problem(
    "That port is taken.",
    "stop the program that uses it, or choose another one (0 picks a free one): --port or WFH_PORT, and WFH_ADMIN_PORT, which must differ",
  ),
  EACCES: problem(
    "That port is reserved.",
    "set WFH_PORT or WFH_ADMIN_PORT to one above 1023; or in systemd AmbientCapabilities=CAP_NET_BIND_SERVICE, which only the service has, no check by hand",
  ),
  EADDRNOTAVAIL: problem(
    "This machine has no such address.",
    "set WFH_HOST or WFH_ADMIN_HOST to one it has",
  ),
  ENOTFOUND: problem(
    "That name has no address.",
    "set WFH_HOST or WFH_ADMIN_HOST to an address of this machine",
  ),
};

/** Why a server cannot listen; undefined where an error is about something else. */
export function explainListening(cause: unknown): CheckResult | undefined {
  const { code, message } = cause as NodeJS.ErrnoException;
  const found = listenProblems[code ?? ""];
  // Messages of Node.js end with the address.
  return (
    found && { ...found, text: `Cannot listen on ${message.split(" ").at(-1)}. ${found.text}` }
  );
}

/** Longest wait for a program that listens at an address of this machine, in milliseconds. */
const connectMs = 1_000;

/**
 * Makes sure that this machine has the addresses of the settings and that nothing listens there,
 * before a start makes any file. Connects to ask: a proxy's connection to a port that is opened for
 * a moment would be cut.
 *
 * @param socket descriptor of a listening socket, which takes the place of WFH_HOST and WFH_PORT.
 * @throws {Error} of the system, for {@link explainListening}.
 */
export async function requireFreePorts(
  { host, port, adminHost, adminPort }: Pick<Config, "host" | "port" | "adminHost" | "adminPort">,
  socket: number | undefined,
): Promise<void> {
  const main = socket === undefined ? [{ host, port }] : [];
  const admin = adminPort === "off" ? [] : [{ host: adminHost, port: adminPort }];
  for (const address of [...main, ...admin]) {
    // No proxy knows the port that is picked.
    await listenBriefly({ ...address, port: 0 });
    if (address.port !== 0 && (await isTaken(address))) await listenBriefly(address);
  }
}

async function listenBriefly(address: { readonly host: string; readonly port: number }) {
  const server = createServer((connection) => connection.destroy()).listen(address);
  await once(server, "listening");
  await promisify(server.close.bind(server))();
}

async function isTaken(address: { readonly host: string; readonly port: number }) {
  const connection = connect(address);
  connection.setTimeout(connectMs, () => connection.destroy(new Error("No program responds")));
  try {
    await once(connection, "connect");
    return true;
  } catch {
    return false;
  } finally {
    connection.destroy();
  }
}

/** Checks that the server can listen, or does already. Only `wfh doctor` asks it over HTTP. */
export const portChecks: Checks<Config> = {
  port: async ({ host, port }) => {
    if (port === 0) return ok("WFH_PORT=0: the server picks a free port and prints it.");
    const found = await checkPort(host, port);
    if (found !== "taken by a server") return found;
    const url = localUrlOf(host, port);
    const ready = await get(`${url}/readyz`);
    if (ready?.status === 200) return ok(`A server responds at ${url} and is ready.`);
    return problem(
      `A server responds at ${url}, but is not ready: it cannot store page requests, or is shutting down.`,
      "read its log, and the findings about the database",
    );
  },
};

/** Checks that an address is free, or that a server of this program is there. */
export async function checkPort(
  host: string,
  port: number,
): Promise<CheckResult | "taken by a server"> {
  try {
    await listenBriefly({ host, port });
    return ok(`Port ${port} of ${host} is free.`);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    // A reserved port of a running server may be one that only systemd lets it have.
    const mayBeOurs = code === "EADDRINUSE" || code === "EACCES";
    if (mayBeOurs && (await isServerAt(localUrlOf(host, port)))) return "taken by a server";
    const text = `The server cannot listen on port ${port} of ${host}: ${code}.`;
    return explainListening(cause) ?? problem(text, "correct WFH_HOST and WFH_PORT");
  }
}
