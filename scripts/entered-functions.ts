import { Session } from "node:inspector/promises";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { ajaxEndpoint } from "@wfh/server/contract/ajax-endpoint.ts";
import { locationHelper } from "@wfh/server/contract/location-helper.ts";
import { locationNamespace, startServer } from "@wfh/server/test/test-server.ts";

const usage = `usage: node scripts/entered-functions.ts [--list]

Starts the server with its built-in data, warms up each of three calls, and counts the files and
functions of packages/server/src/ that one more such call enters, by the precise coverage of V8.

  --list  name the functions, file by file
  --help  show this text`;

/** Calls before the measured ones: connections are open, caches and templates are filled. */
const warmUpCalls = 20;
/** Measured calls. A function counts when every one of them enters it, so that timers do not. */
const measuredCalls = 5;
/** Time for what follows a response, in milliseconds: the log line, the metrics, the next sync. */
const settleMs = 50;

/** Functions that one warm call enters. */
interface Entered {
  readonly call: string;
  readonly files: number;
  readonly functions: number;
  /** Functions on the main thread, by file; paths are relative to `packages/server/src/`. */
  readonly main: ReadonlyMap<string, readonly string[]>;
  /** The same for the worker threads of the server, all taken together. */
  readonly workers: ReadonlyMap<string, readonly string[]>;
}

/** A call of a service. */
interface ServiceCall {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The calls. The number makes each a call of its own. */
const calls: Readonly<Record<string, (number: number) => ServiceCall>> = {
  "SOAP look-up": (number) => ({
    path: locationHelper.path,
    headers: {
      "Content-Type": "text/xml; charset=utf-8",
      SOAPAction: `"${locationNamespace}PostalCodeToCityState"`,
    },
    body: `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><PostalCodeToCityState xmlns="${locationNamespace}"><postalCode>${10_001 + (number % 2)}</postalCode></PostalCodeToCityState></soap:Body></soap:Envelope>`,
  }),
  "page request": (number) =>
    jsonCall("LogPageRequestAsync", {
      form_id: 12,
      trans_id: number,
      pageRequestUrl: "https://www.example.org/contact?topic=billing",
      sessionDate: "2026-03-14T15:09:26.535Z",
    }),
  "refused log-in": (number) =>
    jsonCall("LogInUser", { userName: `user${number}@example.org`, passWord: "wrong" }),
};

function jsonCall(operation: string, input: object): ServiceCall {
  return {
    path: `${ajaxEndpoint.path}/${operation}`,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(input),
  };
}

/** Makes a call, whose response must have the status 200. */
async function send(url: string, { path, headers, body }: ServiceCall): Promise<void> {
  const response = await fetch(url + path, { method: "POST", headers, body });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`Unexpected response: ${text}`);
}

/** Functions by their names and where they begin, with the file of each. */
type Functions = ReadonlyMap<string, { readonly file: string; readonly name: string }>;

/** Sends a command of the Chrome DevTools Protocol to one thread. */
type Command = (method: string, params?: object) => Promise<unknown>;

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
  }[];
}

const source = new URL("../packages/server/src/", import.meta.url).href;

/** Functions of `packages/server/src/` that a thread has entered since the last time. */
async function takeEntered(command: Command): Promise<Functions> {
  const { result } = (await command("Profiler.takePreciseCoverage")) as {
    result: readonly ScriptCoverage[];
  };
  const entered = new Map<string, { file: string; name: string }>();
  for (const { url, functions } of result) {
    if (!url.startsWith(source)) continue;
    const file = url.slice(source.length);
    for (const { functionName, ranges } of functions) {
      const [range] = ranges;
      if (range === undefined || range.count === 0) continue;
      const name = functionName || `(anonymous at ${range.startOffset})`;
      entered.set(`${file}:${range.startOffset}:${name}`, { file, name });
    }
  }
  return entered;
}

/** Opens the inspector of this thread and of every worker thread that it has. */
async function startCoverage(session: Session): Promise<{ main: Command; workers: Command[] }> {
  session.connect();
  const post = session.post.bind(session) as Command;
  const workers: Command[] = [];
  session.on("NodeWorker.attachedToWorker", ({ params }) => {
    const command = workerCommand(session, params.sessionId);
    void begin(command).then(() => workers.push(command));
  });
  await begin(post);
  await post("NodeWorker.enable", { waitForDebuggerOnStart: false });
  return { main: post, workers };
}

async function begin(command: Command): Promise<void> {
  await command("Profiler.enable");
  await command("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
}

function workerCommand(session: Session, sessionId: string): Command {
  let last = 0;
  const waiting = new Map<number, (result: unknown) => void>();
  session.on("NodeWorker.receivedMessageFromWorker", ({ params }) => {
    if (params.sessionId !== sessionId) return;
    const { id, result } = JSON.parse(params.message) as { id?: number; result?: unknown };
    if (id !== undefined) waiting.get(id)?.(result);
  });
  return async (method, params = {}) => {
    last += 1;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    waiting.set(last, resolve);
    const message = JSON.stringify({ id: last, method, params });
    await session.post("NodeWorker.sendMessageToWorker", { message, sessionId });
    return promise;
  };
}

/** Functions that all of several measurements have. */
function inAll(measurements: readonly Functions[]): ReadonlyMap<string, readonly string[]> {
  const [first = new Map() as Functions, ...others] = measurements;
  const byFile = new Map<string, string[]>();
  for (const [key, { file, name }] of first) {
    if (!others.every((other) => other.has(key))) continue;
    byFile.set(file, [...(byFile.get(file) ?? []), name]);
  }
  return new Map([...byFile].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Measures each call on a server in this process, which is closed at the end. */
async function measureEnteredFunctions(): Promise<readonly Entered[]> {
  const server = await startServer({ WFH_LOG_LEVEL: "info" });
  const session = new Session();
  try {
    const { main, workers } = await startCoverage(session);
    const measured: Entered[] = [];
    for (const [call, toCall] of Object.entries(calls)) {
      let number = 0;
      const callOnce = async () => {
        number += 1;
        await send(server.url, toCall(number));
        await pause(settleMs);
      };
      while (number < warmUpCalls) await callOnce();
      const onMain: Functions[] = [];
      const onWorkers: Functions[] = [];
      for (let i = 0; i < measuredCalls; i += 1) {
        for (const command of [main, ...workers]) await takeEntered(command);
        await callOnce();
        onMain.push(await takeEntered(main));
        const taken = await Promise.all(workers.map(takeEntered));
        onWorkers.push(new Map(taken.flatMap((functions) => [...functions])));
      }
      const functions = inAll(onMain);
      measured.push({
        call,
        files: functions.size,
        functions: [...functions.values()].flat().length,
        main: functions,
        workers: inAll(onWorkers),
      });
    }
    return measured;
  } finally {
    session.disconnect();
    await server.close();
  }
}

function render({ call, files, functions, workers }: Entered): string {
  const inWorkers = [...workers.values()].flat().length;
  return [
    call.padEnd(16),
    String(files).padStart(10),
    String(functions).padStart(13),
    String(workers.size).padStart(14),
    String(inWorkers).padStart(18),
  ].join("");
}

function list({ main, workers }: Entered): string {
  const lines = (title: string, files: Entered["main"]) =>
    [...files].flatMap(([file, names]) => [
      `  ${file}${title}`,
      ...names.map((name) => `    ${name}`),
    ]);
  return [...lines("", main), ...lines(" (worker thread)", workers)].join("\n");
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { list: { type: "boolean" }, help: { type: "boolean" } },
  });
  if (values.help) console.log(usage);
  else {
    const measured = await measureEnteredFunctions();
    console.log("call                 files    functions  worker files  worker functions");
    for (const entered of measured) {
      console.log(render(entered));
      if (values.list) console.log(list(entered));
    }
  }
}
