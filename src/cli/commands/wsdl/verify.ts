import { ajaxEndpoint } from "../../../contract/ajax-endpoint.ts";
import { locationHelper } from "../../../contract/location-helper.ts";
import { type Comparison, compareWsdl } from "../../../migration/wsdl/compare.ts";
import { readWsdl, WsdlError } from "../../../migration/wsdl/documents.ts";
import type { Difference } from "../../../migration/wsdl/impact.ts";
import { type Config, servicePath, settings } from "../../../server/settings/settings.ts";
import {
  type Command,
  type DeclareCommand,
  type SharedOptions,
  valueOption,
} from "../../command.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { notAllowed, parseSeconds } from "../../io/options.ts";
import { countOf, toPrintable } from "../../io/printable.ts";
import { printReport, type Section } from "../../io/report.ts";
import { type Input, requireInput, standardInput, type Terminal } from "../../io/terminal.ts";
import { readSettings } from "../../settings.ts";

const help = `
Examples:
  wfh wsdl verify "http://old.example.com/Services/LocationUIHelper.asmx?WSDL"
  wfh wsdl verify "http://old.example.com/Services/WebFormsAjaxEndpoint.svc?wsdl"
  wfh wsdl verify saved.wsdl --json         compare a file, print one JSON object
`;

const verifyHelp = `${help}
Compares by meaning: ports, operations, SOAP actions, elements with their order, types and
namespaces. Each difference comes with whether clients notice it, and the setting that removes it.
A namespace to be set counts as noticed; the rest is compared as if it were set. Nothing is changed.

Imports and redirects are followed at the same scheme, host and port; imports of a file in its
folder. If one names an internal host, add that host to /etc/hosts and use it in the URL. If the
server asks for a Windows log-in or speaks only TLS 1.0, save the WSDL with a browser, from
?singleWsdl where the server has it.

Exit codes: 0 clients notice nothing, 1 clients notice a difference, 2 invalid command line or
settings, 3 the WSDL cannot be read or is of another service.
`;

interface VerifyOptions extends SharedOptions {
  readonly timeout: number;
}

/** Adds `wsdl` and its command. */
export const declareCommand: DeclareCommand = (group) =>
  group
    .addHelpText("after", help)
    .command("verify")
    .description("Compare the WSDL of an old server with ours")
    .argument("<old>", "URL or file of the old WSDL; - reads standard input")
    .addOption(
      valueOption(
        "--timeout <seconds>",
        "longest wait for all documents of a URL",
        parseSeconds,
      ).default(30),
    )
    .shared("json", "config")
    .addHelpText("after", verifyHelp)
    .run(verify);

/** Prints the report. Resolves to the exit code: `no` when clients notice a difference. */
async function verify(old: string, options: VerifyOptions, { terminal }: Command): Promise<number> {
  const config = readSettings(options.config, terminal);
  const comparisons = (await compare(old, options, config, terminal)).map((one) => ({
    ...one,
    ...findPaths(one, config),
  }));
  const all = comparisons.flatMap(({ differences }) => differences);
  const harmless = all.filter(({ clients }) => clients === "no").length;
  const data = { noticed: all.length - harmless, harmless, comparisons };
  printReport(terminal, options, data, () => [
    ...comparisons.flatMap(describe),
    `${countOf(data.noticed, "difference")} that clients notice, ${harmless} that they do not`,
  ]);
  return data.noticed > 0 ? exitCodes.no : exitCodes.done;
}

async function compare(
  old: string,
  { timeout }: VerifyOptions,
  { locationNamespace, endpointNamespace }: Config,
  terminal: Terminal,
): Promise<readonly Comparison[]> {
  try {
    const documents = await readWsdl(parseSource(old, terminal), timeout * 1_000);
    const comparisons = compareWsdl(documents, [
      {
        contract: locationHelper,
        namespace: locationNamespace,
        setting: settings.locationNamespace,
      },
      {
        contract: ajaxEndpoint,
        namespace: endpointNamespace,
        setting: settings.endpointNamespace,
      },
    ]);
    // The comparison does not miss what no definition refers to, such as a policy.
    const problems = documents.failedImports.map((one) => toPrintable(one.replaceAll("\n", " ")));
    for (const problem of problems) terminal.err(`Warning: ${problem}\n`);
    return comparisons;
  } catch (cause) {
    if (!(cause instanceof WsdlError)) throw cause;
    const lines = cause.message.split("\n").map(toPrintable);
    throw new CommandError(lines.join("\n"), exitCodes.failed, cause);
  }
}

/** Where to read from: a URL, the path of a file, or standard input. */
function parseSource(old: string, terminal: Terminal): string | Input {
  if (old === standardInput) return requireInput(terminal);
  if (old !== "" && !/^[a-z]+:\/\//i.test(old)) return old;
  const url = URL.parse(old);
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href;
  throw notAllowed("<old>", old, "an http or https URL, a file or -");
}

/** All paths at which clients know a service, and the setting for those that are new, to be pasted; null without one. */
function findPaths({ service, path, addresses }: Comparison, config: Config) {
  const name = service === locationHelper.name ? "locationPaths" : "endpointPaths";
  const known = [path, ...config[name]];
  const added = Object.values(addresses)
    .map((address) => URL.parse(address)?.pathname ?? "")
    .filter((old) => servicePath.test(old) && findEnd(old, known) === undefined);
  const paths = [...new Set([...known, ...added])];
  const pathFix = `${settings[name].variable}='${paths.slice(1).join()}'`;
  return { paths, pathFix: added.length > 0 ? pathFix : null };
}

function describe(comparison: Comparison & ReturnType<typeof findPaths>): readonly Section[] {
  const { service, differences, addresses, paths, pathFix } = comparison;
  const fixes = [...differences, { fix: pathFix }].flatMap(({ fix }) => fix ?? []);
  const linesOf = (isNoticed: boolean) =>
    differences
      .filter(({ clients }) => (clients !== "no") === isNoticed)
      .flatMap(describeDifference);
  return [
    `${service}: ${countOf(differences.length, "difference")}`,
    { title: "Settings to paste", lines: fixes },
    { title: "Clients notice", lines: linesOf(true) },
    { title: "No client notices", lines: linesOf(false) },
    {
      title: "Addresses that clients know",
      lines: [...new Set(Object.values(addresses))]
        .filter((one) => one !== "")
        .map((one) => describeAddress(one, paths)),
    },
  ];
}

function findEnd(address: string, paths: readonly string[]): string | undefined {
  return paths.find((path) => address.toLowerCase().endsWith(path.toLowerCase()));
}

/** An address of the old server, and what this server needs to take it over. */
function describeAddress(address: string, paths: readonly string[]): string {
  const path = findEnd(address, paths);
  if (path === undefined) return `${address}: here it is ${paths[0]}; a proxy has to forward it`;
  const base = address.slice(0, -path.length);
  // It is to be pasted: no character in it means anything to a shell.
  const isPlain = /^https?:\/\/[\w.:[\]-]+(?:\/[\w.~-]+)*$/.test(base);
  return isPlain ? `${address}: to take it over, WFH_BASE_URL='${base}'` : address;
}

/** What differs, and below it whether clients notice. */
function describeDifference(difference: Difference): readonly string[] {
  const { operation, message, part, what, old, ours, clients, reason, bindings } = difference;
  const where = [operation, message, part].filter((name) => name !== null).join(" ");
  const change = `${what} was ${old ?? "absent"}, is ${ours ?? "absent"} (${bindings.join(", ")})`;
  return [
    where === "" ? change : `${where}: ${change}`,
    `  ${clients === "only when" ? "Only when " : ""}${reason}`,
  ];
}
