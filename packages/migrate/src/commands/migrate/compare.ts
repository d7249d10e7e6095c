import { statSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { Readable } from "node:stream";
import {
  type Command,
  type DeclareCommand,
  type SharedOptions,
  valueOption,
} from "@wfh/cli/io/command.ts";
import { CommandError, exitCodes, usingFile } from "@wfh/cli/io/exit-codes.ts";
import { parseSeconds } from "@wfh/cli/io/options.ts";
import { Progress } from "@wfh/cli/io/progress.ts";
import { refuseProtectedFile } from "@wfh/cli/io/protected-files.ts";
import { firstLines, printReport, type Section } from "@wfh/cli/io/report.ts";
import { readSettings } from "@wfh/cli/io/settings.ts";
import { interruptible, type Terminal } from "@wfh/cli/io/terminal.ts";
import { countOf, toPrintable } from "@wfh/server/lib/printable.ts";
import type { Config } from "@wfh/server/server/settings/settings.ts";
import { renderComparisonPage } from "../../compare/comparison-page.ts";
import {
  type ComparisonReport,
  ComparisonTally,
  type DifferenceGroup,
  noOperation,
} from "../../compare/comparison-tally.ts";
import { LiveComparison, replay } from "../../compare/replay.ts";
import { RuleBook } from "../../compare/rules.ts";
import { readRules } from "../../compare/rules-file.ts";
import type { Exchange } from "../../exchange.ts";
import type { ListenAddress } from "../../listener.ts";
import { readRecording } from "../../recording.ts";
import { Upstream } from "../../upstream.ts";
import { compileServices, otherPathsAdvice } from "./configured-services.ts";
import { parseListen, parseServer, passOnCalls } from "./pass-on.ts";
import { withScratchServer } from "./scratch-server.ts";

const help = `
Examples:
  wfh migrate compare old.ndjson            send recorded requests to this program, and compare
  wfh migrate compare old.ndjson --html report.html --rules own-rules.toml
                                            also write a page; explain differences by your own rules
  wfh migrate compare --listen 127.0.0.1:8090 --old http://192.0.2.20 --ours http://127.0.0.1:8080
                                            compare live; callers get the old server's responses

Compares status, headers, and XML and JSON by their meaning. A response is identical, explained by a
rule, or different. Without --ours, requests go to a server in this process, with your settings and
postal codes, and an empty database that is removed afterwards.

Calls that change something, such as LogPageRequestAsync, are only sent with --with-side-effects;
with --ours, that server stores them. Log-ins can only be compared live: recordings have no
passwords. Callers of --listen never wait for our server.

Your own rules can explain a different value of a field, or a header that only the old server sends:

  [[rule]]
  name = "active"
  reason = "the old server never set it"
  path = "**/Country/Active"                * matches one step, ** any number of steps
  operation = "PostalCodeToCityState"       optional, as is binding = "soap11"
  kind = "ignore-value"                     same type; or "mapped": always the same other value;
                                            "matches" with old = "…" and ours = "…", regular
                                            expressions; or "missing" with path =
                                            "headers/Set-Cookie"

Exit codes: 0 no difference, 1 differences, 2 invalid command line or rules, 69 failed: a line of
the recording cannot be read, nothing was compared, or our server did not respond, 78 invalid
settings, 130 interrupted.
`;

/** Groups of differences, unless --all is given. */
const groupsShown = 20;
/** Unreadable lines that are named: a file that is no recording may have thousands of them. */
const unreadableShown = 20;

interface CompareOptions extends SharedOptions {
  readonly listen?: ListenAddress;
  readonly old?: URL;
  readonly ours?: URL;
  readonly withSideEffects?: boolean;
  readonly rules?: string;
  readonly html?: string;
  readonly timeout: number;
}

interface Context {
  readonly config: Config;
  readonly comparison: ComparisonTally;
  readonly terminal: Terminal;
}

/** Adds `migrate compare`. */
export const addCompare: DeclareCommand = (group) => {
  group
    .command("compare")
    .description("Compare our responses with those of the old server")
    .argument("[recording]", "recording or HAR 1.2 file; not with --listen")
    .value("--listen <address>", "address to listen on for a live comparison", parseListen)
    .value("--old <url>", "address of the old server, with --listen", parseServer)
    .value("--ours <url>", "address of our server (default: one in this process)", parseServer)
    .option("--with-side-effects", "also send calls that change something")
    .option("--rules <file>", "file with your own rules, in TOML")
    .option("--html <file>", "also write a page with differences side by side")
    .addOption(
      valueOption("--timeout <seconds>", "longest wait for a response", parseSeconds).default(30),
    )
    .option("--all", "show all differences")
    .shared("json", "quiet", "config")
    .addHelpText("after", help)
    .run(compare);
};

/** Prints the report. Resolves to the exit code: `no` when there are differences. */
async function compare(
  recording: string | undefined,
  options: CompareOptions,
  { terminal }: Command,
): Promise<number> {
  const config = readSettings(options.config, terminal);
  const { html, listen, old, ours } = options;
  const live = listen && old && ours && { listen, old, ours };
  const isUsable = recording === undefined ? live : !(listen || old);
  if (!isUsable) {
    throw new CommandError(
      "Name a recording, or compare live with --listen, --old and --ours.",
      exitCodes.usage,
    );
  }
  const inputs = [recording, options.rules].filter((one) => one !== undefined);
  if (html !== undefined) refuseProtectedFile(html, "a report", config, inputs);
  const rules = new RuleBook(options.rules === undefined ? [] : readRules(options.rules));
  const comparison = new ComparisonTally(rules, compileServices(config).redact);
  const context = { config, comparison, terminal };
  const at = new Date().toISOString();
  let unreadable = 0;
  if (recording !== undefined) unreadable = await compareRecording(recording, options, context);
  else if (live !== undefined) await compareLive(live, options, context);
  const report = comparison.report();
  printReport(terminal, options, report, () => describe(report, options));
  if (html !== undefined) {
    const compared = recording ? basename(recording) : `${old?.origin} and ${ours?.origin}`;
    const page = renderComparisonPage(report, compared, at);
    usingFile(html, () => writeFileSync(html, page, { mode: 0o600 }));
  }
  const isEmpty = report.identical + report.explained + report.different === 0;
  if (isEmpty) terminal.err("Nothing was compared.\n");
  if (isEmpty || unreadable + report.withoutResponse > 0) return exitCodes.failed;
  return report.different > 0 ? exitCodes.no : exitCodes.done;
}

function openOurs(url: URL, { timeout }: CompareOptions): Upstream {
  return new Upstream({ name: "Our server", url, host: url.host, silenceMs: timeout * 1_000 });
}

/** Resolves to the number of lines that cannot be read. */
async function compareRecording(
  path: string,
  options: CompareOptions,
  { config, comparison, terminal }: Context,
): Promise<number> {
  const { withSideEffects = false, quiet } = options;
  let unreadable = 0;
  const warn = (sentence: string) => terminal.err(`Warning: ${toPrintable(sentence)}\n`);
  const exchanges = readRecording(path, {
    ...compileServices(config),
    onTorn: warn,
    onUnreadable: (sentence) => {
      unreadable += 1;
      if (unreadable <= unreadableShown) warn(sentence);
    },
  });
  const replayTo = async (url: URL, signal: AbortSignal) => {
    const progress = new Progress(terminal, { verb: "Comparing", noun: "exchanges", quiet });
    const server = openOurs(url, options);
    const untilAborted = Readable.from(progress.count(exchanges), { signal });
    try {
      await replay(untilAborted, { server, comparison, withSideEffects, isLive: false, signal });
    } finally {
      progress.close();
      server.close();
    }
  };
  // Before a server starts for nothing.
  statSync(path);
  await interruptible(terminal, "Interrupted.", async (signal) => {
    const { ours } = options;
    if (ours === undefined) {
      return withScratchServer(config, terminal, (url) => replayTo(url, signal));
    }
    if (withSideEffects) warn(`${ours.origin} stores what the recording sends.`);
    return replayTo(ours, signal);
  });
  if (unreadable > unreadableShown) {
    warn(`${path}: ${countOf(unreadable - unreadableShown, "further line")} cannot be read.`);
  }
  return unreadable;
}

/** Compares until it is interrupted. */
async function compareLive(
  { listen, old, ours: url }: Required<Pick<CompareOptions, "listen" | "old" | "ours">>,
  options: CompareOptions,
  { config, comparison, terminal }: Context,
): Promise<void> {
  const { withSideEffects = false, timeout, quiet } = options;
  const server = openOurs(url, options);
  const live = new LiveComparison({ server, comparison, withSideEffects, isLive: true });
  const passing = {
    listen,
    to: old,
    timeout,
    progress: { verb: "Comparing", noun: "exchanges", quiet },
    note: withSideEffects ? ` ${url.origin} stores what callers send.` : "",
    take: (exchange: Exchange) => live.add(exchange),
  };
  const { calls } = await passOnCalls(passing, config, terminal);
  await live.close();
  server.close();
  if (calls.length === 0) terminal.err(`No call came. ${otherPathsAdvice}\n`);
}

function describe(report: ComparisonReport, { all = false }: CompareOptions): readonly Section[] {
  const { calls, differences, rules, reasons, identical, explained, different } = report;
  const lines = differences.map(describeGroup);
  const toLines = (counts: ComparisonReport["rules"]) =>
    counts.map(({ name, reason, count }) =>
      name === reason ? `${count} x ${reason}` : `${count} x ${name}: ${reason}`,
    );
  return [
    {
      header: ["Operation", "Binding", "Identical", "Explained", "Different", "Not compared"],
      rows: calls.map((call) => [
        call.operation ?? noOperation,
        call.binding,
        call.identical,
        call.explained,
        call.different,
        call.notCompared,
      ]),
    },
    { title: "Explained by rules", lines: toLines(rules) },
    { title: "Not compared", lines: toLines(reasons) },
    {
      title: "Differences",
      lines: firstLines(lines, all ? lines.length : groupsShown, "--all shows them"),
    },
    `${countOf(different, "response")} different, ${explained} explained, ${identical} identical`,
  ];
}

function describeGroup({ operation, binding, path, kind, old, ours, ...rest }: DifferenceGroup) {
  const short = (value: string | null) =>
    value === null
      ? "nothing"
      : JSON.stringify(value.length > 120 ? `${value.slice(0, 120)}…` : value);
  const note = rest.note === undefined ? "" : ` (${rest.note})`;
  const place = [operation ?? noOperation, binding, path].filter((part) => part !== null).join(" ");
  return `${rest.count} x ${place}, ${kind}: was ${short(old)}, is ${short(ours)}${note}`;
}
