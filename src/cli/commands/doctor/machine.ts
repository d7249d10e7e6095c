import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { workerCountOf } from "../../../server/settings/config.ts";
import type { Config } from "../../../server/settings/settings.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

/** Time for a server to answer at the port, in milliseconds. */
const answerMs = 2_000;
/** Longest answer of a health page that is looked at, in characters. */
const answerMax = 1_000;
/** Files that are open beside connections: the database, its threads, the log. */
const otherFiles = 64;

/** Looks at the runtime and its limits. */
export async function checkMachine(config: Config): Promise<readonly Finding[]> {
  const { connectionsMax } = config;
  const files = await openFilesMax();
  // The limit is that of a process, and each has its part of the connections.
  const wanted = Math.ceil(connectionsMax / workerCountOf(config)) + otherFiles;
  return [
    ok("node-version", `Node.js ${process.versions.node} is new enough.`),
    ...(files === null
      ? []
      : [
          files >= wanted
            ? ok("open-files", `${files.toLocaleString("en-US")} files may be open at once.`)
            : warning(
                "open-files",
                `Only ${files.toLocaleString("en-US")} files may be open at once, and WFH_CONNECTIONS_MAX is ${connectionsMax}: connections would fail before the limit.`,
                `ulimit -n ${wanted}, in systemd LimitNOFILE=${wanted}; or a lower WFH_CONNECTIONS_MAX`,
              ),
        ]),
  ];
}

/** Node.js takes as many as the hard limit allows. null where the system does not tell. */
async function openFilesMax(): Promise<number | null> {
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const [, hard] = /^Max open files +\S+ +(\d+)/m.exec(limits) ?? [];
  return hard === undefined ? null : Number(hard);
}

/** Whether the server could listen, or does so already. */
export async function checkPort({ host, port }: Config): Promise<readonly Finding[]> {
  if (port === 0) return [ok("port", "WFH_PORT=0: the server picks a free port and prints it.")];
  const code = await listenOnce(host, port);
  if (code === null) return [ok("port", `Port ${port} of ${host} is free.`)];
  if (code === "EADDRINUSE") return [await checkServer(host, port)];
  const fixes: Readonly<Record<string, string>> = {
    EACCES: "WFH_PORT to one above 1023; or in systemd AmbientCapabilities=CAP_NET_BIND_SERVICE",
    EADDRNOTAVAIL: "WFH_HOST to an address of this machine",
    ENOTFOUND: "WFH_HOST to an address of this machine",
  };
  return [
    problem(
      "port",
      `The server could not listen on port ${port} of ${host}: ${code}.`,
      fixes[code] ?? "correct WFH_HOST and WFH_PORT",
    ),
  ];
}

/** The system's code for why nobody can listen there; null when it is possible. */
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
  const taken = problem(
    "port",
    `Another program uses port ${port} of ${host}.`,
    "stop it, or set WFH_PORT",
  );
  const health = await ask(`${url}/healthz`);
  if (health === null || !health.text.includes('"status":"ok"')) return taken;
  const ready = await ask(`${url}/readyz`);
  return ready?.status === 200
    ? ok("port", `A server answers at ${url} and is ready.`)
    : problem(
        "port",
        `A server answers at ${url}, but is not ready: it cannot store page requests, or is going down.`,
        "look at its log, and at what is said here of the database",
      );
}

async function ask(url: string): Promise<{ status: number; text: string } | null> {
  try {
    const answer = await fetch(url, {
      signal: AbortSignal.timeout(answerMs),
      redirect: "manual",
      headers: { Connection: "close" },
    });
    return { status: answer.status, text: (await answer.text()).slice(0, answerMax) };
  } catch {
    return null;
  }
}
