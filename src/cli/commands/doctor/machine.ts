import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { workerCountOf } from "../../../server/settings/config.ts";
import type { Config } from "../../../server/settings/settings.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

/** Time for a server to respond at the port, in milliseconds. */
const responseMs = 2_000;
/** Longest response of a health page that is read, in characters. */
const responseMax = 1_000;
/** Files that are open beside connections: the database, its threads, the log. */
const otherFiles = 64;

/** Checks the runtime and its limits. */
export async function* checkMachine(config: Config): AsyncGenerator<Finding> {
  yield ok("node-version", `Node.js ${process.versions.node} is new enough.`);
  const files = await openFilesMax();
  if (files === null) return;
  const shown = files.toLocaleString("en-US");
  // The limit is that of a process, and each has its share of the connections.
  const wanted = Math.ceil(config.connectionsMax / workerCountOf(config)) + otherFiles;
  yield files >= wanted
    ? ok("open-files", `${shown} files may be open at once.`)
    : warning(
        "open-files",
        `Only ${shown} files may be open at once, and WFH_CONNECTIONS_MAX is ${config.connectionsMax}: connections would fail before the limit.`,
        `ulimit -n ${wanted}, in systemd LimitNOFILE=${wanted}; or a lower WFH_CONNECTIONS_MAX`,
      );
}

/** Node.js raises its limit to the hard one. null where the system does not say. */
async function openFilesMax(): Promise<number | null> {
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const [, hard] = /^Max open files +\S+ +(\d+)/m.exec(limits) ?? [];
  return hard === undefined ? null : Number(hard);
}

const portFixes: Readonly<Record<string, string>> = {
  EACCES: "WFH_PORT to one above 1023; or in systemd AmbientCapabilities=CAP_NET_BIND_SERVICE",
  EADDRNOTAVAIL: "WFH_HOST to an address of this machine",
  ENOTFOUND: "WFH_HOST to an address of this machine",
};

/** Checks whether the server could listen, or already does. */
export async function* checkPort({ host, port }: Config): AsyncGenerator<Finding> {
  if (port === 0) {
    yield ok("port", "WFH_PORT=0: the server picks a free port and prints it.");
    return;
  }
  const code = await listenOnce(host, port);
  if (code === null) yield ok("port", `Port ${port} of ${host} is free.`);
  else if (code === "EADDRINUSE") yield await checkServer(host, port);
  else {
    const text = `The server could not listen on port ${port} of ${host}: ${code}.`;
    yield problem("port", text, portFixes[code] ?? "correct WFH_HOST and WFH_PORT");
  }
}

/** The system's code for why listening failed; null when it worked. */
async function listenOnce(host: string, port: number): Promise<string | null> {
  const server = createServer().listen({ host, port, exclusive: true });
  try {
    await once(server, "listening");
    server.close();
    await once(server, "close");
    return null;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code ?? "unknown";
  }
}

async function checkServer(host: string, port: number): Promise<Finding> {
  const reachable = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  const url = `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
  const health = await get(`${url}/healthz`);
  if (!health?.text.includes('"status":"ok"')) {
    const text = `Another program uses port ${port} of ${host}.`;
    return problem("port", text, "stop it, or set WFH_PORT");
  }
  const ready = await get(`${url}/readyz`);
  if (ready?.status === 200) return ok("port", `A server responds at ${url} and is ready.`);
  return problem(
    "port",
    `A server responds at ${url}, but is not ready: it cannot store page requests, or is shutting down.`,
    "read its log, and the findings about the database",
  );
}

async function get(url: string): Promise<{ status: number; text: string } | null> {
  try {
    const response = await fetch(url, {
      signal: AbortSignal.timeout(responseMs),
      redirect: "manual",
      headers: { Connection: "close" },
    });
    return { status: response.status, text: (await response.text()).slice(0, responseMax) };
  } catch {
    return null;
  }
}
