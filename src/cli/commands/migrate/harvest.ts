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
  type Disagreement,
  findDisagreements,
  HarvestFile,
  HarvestFileError,
  makePlan,
} from "../../../migration/harvest/harvest.ts";
import { OldServer, OldServerError } from "../../../migration/harvest/old-server.ts";
import { toLocationResult } from "../../../operations/location.ts";
import type { Config } from "../../../server/settings/settings.ts";
import { readOverridesIfPossible } from "../../admin-context.ts";
import {
  type Command,
  choiceOption,
  type DeclareCommand,
  type SharedOptions,
  valueOption,
} from "../../command.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { readServedGazetteer } from "../../gazetteer.ts";
import { notAllowed } from "../../io/options.ts";
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

Asks the old server for a code of each state, and for 500 random codes. A tenth of those are numbers
that our postal data lacks. The responses are compared with ours, and written as a table of custom
places with the old IDs and names. They are kept in harvest.csv.responses, beside the table. The
same command continues where it stopped, and after the import it compares again without a request.

Requests go one at a time, four a second (--rate). Retry-After is respected. A request that fails is
repeated twice, after pauses. Over SOAP the old server has no continents.

Exit codes: 0 the old server responds as we do, 1 it does not, 2 invalid command line or settings,
3 the old server cannot be asked, or the files cannot be used, 130 interrupted.
`;

const bindings = ["http-get", "http-post", "soap11", "soap12"] as const;

interface HarvestOptions extends SharedOptions {
  readonly from: string;
  readonly output: string;
  readonly binding: (typeof bindings)[number];
  readonly rate: number;
  readonly timeout: number;
  readonly sample: number;
  readonly sweep?: true | "all";
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
    .addOption(countOption("--timeout <s>", "seconds for each response", 1, 600).default(30))
    .addOption(countOption("--sample <n>", "random codes", 0, 100_000).default(500))
    .addOption(
      choiceOption("--sweep [all]", "ask for all codes of states that disagree, or of all", [
        "all",
      ]),
    )
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
      const sweep = findSweep(file, data, options.sweep);
      const { text, ...plan } = estimate(file, sweep, options);
      const random = `${countOf(file.plan.random.length, "random code")} (seed ${file.plan.seed})`;
      const states = countOf(Object.keys(file.plan.states).length, "state");
      printReport(terminal, options, { dryRun: true, ...plan, sweep: sweep.length }, () => [
        `Would ask for codes of ${states}, ${random}, and ${formatCount(sweep.length)} codes of a sweep:\n${text}`,
      ]);
      return exitCodes.done;
    }
    await askAll(file, { options, config, data, terminal });
    return report(file, { options, data, terminal });
  } catch (cause) {
    if (!(cause instanceof HarvestFileError || cause instanceof OldServerError)) throw cause;
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

function openFile(options: HarvestOptions, { lookup, codesByState }: PostalData): HarvestFile {
  const { from, binding, output, sample: sampleSize } = options;
  const path = `${output}.responses`;
  const file = HarvestFile.read(path);
  if (file === undefined && existsSync(output)) {
    throw new HarvestFileError(
      `${output} exists, and is not of a harvest. Choose another --output.`,
    );
  }
  if (file !== undefined && (file.plan.from !== from || file.plan.binding !== binding)) {
    throw new HarvestFileError(
      `${path} is of ${file.plan.from} (${file.plan.binding}). Choose another --output.`,
    );
  }
  const isKnown = (code: string) => lookup.findPlace(code) !== undefined;
  const plan = { from, binding, seed: 1, sampleSize, codesByState, isKnown };
  return file ?? new HarvestFile(path, makePlan(plan));
}

function estimate(file: HarvestFile, sweep: readonly string[], { rate }: HarvestOptions) {
  const requestsMax = [...file.pendingCodes(sweep)].length;
  const seconds = Math.ceil(requestsMax / rate);
  const time = `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const text = `at most ${countOf(requestsMax, "request")}, ${time} at ${rate} a second`;
  return { requestsMax, seconds, text };
}

/** All codes of the states whose sample has another place, or of all states. */
function findSweep(
  file: HarvestFile,
  data: PostalData,
  sweep: HarvestOptions["sweep"],
): readonly string[] {
  const { codesByState } = data;
  if (sweep === undefined) return [];
  if (sweep === "all") return [...codesByState.values()].flat();
  const differing = compare(file, data).filter(hasOtherPlace);
  return [...new Set(differing.map(({ state }) => state))].flatMap(
    (state) => codesByState.get(state) ?? [],
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
      const plan = estimate(file, sweep, options);
      if (plan.requestsMax === 0) return;
      if (!quiet) terminal.err(`${title}: ${plan.text}\n`);
      const progress = new Progress(terminal, { verb: "Asking", noun: "codes", quiet });
      let count = 0;
      for (const code of file.pendingCodes(sweep)) {
        file.add(code, await server.ask(code));
        count += 1;
        progress.update(count, count / plan.requestsMax);
      }
      progress.close();
    };
    try {
      await ask("Sample", []);
      await ask("Sweep", findSweep(file, data, options.sweep));
    } finally {
      server.close();
    }
  });
}

/** The responses, each with how it differs from ours, and our state; that of the old server where we have no place. */
function compare({ responses }: HarvestFile, { lookup }: PostalData) {
  return [...responses].map(([postalCode, old]) => {
    const ours = lookup.findPlace(postalCode);
    const oldState = old.kind === "found" ? old.place.State : null;
    const oldLabel = oldState && `${oldState.Country?.CountryCode}-${oldState.StateAbbreviation}`;
    const kinds: readonly Disagreement[] =
      old.kind === "failed" ? [] : findDisagreements(old, ours ? toLocationResult(ours) : null);
    const state = ours ? labelState(ours.state) : (oldLabel ?? "none");
    return { postalCode, old, ours, state, kinds };
  });
}

const listedMax = 10;

/** Writes the table, and prints how the responses differ. */
function report(file: HarvestFile, { options, data, terminal }: HarvestRun): number {
  const compared = compare(file, data);
  const places = compared.flatMap(({ postalCode, old, ours }): HarvestedPlace[] =>
    old.kind === "found" ? [{ postalCode, old: old.place, ours }] : [],
  );
  const table = makeTable(places, data.standard);
  writeFileSync(options.output, table.csv);
  const byState = [...Map.groupBy(compared, ({ state }) => state)].toSorted();
  const missing = compared.filter(({ kinds }) => kinds.includes("notFoundThere"));
  const [{ postalCode = "", ours = undefined } = {}] = missing;
  if (ours !== undefined) {
    const override = `wfh places override ${postalCode} --country ${ours.state.country.code} --not-found`;
    const codes = countOf(missing.length, "code that is", "codes that are");
    table.notes.push(`${codes} not found there. Where that matters: ${override}`);
  }
  const result = {
    ...{ from: options.from, binding: options.binding, seed: file.plan.seed },
    ...{ output: options.output, places: places.length, total: countAll("all", compared) },
    states: byState.map(([state, all]) => countAll(state, all)),
    notFoundThere: missing.map((one) => one.postalCode),
    failed: compared.flatMap(({ postalCode, old }) =>
      old.kind === "failed" ? [`${postalCode}: ${old.reason}`] : [],
    ),
    notes: table.notes,
  };
  const share = ((100 * result.total.otherPlace) / Math.max(1, compared.length)).toFixed(1);
  printReport(terminal, options, result, () => [
    {
      header: ["State", ...Object.values(columns)],
      rows: [...result.states, result.total].map((row) => [
        row.state,
        ...columnNames.map((name) => row[name]),
      ]),
    },
    `Other places: ${formatCount(result.total.otherPlace)} of ${formatCount(compared.length)} codes (${share} %).`,
    { title: "Failed; the same command asks again", lines: firstLines(result.failed, listedMax) },
    { title: "What the table cannot express", lines: firstLines(table.notes, listedMax) },
    `Wrote ${countOf(places.length, "place")}. Next: wfh import places ${toShellWord(options.output)} --dry-run`,
  ]);
  return result.total.same === result.total.asked ? exitCodes.done : exitCodes.no;
}

const columns = {
  ...{ asked: "Asked", same: "Same", otherCity: "Other city", otherState: "Other state" },
  ...{ otherIds: "Other IDs or names", notFoundThere: "Not found there" },
  ...{ notFoundHere: "Not found here", failed: "Failed" },
} as const;
const columnNames = Object.keys(columns) as (keyof typeof columns)[];

function countAll(state: string, all: ReturnType<typeof compare>) {
  const count = (kind: Disagreement) => all.filter(({ kinds }) => kinds.includes(kind)).length;
  const failed = all.filter(({ old }) => old.kind === "failed").length;
  return {
    ...{ state, asked: all.length, failed, otherPlace: all.filter(hasOtherPlace).length },
    same: all.filter(({ kinds }) => kinds.length === 0).length - failed,
    ...{ otherCity: count("otherCity"), otherState: count("otherState") },
    ...{ otherIds: count("otherIds"), notFoundThere: count("notFoundThere") },
    notFoundHere: count("notFoundHere"),
  };
}

/** Whether other ids and names do not make the responses equal. */
function hasOtherPlace({ kinds }: { readonly kinds: readonly Disagreement[] }): boolean {
  return kinds.some((kind) => kind !== "otherIds");
}
