import { existsSync, writeFileSync } from "node:fs";
import { compileBinding } from "../../../bindings/compile-binding.ts";
import { locationHelper } from "../../../contract/location-helper.ts";
import { PlaceLookup } from "../../../domain/location/lookup.ts";
import { OverrideGazetteer } from "../../../domain/location/override-gazetteer.ts";
import {
  builtInGazetteer,
  openArtifact,
  readArtifact,
} from "../../../gazetteer/format/artifact.ts";
import { unpackKey } from "../../../gazetteer/format/layout.ts";
import { gazetteerOf } from "../../../gazetteer/format/reader.ts";
import { findStandardPlaces, labelState } from "../../../gazetteer/import/standard-places.ts";
import { fillRequest } from "../../../metadata/samples/request.ts";
import {
  chooseCodes,
  compareResponses,
  HarvestFile,
  type Outcome,
  outcomes,
} from "../../../migration/harvest/harvest.ts";
import { HarvestError, OldServer } from "../../../migration/harvest/old-server.ts";
import { toLocationResult } from "../../../operations/location.ts";
import type { Config } from "../../../server/settings/settings.ts";
import { readOverridesIfPossible } from "../../admin-context.ts";
import {
  type Command,
  type DeclareCommand,
  type SharedOptions,
  valueOption,
} from "../../command.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { readServedGazetteer } from "../../gazetteer.ts";
import { notAllowed, parseSeconds } from "../../io/options.ts";
import { countOf, formatCount, toShellWord } from "../../io/printable.ts";
import { Progress } from "../../io/progress.ts";
import { firstLines, printReport } from "../../io/report.ts";
import { interruptible, type Terminal } from "../../io/terminal.ts";
import { readSettings } from "../../settings.ts";
import { type HarvestedPlace, makeTable } from "./harvest-table.ts";

const help = `
Examples:
  wfh migrate harvest --from http://old.example.com/Services/LocationUIHelper.asmx --dry-run
                                            print how many requests, and how long they take
  wfh migrate harvest --from http://old.example.com/Services/LocationUIHelper.asmx
                                            ask for a sample, and write harvest.csv
  wfh import places harvest.csv --dry-run   see what the table changes here
  wfh migrate harvest --from http://old.example.com/Services/LocationUIHelper.asmx --sweep
                                            ask for all codes of the states that disagree

Asks the old server for a code of each state, and for 500 random codes. A tenth of those are any
numbers of five digits. The responses are compared with ours, and written as a table of custom
places with the old IDs and names. They are kept in harvest.csv.responses, beside the table. The
same command continues where it stopped, and after the import it compares again without a request.

Requests go one at a time, four a second (--rate). Retry-After is respected. A request that fails is
repeated twice, after pauses. Over SOAP the old server has no continents.

Exit codes: 0 the old server responds as we do, 1 it does not, 2 invalid command line or settings,
3 the old server cannot be asked, or the files cannot be used, 130 interrupted.
`;

const bindings = ["http-get", "soap11"] as const;

interface HarvestOptions extends SharedOptions {
  readonly from: string;
  readonly output: string;
  readonly binding: (typeof bindings)[number];
  readonly rate: number;
  readonly timeout: number;
  readonly sample: number;
  readonly sweep?: boolean;
}

/** Adds `migrate harvest`. */
export const addHarvest: DeclareCommand = (group) => {
  group
    .command("harvest")
    .description("Take over IDs and places of an old server")
    .addOption(
      valueOption("--from <url>", "address of the old .asmx", parseAddress).makeOptionMandatory(),
    )
    .option("-o, --output <file>", "table for wfh import places", "harvest.csv")
    .choice("--binding <name>", "how to ask the old server", bindings, "http-get")
    .addOption(countOption("--rate <n>", "requests a second", 1, 1_000).default(4))
    .addOption(
      valueOption("--timeout <seconds>", "time for each response", parseSeconds).default(30),
    )
    .addOption(countOption("--sample <n>", "random codes", 0, 10_000).default(500))
    .option("--sweep", "ask for all codes of the states that disagree")
    .shared("dryRun", "json", "quiet", "config")
    .addHelpText("after", help)
    .run(harvest);
};

function countOption(flags: string, description: string, min: number, max: number) {
  return valueOption(flags, description, (name, text) => {
    const value = /^\d{1,7}$/.test(text) ? Number(text) : -1;
    if (value >= min && value <= max) return value;
    throw notAllowed(name, text, `a whole number from ${min} to ${max}`);
  });
}

function parseAddress(name: string, text: string): string {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null;
  if (url !== null && url.username === "" && url.password === "") {
    return url.origin + url.pathname.replace(/\/+$/, "");
  }
  throw new CommandError(
    `${name}: expected an http or https URL, without a password`,
    exitCodes.usage,
  );
}

/** Resolves to the exit code: `no` when the old server disagrees. */
async function harvest(options: HarvestOptions, { terminal }: Command): Promise<number> {
  const config = readSettings(options.config, terminal);
  const data = await openPostalData(config, terminal);
  try {
    const file = openFile(options, data);
    if (options.dryRun) {
      const plan = estimate(file, options.sweep ? findSweep(file, data) : [], options);
      printReport(terminal, options, { dryRun: true, ...plan }, ({ text }) => [
        `Would ask for ${text}.`,
      ]);
      return exitCodes.done;
    }
    await askAll(file, { options, config, data, terminal });
    return report(file, { options, data, terminal });
  } catch (cause) {
    if (!(cause instanceof HarvestError)) throw cause;
    throw new CommandError(cause.message, exitCodes.failed, cause);
  }
}

type PostalData = Awaited<ReturnType<typeof openPostalData>>;

/** What this server responds with, and all of its postal codes by state. */
async function openPostalData(config: Config, terminal: Terminal) {
  const artifact = readArtifact((await readServedGazetteer(config)).bytes, "of the settings");
  const index = await readOverridesIfPossible(config, terminal);
  const gazetteer = new OverrideGazetteer(gazetteerOf(artifact), { index });
  const lookup = new PlaceLookup(gazetteer, config.countryPrecedence);
  const keys: string[] = [];
  artifact.forEachKey((start, end) => keys.push(unpackKey(start, end)));
  const codesByState = Map.groupBy(keys.toSorted(), (code) => {
    const place = lookup.findPlace(code);
    return place === undefined ? "" : labelState(place.state);
  });
  // Overrides say that these are no places.
  codesByState.delete("");
  // What an import builds on, whatever an earlier one has changed.
  const { countries, states } = findStandardPlaces(artifact, openArtifact(builtInGazetteer));
  const stateOf = new Map(states.map((state) => [state.country.code, state]));
  const standard = countries.map((country) => [country, stateOf.get(country.code)] as const);
  return { lookup, codesByState, standard };
}

function openFile(options: HarvestOptions, { codesByState }: PostalData): HarvestFile {
  const { from, binding, output, sample } = options;
  const path = `${output}.responses`;
  const file = HarvestFile.read(path);
  if (file === undefined) {
    if (existsSync(output)) {
      throw new HarvestError(`${output} exists, and is not of a harvest. Choose another --output.`);
    }
    const codes = chooseCodes(codesByState, sample);
    return new HarvestFile(path, { version: 1, from, binding, codes });
  }
  const { plan } = file;
  if (plan.from === from && plan.binding === binding) return file;
  throw new HarvestError(`${path} is of ${plan.from} (${plan.binding}). Choose another --output.`);
}

function estimate(file: HarvestFile, sweep: readonly string[], { rate }: HarvestOptions) {
  const codes = file.pendingCodes(sweep).length;
  const seconds = Math.ceil(codes / rate);
  const time = `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return { codes, seconds, text: `${countOf(codes, "code")}, ${time} at ${rate} a second` };
}

/** All codes of the states whose sample has another place. */
function findSweep(file: HarvestFile, data: PostalData): readonly string[] {
  const disagreeing = compare(file, data).filter(hasOtherPlace);
  return [...new Set(disagreeing.map(({ state }) => state))].flatMap(
    (state) => data.codesByState.get(state) ?? [],
  );
}

interface HarvestRun {
  readonly options: HarvestOptions;
  readonly data: PostalData;
  readonly terminal: Terminal;
}

async function askAll(
  file: HarvestFile,
  { options, config, data, terminal }: HarvestRun & { readonly config: Config },
): Promise<void> {
  const { from, binding, quiet, rate, timeout } = options;
  const service = { contract: locationHelper, namespace: config.locationNamespace };
  const description = compileBinding[binding](service).describeRequest("PostalCodeToCityState");
  const requestOf = (text: string) =>
    fillRequest(description, from, [{ name: "postalCode", type: "string", text }]);
  const message = "Interrupted. The same command continues.";
  await interruptible(terminal, message, async (signal) => {
    const times = { intervalMs: 1_000 / rate, timeoutMs: timeout * 1_000 };
    const server = new OldServer({ requestOf, ...times, signal });
    file.begin();
    const ask = async (title: string, sweep: readonly string[]) => {
      const codes = file.pendingCodes(sweep);
      if (codes.length === 0) return;
      if (!quiet) terminal.err(`${title}: ${estimate(file, sweep, options).text}\n`);
      const progress = new Progress(terminal, { verb: "Asking", noun: "codes", quiet });
      for (const [i, code] of codes.entries()) {
        file.add(code, await server.ask(code));
        progress.update(i + 1, (i + 1) / codes.length);
      }
      progress.close();
    };
    try {
      await ask("Sample", []);
      if (options.sweep) await ask("Sweep", findSweep(file, data));
    } finally {
      server.close();
    }
  });
}

/** The responses, each compared with ours, and our state; that of the old server where we have no place. */
function compare({ responses }: HarvestFile, { lookup }: PostalData) {
  return [...responses].map(([postalCode, old]) => {
    const ours = lookup.findPlace(postalCode);
    const oldState = old.kind === "found" ? old.place.State : null;
    const oldLabel = oldState && `${oldState.Country?.CountryCode}-${oldState.StateAbbreviation}`;
    const state = ours ? labelState(ours.state) : (oldLabel ?? "none");
    const outcome = compareResponses(old, ours ? toLocationResult(ours) : null);
    return { postalCode, old, ours, state, outcome };
  });
}

/** Whether other ids and names do not make the responses equal. */
function hasOtherPlace({ outcome }: { readonly outcome: Outcome }): boolean {
  return ["otherPlace", "notFoundThere", "notFoundHere"].includes(outcome);
}

const listedMax = 10;
const outcomeNames = Object.keys(outcomes) as Outcome[];

/** Writes the table, and prints how the responses differ. */
function report(file: HarvestFile, { options, data, terminal }: HarvestRun): number {
  const { output } = options;
  const compared = compare(file, data);
  const places = compared.flatMap(({ postalCode, old, ours }): HarvestedPlace[] =>
    old.kind === "found" ? [{ postalCode, old: old.place, ours }] : [],
  );
  const { csv, notes } = makeTable(places, data.standard);
  writeFileSync(output, csv);
  const byState = [...Map.groupBy(compared, ({ state }) => state)].toSorted();
  const result = {
    ...{ output, places: places.length, total: countOutcomes("all", compared), notes },
    states: byState.map(([state, all]) => countOutcomes(state, all)),
    notFoundThere: compared.flatMap(({ postalCode, ours, outcome }) =>
      outcome === "notFoundThere" && ours
        ? [`wfh places override ${postalCode} --country ${ours.state.country.code} --not-found`]
        : [],
    ),
    failed: compared.flatMap(({ postalCode, old }) =>
      old.kind === "failed" ? [`${postalCode}: ${old.reason}`] : [],
    ),
  };
  const differing = compared.filter(hasOtherPlace).length;
  const share = ((100 * differing) / Math.max(1, compared.length)).toFixed(1);
  const rows = [...result.states, result.total].map((row) => [
    ...[row.state, row.asked],
    ...outcomeNames.map((name) => row[name]),
  ]);
  printReport(terminal, options, result, () => [
    { header: ["State", "Asked", ...Object.values(outcomes)], rows },
    `Places differ for ${formatCount(differing)} of ${formatCount(compared.length)} codes (${share} %).`,
    { title: "Failed; the same command asks again", lines: firstLines(result.failed, listedMax) },
    { title: "What the table cannot express", lines: firstLines(notes, listedMax) },
    {
      title: "Not found there; to respond likewise",
      lines: firstLines(result.notFoundThere, listedMax),
    },
    `Wrote ${countOf(places.length, "place")}. Next: wfh import places ${toShellWord(output)} --dry-run`,
  ]);
  return result.total.same === compared.length ? exitCodes.done : exitCodes.no;
}

function countOutcomes(state: string, all: ReturnType<typeof compare>) {
  const count = (name: Outcome) => all.filter(({ outcome }) => outcome === name).length;
  const counts = Object.fromEntries(outcomeNames.map((name) => [name, count(name)]));
  return { state, asked: all.length, ...(counts as Record<Outcome, number>) };
}
