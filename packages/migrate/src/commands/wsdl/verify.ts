import {
  type Command,
  type DeclareCommand,
  type SharedOptions,
  valueOption,
} from "@wfh/cli/io/command.ts";
import { exitCodes } from "@wfh/cli/io/exit-codes.ts";
import { notAllowed, parseSeconds } from "@wfh/cli/io/options.ts";
import { printReport, type Section } from "@wfh/cli/io/report.ts";
import { readSettings } from "@wfh/cli/io/settings.ts";
import { type Input, requireInput, standardInput, type Terminal } from "@wfh/cli/io/terminal.ts";
import { ajaxEndpoint } from "@wfh/server/contract/ajax-endpoint.ts";
import { locationHelper } from "@wfh/server/contract/location-helper.ts";
import { countOf, toPrintable } from "@wfh/server/lib/printable.ts";
import { type Config, servicePath, settings } from "@wfh/server/server/settings/settings.ts";
import { readWsdl } from "../../wsdl/documents.ts";
import {
  compareWsdl,
  type WsdlComparison,
  type WsdlDifference,
} from "../../wsdl/wsdl-comparison.ts";

const help = `
Examples:
  wfh wsdl verify "http://old.example.com/Services/LocationUIHelper.asmx?WSDL"
  wfh wsdl verify "http://old.example.com/Services/WebFormsAjaxEndpoint.svc?wsdl"
  wfh wsdl verify saved.wsdl --json         compare a file, print one JSON object
`;

const verifyHelp = `${help}
Prints settings to paste, and each difference in ports, operations, SOAP actions, elements, order,
types and namespaces. A namespace that you have to set counts as one difference; everything else is
compared as if it were already set. Nothing is changed.

Differences that most clients do not notice: the order of the parts of a request, nil and narrower
types in a request, names of types, and names of services and ports unless a client reads the WSDL
at run time.

Redirects and imports are followed only on the same scheme, host and port, and those of a file only
in its folder. If an import names an internal host, add that host to /etc/hosts and use it in the
URL. If the server requires a Windows log-in or supports only TLS 1.0, save the WSDL with a browser
(?singleWsdl if the server has it), and pass the file.

Exit codes: 0 no difference, 1 differences, 2 invalid command line, 69 the WSDL cannot be read or
describes another service, 78 invalid settings.
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

/** Prints the report. Resolves to the exit code: `no` when there are differences. */
async function verify(old: string, options: VerifyOptions, { terminal }: Command): Promise<number> {
  const config = readSettings(options.config, terminal);
  const documents = await readWsdl(parseSource(old, terminal), options.timeout * 1_000);
  const found = compareWsdl(documents, [
    { contract: locationHelper, namespace: config.locationNamespace },
    { contract: ajaxEndpoint, namespace: config.endpointNamespace },
  ]);
  // The comparison does not miss what no definition refers to, such as a policy.
  for (const problem of documents.failedImports) {
    terminal.err(`Warning: ${toPrintable(problem.replaceAll("\n", " "))}\n`);
  }
  const comparisons = found.map((one) => addSettings(one, config));
  const { length } = comparisons.flatMap(({ differences }) => differences);
  printReport(terminal, options, { differences: length, comparisons }, () => [
    ...comparisons.flatMap(describe),
    countOf(length, "difference"),
  ]);
  return length > 0 ? exitCodes.no : exitCodes.done;
}

/** Where to read from: a URL, the path of a file, or standard input. */
function parseSource(old: string, terminal: Terminal): string | Input {
  if (old === standardInput) return requireInput(terminal);
  if (old !== "" && !/^[a-z]+:\/\//i.test(old)) return old;
  const url = URL.parse(old);
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href;
  throw notAllowed("<old>", old, "an http or https URL, a file or -");
}

/** A comparison with the settings to paste. */
function addSettings({ contract, ...comparison }: WsdlComparison, config: Config) {
  const isLocation = contract === locationHelper;
  const pathSetting = isLocation ? "locationPaths" : "endpointPaths";
  const namespaceSetting = isLocation ? "locationNamespace" : "endpointNamespace";
  const known = config[pathSetting];
  const lowerCase = [contract.path, ...known].map((path) => path.toLowerCase());
  const added = comparison.addresses
    .map((address) => URL.parse(address)?.pathname ?? "")
    .filter((path) => servicePath.test(path) && !lowerCase.includes(path.toLowerCase()));
  const settingsToPaste = [];
  const { variable, parse } = settings[namespaceSetting];
  const isOther = comparison.namespace !== config[namespaceSetting];
  if (isOther && isAllowed(comparison.namespace, parse)) {
    settingsToPaste.push(`${variable}='${comparison.namespace}'`);
  }
  if (added.length > 0) {
    const paths = [...new Set([...known, ...added])];
    settingsToPaste.push(`${settings[pathSetting].variable}='${paths.join()}'`);
  }
  return { service: contract.name, ...comparison, settings: settingsToPaste };
}

function isAllowed(text: string, parse: (text: string) => unknown): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

function describe(comparison: ReturnType<typeof addSettings>): readonly Section[] {
  const { service, differences, addresses, settings: settingsToPaste } = comparison;
  return [
    `${service}: ${countOf(differences.length, "difference")}`,
    { title: "Settings to paste", lines: settingsToPaste },
    { title: "Differences", lines: differences.map(describeDifference) },
    { title: "Addresses that clients know", lines: addresses.filter((one) => one !== "") },
  ];
}

function describeDifference(difference: WsdlDifference): string {
  const { operation, part, what, old, ours, bindings } = difference;
  const where = operation === null ? "" : `${`${operation} ${part}`.trim()}: `;
  return `${where}${what} was ${old ?? "absent"}, is ${ours ?? "absent"} (${bindings.join(", ")})`;
}
