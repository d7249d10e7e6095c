import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { endpointNamespace, locationNamespace } from "@wfh/server/test/test-server.ts";

/** Program of `wfh`. */
export const program = fileURLToPath(new URL("../../../packaging/npm/wfh.ts", import.meta.url));

/** The key of every server of these tests. */
export const secretKey = "A".repeat(43);

/** Longest wait for anything, in milliseconds; only a server that hangs comes near it. */
const patienceMs = 60_000;

const children = new Set<ChildProcess>();
process.on("exit", killServerProcesses);

/** Ends servers that failed tests left running: they would keep the test process alive. */
export function killServerProcesses(): void {
  for (const child of children) child.kill("SIGKILL");
}

/** A line of the log. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly msg?: string };

/** A server in a process of its own. */
export interface ServerProcess {
  readonly url: string;
  readonly log: readonly LogLine[];
  /** Resolves to the first line that is as wanted, one that is there already or one to come. */
  line(isRequested: (line: LogLine) => boolean): Promise<LogLine>;
  readonly pid: number;
  signal(name: NodeJS.Signals): void;
  /** Resolves to the exit code once it has ended. */
  ended(): Promise<number | null>;
}

/** As systemd starts a program with a socket. */
export const withSocket = ["/bin/sh", "-c", 'LISTEN_FDS=1 LISTEN_PID=$$ exec "$0" "$@"'] as const;

/** Programs and sockets other than the usual ones. */
export interface ServerProcessOptions {
  /** The program; by default that of this checkout. */
  readonly main?: string | undefined;
  /** Descriptor of a socket that it shares with others, in place of a port of its own. */
  readonly socket?: number;
}

/** Starts a server on a free port, and resolves when it listens. */
export async function startServerProcess(
  settings: Readonly<Record<string, string>>,
  { main = program, socket }: ServerProcessOptions = {},
): Promise<ServerProcess> {
  const wrapper = socket === undefined ? [] : withSocket;
  const commandLine = [...wrapper, process.execPath, main, "serve"];
  const [command = "", ...words] = commandLine;
  const child = spawn(command, words, {
    env: {
      ...process.env,
      WFH_PORT: "0",
      WFH_DRAIN_MS: "0",
      WFH_SECRET_KEYS: secretKey,
      WFH_LOCATION_NAMESPACE: locationNamespace,
      WFH_ENDPOINT_NAMESPACE: endpointNamespace,
      ...settings,
    },
    stdio: ["ignore", "pipe", "ignore", socket ?? "ignore"],
  });
  const { log, line } = follow(child);
  const ended = once(child, "close");
  const { pid = 0 } = child;
  children.add(child);
  const { url } = await line(({ msg }) => msg === "listening");
  return {
    url: String(url),
    log,
    line,
    pid,
    signal: (name) => child.kill(name),
    ended: async () => {
      const timer = setTimeout(() => child.kill("SIGKILL"), patienceMs);
      const [code] = await ended;
      clearTimeout(timer);
      return code;
    },
  };
}

/** Ends a server of a test, however it is. */
export async function endServerProcess(server: ServerProcess): Promise<void> {
  server.signal("SIGTERM");
  await server.ended();
}

function follow(child: ChildProcess) {
  const log: LogLine[] = [];
  const heard = new Set<() => void>();
  if (child.stdout === null) throw new Error("Its log cannot be read");
  createInterface({ input: child.stdout }).on("line", (text) => {
    log.push(JSON.parse(text));
    for (const hear of heard) hear();
  });
  const line = async (isRequested: (one: LogLine) => boolean): Promise<LogLine> => {
    const { promise, resolve, reject } = Promise.withResolvers<LogLine>();
    const look = () => {
      const found = log.find(isRequested);
      if (found !== undefined) resolve(found);
    };
    const fail = (why: string) => reject(new Error(`${why}: ${JSON.stringify(log, null, 1)}`));
    const timer = setTimeout(() => fail("No such line in the log"), patienceMs);
    const onEnd = () => fail("The server has ended");
    heard.add(look);
    child.once("close", onEnd);
    look();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      heard.delete(look);
      child.off("close", onEnd);
    }
  };
  return { log, line };
}
