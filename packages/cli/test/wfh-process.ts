import { fileURLToPath } from "node:url";
import { quickFolder } from "@wfh/server/test/quick-folder.ts";
import {
  type ProgramOptions,
  type RunningProgram,
  startProgram,
} from "@wfh/server/test/running-program.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import {
  endpointNamespace,
  locationNamespace,
  plainEnvironment,
} from "@wfh/server/test/test-server.ts";

/** Program of `wfh`. */
export const program = fileURLToPath(new URL("../../../packaging/npm/wfh.ts", import.meta.url));

/** The key of every server of these tests. */
export const secretKey = "A".repeat(43);

/** A line of the log. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly msg?: string };

/** A `wfh` that runs in a process of its own. */
export interface WfhProcess extends RunningProgram {
  /** Lines of JSON that it has written to standard output. */
  readonly log: readonly LogLine[];
  /** Resolves to the first line that is as wanted, one that is there already or one to come. */
  line(isRequested: (line: LogLine) => boolean): Promise<LogLine>;
}

/** A server that listens. */
export interface ServerProcess extends WfhProcess {
  readonly url: string;
}

/** Options of a run. */
interface RunOptions extends Pick<ProgramOptions, "cwd" | "uid" | "socket"> {
  readonly settings?: Readonly<Record<string, string>>;
  /** The command in place of `node wfh.ts`. */
  readonly command?: readonly string[];
}

/** Starts `wfh` with words, by default in an empty folder, with no settings but these. */
export function startWfh(words: readonly string[], options: RunOptions = {}): WfhProcess {
  const {
    cwd = temporaryFolder(quickFolder),
    settings,
    command = [process.execPath, program],
  } = options;
  const log: LogLine[] = [];
  const running = startProgram([...command, ...words], {
    ...options,
    cwd,
    env: {
      ...plainEnvironment,
      WFH_PORT: "0",
      WFH_DATA_DIR: ".",
      WFH_DISK_RESERVE_MB: "0",
      ...settings,
    },
    onLine: (text) => {
      if (text.startsWith("{")) log.push(JSON.parse(text));
    },
  });
  return {
    ...running,
    log,
    line: (isRequested) => running.until(() => log.find(isRequested), "the wanted line"),
  };
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
  const server = startWfh(["serve"], {
    command: [...wrapper, process.execPath, main],
    socket,
    settings: {
      WFH_DRAIN_MS: "0",
      WFH_SECRET_KEYS: secretKey,
      WFH_LOCATION_NAMESPACE: locationNamespace,
      WFH_ENDPOINT_NAMESPACE: endpointNamespace,
      ...settings,
    },
  });
  const { url } = await server.line(({ msg }) => msg === "listening");
  return { ...server, url: String(url) };
}

/** Ends a server of a test, however it is. */
export async function endServerProcess(server: ServerProcess): Promise<void> {
  server.signal("SIGTERM");
  await server.ended();
}

/** Starts a server, waits for a pattern in its output and ends it; resolves to the output. */
export async function serveUntil(awaited: RegExp, options: RunOptions = {}): Promise<string> {
  const server = startWfh(["serve"], options);
  await server.match(awaited).finally(server.kill);
  return server.output();
}

/** Runs `wfh` to its end, and resolves to all that it has written. */
export async function runWfh(words: readonly string[], options: RunOptions = {}): Promise<string> {
  const running = startWfh(words, options);
  await running.ended();
  return running.output();
}
