import { existsSync, writeFileSync } from "node:fs";
import { findStandardPlaces, labelState } from "@wfh/cli/imports/standard-places.ts";
import { readOverridesIfPossible } from "@wfh/cli/io/admin-context.ts";
import {
  type Command,
  type DeclareCommand,
  type SharedOptions,
  valueOption,
} from "@wfh/cli/io/command.ts";
import { CommandError, exitCodes, usingFile } from "@wfh/cli/io/exit-codes.ts";
import { openCurrentRelease } from "@wfh/cli/io/gazetteer.ts";
import { notAllowed, parseCount, parseSeconds } from "@wfh/cli/io/options.ts";
import { Progress } from "@wfh/cli/io/progress.ts";
import { firstLines, printReport } from "@wfh/cli/io/report.ts";
import { readSettings } from "@wfh/cli/io/settings.ts";
import { interruptible, type Terminal } from "@wfh/cli/io/terminal.ts";
import { limitCountries } from "@wfh/server/domain/location/limit-countries.ts";
import { PlaceLookup } from "@wfh/server/domain/location/lookup.ts";
import { OverrideGazetteer } from "@wfh/server/domain/location/override-gazetteer.ts";
import { builtInGazetteer, openArtifact } from "@wfh/server/gazetteer/format/artifact.ts";
import { gazetteerOf } from "@wfh/server/gazetteer/format/reader.ts";
import { countOf, formatCount, toShellWord } from "@wfh/server/lib/printable.ts";
import { toLocationResult } from "@wfh/server/operations/location.ts";
import type { Config } from "@wfh/server/server/settings/settings.ts";
import { fromJson } from "../../compare/tree.ts";
import {
  chooseCodes,
  compareResponses,
  type HarvestOutcome,
  outcomes,
  Responses,
  toCells,
} from "../../harvest/harvested-places.ts";
import { askForPlaces, type OldServerOptions } from "../../harvest/old-server.ts";
import { makeTable } from "./harvest-table.ts";

const help = `
Examples:
  wfh migrate harvest --from http://old.example.com/Services/LocationUIHelper.asmx --dry-run
                                            print the number of requests and the time they take
  wfh migrate harvest --from http://old.example.com/Services/LocationUIHelper.asmx
                                            request a sample, and write harvest.csv
  wfh places import table harvest.csv --dry-run   see what the table changes here
  wfh migrate harvest --from http://old.example.com/Services/LocationUIHelper.asmx --sweep
                                            request all codes of the states with differences

Looks up 500 random postal codes on the old server (--sample; one in ten is a random number), and
one code of each state that is not among them. Writes the places found, with their IDs and names, as
a table for wfh places import table, and compares them with ours.

Sends one request at a time, four a second (--rate), which takes about two minutes. Respects
Retry-After, and sends a failing request up to three times. Responses are saved in
harvest.csv.responses: if you run the same command again, it continues where it stopped. After the
import, it only compares again.

Exit codes: 0 both servers find the same places, 1 they do not, 2 invalid command line, 69 the old
server cannot be reached or a file cannot be used, 78 invalid settings, 130 interrupted.
`;

interface HarvestOptions
  extends SharedOptions,
    Pick<OldServerOptions, "from" | "binding" | "rate" | "timeout"> {
  readonly output: string;
  readonly sample: number;
  readonly sweep?: boolean;
}

/** Adds `migrate harvest`. */
export const addHarvest: DeclareCommand = (group) => {
  const from = valueOption("--from <url>", "URL of the old LocationUIHelper.asmx", parseAddress);
  const rate = valueOption("--rate <n>", "requests a second", parseCount);
  const timeout = valueOption("--timeout <seconds>", "longest wait for a response", parseSeconds);
  const sample = valueOption(
    "--sample <n>",
    "number of random postal codes to request",
    parseCount,
  );
  group
    .command("harvest")
    .description("Fetch IDs and places from the old server, to import them")
    .addOption(from.makeOptionMandatory())
    .option("-o, --output <file>", "table to write, for wfh places import table", "harvest.csv")
    .choice(
      "--binding <name>",
      "binding of the requests; SOAP responses have no continents",
      ["http-get", "soap11"],
      "http-get",
    )
    .addOption(rate.default(4))
    .addOption(timeout.default(30))
    .addOption(sample.default(500))
    .option("--sweep", "request all codes of the states with differences")
    .shared("dryRun", "json", "quiet", "config")
    .addHelpText("after", help)
    .run(harvest);
};

function parseAddress(name: string, text: string): string {
  const url = /^https?:/i.test(text) ? URL.parse(text) : null;
  if (url !== null && url.username + url.password === "") {
    return url.origin + url.pathname.replace(/(?<!\/)\/+$/, "");
  }
  // Not shown: it may contain a password.
  throw notAllowed(name, "…", "an http or https URL without a password");
}

/** Resolves to the exit code: `no` when the old server disagrees. */
async function harvest(options: HarvestOptions, { terminal }: Command): Promise<number> {
  const { output, dryRun } = options;
  const config = readSettings(options.config, terminal);
  const data = await openPostalData(config, terminal);
  const path = `${output}.responses`;
  if (existsSync(output) && !existsSync(path)) {
    throw new CommandError(`${output} exists, and is not of a harvest. Choose another --output.`);
  }
  const responses = new Responses(path, options.from);
  if (dryRun) {
    const { length: codes } = listPending(responses, data, options);
    const minutes = Math.ceil(codes / options.rate / 60);
    const plan = `${countOf(codes, "code")}, ${countOf(minutes, "minute")} at ${options.rate} a second`;
    printReport(terminal, options, { dryRun, codes, minutes }, () => [`Would ask for ${plan}.`]);
    return exitCodes.done;
  }
  await askAll(responses, data, { ...options, namespace: config.locationNamespace }, terminal);
  return report(compare(responses, data), data, options, terminal);
}

type PostalData = Awaited<ReturnType<typeof openPostalData>>;

/** Opens the look-up of this server, and all of its postal codes by state. */
async function openPostalData(config: Config, terminal: Terminal) {
  const { artifact } = await openCurrentRelease(config);
  const index = await readOverridesIfPossible(config, terminal);
  const served = limitCountries(gazetteerOf(artifact), config.countries);
  const gazetteer = new OverrideGazetteer(served, { index });
  const lookup = new PlaceLookup(gazetteer, config.countryPrecedence);
  const codes = Array.from(artifact.listKeys(), ([code]) => code).sort();
  const codesByState = Map.groupBy(codes, (code) => {
    const place = lookup.findPlace(code);
    return place === undefined ? "" : labelState(place.state);
  });
  // Overrides say that these are no places.
  codesByState.delete("");
  // What an import builds on, whatever an earlier one has changed.
  const standard = findStandardPlaces(artifact, openArtifact(builtInGazetteer));
  return { lookup, codesByState, standard };
}

/** Codes without a response: of the sample, and with --sweep of the states with other places. */
function listPending(responses: Responses, data: PostalData, options: HarvestOptions) {
  const { byCode } = responses;
  const codes = new Set(chooseCodes(data.codesByState, byCode, options.sample));
  const differing = options.sweep ? compare(responses, data).filter(hasOtherPlace) : [];
  for (const state of new Set(differing.map((one) => one.state))) {
    for (const code of data.codesByState.get(state) ?? []) if (!byCode.has(code)) codes.add(code);
  }
  return [...codes];
}

async function askAll(
  responses: Responses,
  data: PostalData,
  options: HarvestOptions & Pick<OldServerOptions, "namespace">,
  terminal: Terminal,
): Promise<void> {
  const { byCode } = responses;
  const progress = new Progress(terminal, { verb: "Asking", noun: "codes", quiet: options.quiet });
  await interruptible(terminal, "Interrupted. The same command continues.", async (signal) => {
    // What is to be swept is known after the sample.
    const listNext = () => listPending(responses, data, options);
    for (let codes = listNext(); codes.length > 0; codes = listNext()) {
      const end = byCode.size + codes.length;
      for await (const [code, response] of askForPlaces(codes, { ...options, signal })) {
        responses.add(code, response);
        progress.update(byCode.size, byCode.size / end);
      }
    }
  }).finally(() => progress.close());
}

type Compared = ReturnType<typeof compare>[number];

/** The responses, each compared with ours, and our state. */
function compare({ byCode }: Responses, { lookup }: PostalData) {
  return [...byCode].map(([postalCode, old]) => {
    const place = lookup.findPlace(postalCode);
    const ours = place ? toCells(fromJson(JSON.stringify(toLocationResult(place)))) : null;
    const state = place ? labelState(place.state) : "none";
    return { postalCode, old, ours, state, outcome: compareResponses(old, ours) };
  });
}

/** True where an import of IDs and names alone does not make the responses equal. */
function hasOtherPlace({ outcome }: Compared): boolean {
  return ["otherPlace", "notFoundThere", "notFoundHere"].includes(outcome);
}

const listedMax = 10;
const outcomeNames = Object.keys(outcomes) as HarvestOutcome[];

/** Writes the table, and prints how the responses differ. */
function report(
  compared: readonly Compared[],
  { standard }: PostalData,
  options: HarvestOptions,
  terminal: Terminal,
): number {
  const { output } = options;
  const places = compared.flatMap(({ postalCode, old, ours }) =>
    old === null || old instanceof Error ? [] : [{ postalCode, old, ours }],
  );
  const table = makeTable(places, standard);
  usingFile(output, () => writeFileSync(output, table.csv));
  const notes = [...table.notes, ...describeMissing(compared)];
  const byState = [...Map.groupBy(compared, ({ state }) => state)].toSorted();
  const result = {
    output,
    places: places.length,
    total: countOutcomes("all", compared),
    notes,
    states: byState.map(([state, all]) => countOutcomes(state, all)),
    failed: compared.flatMap(({ postalCode, old }) =>
      old instanceof Error ? [`${postalCode}: ${old.message}`] : [],
    ),
  };
  const disagreeing = result.states.filter(({ asked, same }) => same < asked);
  const rows = [...disagreeing, result.total].map((row) => [
    row.state,
    row.asked,
    ...outcomeNames.map((name) => row[name]),
  ]);
  const differing = compared.filter(hasOtherPlace).length;
  const share = ((100 * differing) / Math.max(1, compared.length)).toFixed(1);
  const onlyIds = `only IDs or names for ${formatCount(result.total.otherIds)}`;
  printReport(terminal, options, result, () => [
    { header: ["State", "Asked", ...Object.values(outcomes)], rows },
    `Places differ for ${formatCount(differing)} of ${countOf(compared.length, "code")} (${share} %), ${onlyIds}.`,
    { title: "Failed; the same command asks again", lines: firstLines(result.failed, listedMax) },
    { title: "What the table cannot express", lines: firstLines(notes, listedMax) },
    `Wrote ${countOf(places.length, "place")}. Next: wfh places import table ${toShellWord(output)} --dry-run`,
  ]);
  return result.total.same === compared.length ? exitCodes.done : exitCodes.no;
}

/** Notes on codes that the old server does not find; one note for a country without any. */
function describeMissing(compared: readonly Compared[]): readonly string[] {
  const notes: string[] = [];
  for (const [country, all] of Map.groupBy(compared, ({ ours }) => ours?.countryCode)) {
    const missing = all.filter(({ outcome }) => outcome === "notFoundThere");
    if (missing.length > 1 && missing.length === all.length) {
      notes.unshift(`The old server knows no code of ${country} (${all.length} asked)`);
      continue;
    }
    for (const { postalCode } of missing) {
      const override = `wfh places override ${postalCode} --country ${country} --not-found`;
      notes.push(`${postalCode} is not found there; to respond likewise: ${override}`);
    }
  }
  return notes;
}

function countOutcomes(state: string, all: readonly Compared[]) {
  const count = (name: HarvestOutcome) => all.filter(({ outcome }) => outcome === name).length;
  const counts = Object.fromEntries(outcomeNames.map((name) => [name, count(name)]));
  return { state, asked: all.length, ...(counts as Record<HarvestOutcome, number>) };
}
