import { countOf } from "@wfh/server/lib/printable.ts";
import { get, isServerAt } from "@wfh/server/server/probe.ts";
import { localUrlOf } from "@wfh/server/server/settings/config.ts";
import type { Config } from "@wfh/server/server/settings/settings.ts";
import { newestSchemaVersion } from "@wfh/server/store/migrate.ts";
import { databaseAddressOf } from "@wfh/server/store/open-database.ts";
import { withDatabase } from "../../io/admin-context.ts";
import type { Command, DeclareCommand, SharedOptions } from "../../io/command.ts";
import { CommandError, exitCodes } from "../../io/exit-codes.ts";
import { openConfiguredGazetteer } from "../../io/gazetteer.ts";
import { formatInstant } from "../../io/options.ts";
import { printReport, type Section } from "../../io/report.ts";
import { readSettings } from "../../io/settings.ts";
import type { Terminal } from "../../io/terminal.ts";

const help = `
Examples:
  sudo wfh status                           ask the server that is installed as a service
  wfh status --json                         print the same as one JSON object

Queries the server that runs on this machine with the same settings. Start time, nodes and queue
come from its metrics, which need WFH_ADMIN_PORT or WFH_METRICS=on. Exit codes: 0 the server is
ready, 1 it is not.
`;

/** `wfh status`. */
export const declareCommand: DeclareCommand = (command) =>
  command.shared("json", "config").addHelpText("after", help).run(showStatus);

async function showStatus(options: SharedOptions, { terminal }: Command): Promise<number> {
  const data = await readStatus(readSettings(options.config, terminal), terminal);
  printReport(terminal, options, data, describeStatus);
  return data.state === "ready" ? exitCodes.done : exitCodes.no;
}

async function readStatus(config: Config, terminal: Terminal) {
  const metrics = await readMetrics(config);
  const startS = metrics("process_start_time_seconds")?.value;
  return {
    ...(await findServer(config)),
    startedAt: startS === undefined ? null : formatInstant(Math.round(startS * 1_000)),
    nodes: metrics("wfh_nodes")?.value ?? null,
    queuedPageRequests: metrics("wfh_page_requests_queued")?.value ?? null,
    postalDataDate:
      metrics("wfh_gazetteer_info")?.labels["data_date"] ??
      (await openConfiguredGazetteer(config, terminal)).facts.dataDate,
    database: await readDatabase(config),
  };
}

interface ServerState {
  readonly state: "ready" | "not ready" | "not running" | "another program" | "unknown";
  readonly url: string | null;
  readonly version: string | null;
  /** Why it is not ready, in one word. */
  readonly reason: string | null;
}

async function findServer({ host, port }: Config): Promise<ServerState> {
  const url = port === 0 ? null : localUrlOf(host, port);
  const none = { url, version: null, reason: null };
  if (url === null) return { state: "unknown", ...none };
  const ready = await get(`${url}/readyz`);
  if (ready === null) return { state: "not running", ...none };
  if (!(await isServerAt(url))) return { state: "another program", ...none };
  const version = textAt((await get(`${url}/api/v1/openapi.json`))?.text, "info", "version");
  if (ready.status === 200) return { state: "ready", ...none, version };
  return { state: "not ready", url, version, reason: textAt(ready.text, "reason") };
}

/** A text within a JSON document; null where it is absent. */
function textAt(json: string | undefined, ...path: readonly string[]): string | null {
  try {
    let value: unknown = JSON.parse(json ?? "");
    for (const name of path) value = (value as Record<string, unknown>)[name];
    return typeof value === "string" ? value : null;
  } catch {
    return null;
  }
}

/** Reads the metrics of the server; where they cannot be read, no name has any. */
async function readMetrics(config: Config) {
  const { adminHost, adminPort, host, port, metrics, metricsToken } = config;
  const hasAdmin = adminPort !== "off" && adminPort !== 0 && metrics !== "off";
  const isOpen = metrics === "on" && port !== 0;
  const base = hasAdmin ? localUrlOf(adminHost, adminPort) : isOpen && localUrlOf(host, port);
  const headers = metricsToken === "" ? {} : { Authorization: `Bearer ${metricsToken}` };
  const text = base === false ? "" : ((await get(`${base}/metrics`, headers))?.text ?? "");
  return (name: string) => {
    const [, labels, value] = new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, "m").exec(text) ?? [];
    if (value === undefined) return null;
    const pairs = [...(labels ?? "").matchAll(/\b(\w+)="([^"]*)"/g)];
    const named: Record<string, string> = Object.fromEntries(
      pairs.map(([, key, one]) => [key, one]),
    );
    return { value: Number(value), labels: named };
  };
}

/** The schema of the database, or why it cannot be used. */
async function readDatabase({ databaseUrl }: Config) {
  const address = databaseAddressOf(databaseUrl).shown;
  try {
    await withDatabase(
      ({ openAdmin }) => openAdmin(databaseUrl, "read"),
      async () => {},
    );
    return { address, schemaVersion: newestSchemaVersion, problem: null };
  } catch (cause) {
    if (!(cause instanceof CommandError)) throw cause;
    return { address, schemaVersion: null, problem: cause.message };
  }
}

type StatusData = Awaited<ReturnType<typeof readStatus>>;

function describeStatus(data: StatusData): readonly Section[] {
  const { startedAt, nodes, queuedPageRequests: queued, database } = data;
  const facts: readonly (readonly [string, string | null])[] = [
    ["Server", describeServer(data)],
    ["Version", data.version],
    [
      "Started",
      startedAt && `${startedAt}, ${describeAge(Date.now() - Date.parse(startedAt))} ago`,
    ],
    ["Nodes", nodes === null ? null : String(nodes)],
    ["Queue", queued === null ? null : `${countOf(queued, "page request")} to be written`],
    ["Postal data", `of ${data.postalDataDate}`],
    [
      "Database",
      database.problem?.split("\n")[0] ?? `${database.address}, schema ${database.schemaVersion}`,
    ],
  ];
  return [{ facts: facts.flatMap(([name, value]) => (value === null ? [] : [[name, value]])) }];
}

function describeServer({ state, url, reason }: StatusData): string {
  switch (state) {
    case "ready":
      return `ready at ${url}`;
    case "not ready":
      return `not ready at ${url}${reason === null ? "" : ` (${reason})`}: see its log`;
    case "not running":
      return `not running: nothing responds at ${url}`;
    case "another program":
      return `not running: another program uses ${url}`;
    case "unknown":
      return "unknown: WFH_PORT=0 picks another port at each start";
  }
}

/** Days and hours, hours and minutes, or less, of a time in milliseconds. */
function describeAge(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  const days = Math.floor(minutes / 1_440);
  const hours = Math.floor(minutes / 60) % 24;
  if (days > 0) return `${countOf(days, "day")} ${hours} h`;
  return hours > 0 ? `${hours} h ${minutes % 60} min` : `${minutes} min`;
}
