import { resolve } from "node:path";
import { Option } from "commander";
import { operations, type Routes, warningsOf } from "../../../migration/route/routes.ts";
import { openConfiguredLog } from "../../../server/log.ts";
import { shutDown, shutdownReason } from "../../../server/shutdown.ts";
import type { Command, DeclareCommand, SharedOptions } from "../../command.ts";
import { exitCodes } from "../../exit-codes.ts";
import { notAllowed } from "../../io/options.ts";
import { printReport, type Section } from "../../io/report.ts";
import { readSettings } from "../../settings.ts";
import { checkServer } from "./options.ts";
import {
  changeRouteFile,
  compareRoutes,
  planChange,
  readRouteFile,
  type Setting,
} from "./route-file.ts";
import { type Routing, startRouting } from "./route-server.ts";
import { compileServices } from "./services.ts";

const routeHelp = `
Examples:
  wfh migrate route routes.toml             serve the address of the file
  wfh migrate route routes.toml --check     check the file, and show what goes where
  wfh migrate route routes.toml --set LogInUser=old
                                            send one operation back to the old server
  wfh migrate route routes.toml --set everything=old
                                            send every request back, whatever the rules are
  wfh migrate route routes.toml --set everything=listed
                                            follow the rules again

A file of routes; docs/route.md and examples/routes.toml explain all keys:

  listen = "127.0.0.1:8090"
  old = "http://192.0.2.20"
  new = "http://127.0.0.1:8080"
  default = "old"
  [operations]
  PostalCodeToCityState = "new-or-old"      the old server where ours fails
  LogInUser = "25% new"                     ours for a quarter of the clients

The file is read again within a second after it changed, and on SIGHUP. Requests under way finish
where they began. A file that is not valid changes nothing.

Exit codes: 0 done, 2 invalid command line, settings or route file, 3 failed.
`;

interface RouteOptions extends SharedOptions {
  readonly check?: true;
  readonly set?: readonly Setting[];
}

/** `wfh migrate route`. */
export const addRoute: DeclareCommand = (group) => {
  const set = new Option(
    "--set <key=value>",
    "change a rule or another value of the file; can be repeated",
  );
  group
    .command("route")
    .description("Send each operation to the old server or to ours")
    .argument("<file>", "routes in TOML")
    .option("--check", "show what goes where, or what --set would change; write nothing")
    .addOption(set.argParser(readSetting))
    .shared("json", "config")
    .addHelpText("after", routeHelp)
    .run(route);
};

function readSetting(text: string, others: readonly Setting[] = []): readonly Setting[] {
  const [, key, value] = /^(\w+)=(.*)$/s.exec(text) ?? [];
  if (key !== undefined && value !== undefined) return [...others, [key, value]];
  throw notAllowed("--set", text, "a key with its value, such as LogInUser=old");
}

async function route(file: string, options: RouteOptions, { terminal }: Command): Promise<number> {
  const routes = readRouteFile(file);
  const { check, set } = options;
  if (check || set !== undefined) {
    const { before, after } = await planOrChange(file, routes, options);
    const warnings = [...warningsOf(after)];
    if (set !== undefined) await checkServer("new", after.new, (one) => warnings.push(one));
    const change = compareRoutes(file, before, after);
    const data = { routes: after.texts, warnings, ...(change && { ...change, written: !check }) };
    printReport(terminal, options, data, describe);
    return exitCodes.done;
  }
  const config = readSettings(options.config, terminal);
  const log = openConfiguredLog(config);
  const { recognize } = compileServices(config);
  let running: Routing | undefined;
  // Before it listens: a signal that comes at once must not end it halfway.
  const stopping = shutdownReason(() => running?.reload(), log);
  const calls = { recognize, bytesMax: config.bodyBytesMax };
  const routing = await startRouting(resolve(file), calls, log);
  running = routing;
  for (const side of ["old", "new"] as const) {
    void checkServer(side, routes[side], (warning) => log.warn(warning));
  }
  const isClean = await shutDown(await stopping, log, () => routing.close(config.drainMs));
  return isClean ? exitCodes.done : exitCodes.failed;
}

async function planOrChange(
  file: string,
  routes: Routes,
  { check, set }: RouteOptions,
): Promise<{ readonly before: Routes; readonly after: Routes }> {
  if (set === undefined) return { before: routes, after: routes };
  return check ? planChange(file, set) : changeRouteFile(file, set);
}

interface Described extends Partial<NonNullable<ReturnType<typeof compareRoutes>>> {
  readonly routes: Routes["texts"];
  readonly warnings: readonly string[];
  readonly written?: boolean;
}

function describe(described: Described): readonly Section[] {
  const { routes, warnings, changes = [], goBack, written = false } = described;
  const rules = Object.entries(routes).filter(([name]) => name in operations);
  const others = Object.entries(routes).filter(([name]) => !(name in operations));
  return [
    { title: written ? "Changed" : "Would change", lines: changes },
    { header: ["requests", "go to"], rows: [...rules, ["all others", "old"]] },
    { facts: others.map(([name, value]) => [name, value || "none"]) },
    { title: "Warnings", lines: warnings },
    { title: "To go back", lines: written && goBack !== undefined ? [goBack] : [] },
  ];
}
