import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { releaseDigits } from "@wfh/server/domain/location/release.ts";
import { type Artifact, builtInGazetteer } from "@wfh/server/gazetteer/format/artifact.ts";
import type { ReleaseHome } from "@wfh/server/gazetteer/releases/releases.ts";
import { messageOf } from "@wfh/server/lib/file-error.ts";
import { formatCount } from "@wfh/server/lib/printable.ts";
import type { Config } from "@wfh/server/server/settings/settings.ts";
import { readOverrides } from "../../io/admin-context.ts";
import type { Command, DeclareCommand, SharedOptions } from "../../io/command.ts";
import { CommandError } from "../../io/exit-codes.ts";
import {
  describeFacts,
  nameCountries,
  openConfiguredReleases,
  sharesReleases,
  withReleases,
} from "../../io/gazetteer.ts";
import { formatInstant } from "../../io/options.ts";
import { printReport, type Section } from "../../io/report.ts";
import { readSettings } from "../../io/settings.ts";
import type { Terminal } from "../../io/terminal.ts";
import { type CountryRow, countryTable } from "./country-table.ts";

const help = `
Examples:
  wfh places status                         show the postal codes and their sources
  wfh places status --json                  print the same as one JSON object
`;

/** Adds `places status`. */
export const addPlacesStatus: DeclareCommand = (group) =>
  group
    .command("status")
    .description("Show the file, its sources with their dates, and postal codes per country")
    .shared("json")
    .option("--all", "show all countries, not only those with the most postal codes")
    .shared("config")
    .addHelpText("after", help)
    .run(showPlacesStatus);

async function showPlacesStatus(options: SharedOptions, { terminal }: Command): Promise<void> {
  const config = readSettings(options.config, terminal);
  const { release, file, previous } = await readReleases(config, terminal);
  const { artifact, source, sinceMs } = release;
  if (source === "built-in" && config.gazetteer !== "" && !sharesReleases(config)) {
    const advice = "The server does not start without it. Create it: wfh places import --help";
    terminal.err(`Warning: WFH_GAZETTEER names ${file}, which does not exist. ${advice}\n`);
  }
  const { facts, bytes } = artifact;
  const { facts: before = null, problem = null } = previous;
  const data = {
    file: source === "built-in" ? fileURLToPath(builtInGazetteer) : file,
    builtIn: source === "built-in",
    source,
    release: createHash("sha256").update(bytes).digest("hex"),
    currentSince: sinceMs === null ? null : formatInstant(sinceMs),
    bytes: bytes.length,
    dataDate: facts.dataDate,
    sources: facts.sources,
    postalCodesByCountry: facts.postalCodesByCountry,
    customPostalCodesByCountry: facts.customPostalCodesByCountry,
    overrides: await countOverrides(config, terminal),
    previous: before && {
      dataDate: before.dataDate,
      postalCodesByCountry: before.postalCodesByCountry,
    },
  };
  printReport(terminal, options, data, () =>
    describeStatus(data, artifact, { ...options, problem }),
  );
}

/** Reads the current and previous release; the local ones, with a warning, without a database. */
async function readReleases(config: Config, terminal: Terminal) {
  const read = async (releases: ReleaseHome) => ({
    release: await releases.openCurrent(),
    file: releases.name,
    previous: await openPrevious(releases),
  });
  try {
    return await withReleases(config, "read", read);
  } catch (cause) {
    if (!(cause instanceof CommandError && sharesReleases(config))) throw cause;
    terminal.err(`Warning: the postal codes of this machine are shown. ${cause.message}\n`);
    return read(openConfiguredReleases(config));
  }
}

/** Reads facts of the release before the last import; `{}` when it does not exist. */
async function openPrevious(
  releases: ReleaseHome,
): Promise<{ facts?: Artifact["facts"]; problem?: string }> {
  try {
    const previous = await releases.openPrevious();
    return previous === undefined ? {} : { facts: previous.facts };
  } catch (cause) {
    return { problem: messageOf(cause) };
  }
}

/** Counts the overrides in the database; null, with a warning, when it cannot be read. */
async function countOverrides(config: Config, terminal: Terminal): Promise<number | null> {
  try {
    return (await readOverrides(config)).length;
  } catch (cause) {
    if (!(cause instanceof CommandError)) throw cause;
    terminal.err(`Warning: cannot count the overrides. ${cause.message}\n`);
    return null;
  }
}

interface StatusData {
  readonly file: string;
  readonly source: "built-in" | "file" | "database";
  readonly release: string;
  readonly currentSince: string | null;
  readonly bytes: number;
  readonly overrides: number | null;
  readonly previous: Parameters<typeof describeFacts>[0] | null;
}

function describeStatus(
  { file, source, release, currentSince, bytes, overrides, previous }: StatusData,
  { facts, countries }: Artifact,
  { all = false, problem }: { readonly all?: boolean; readonly problem: string | null },
): readonly Section[] {
  const names = new Map(countries.map(({ code, name }) => [code, name]));
  const rows = Object.entries(facts.postalCodesByCountry).map(
    ([code, count]): CountryRow => [
      `${names.get(code) ?? code} (${code})`,
      count,
      facts.customPostalCodesByCountry[code] ?? 0,
    ],
  );
  return [
    {
      facts: [
        [
          source === "database" ? "Database" : "File",
          `${file}${source === "built-in" ? " (built-in)" : ""}, ${formatCount(bytes)} bytes`,
        ],
        [
          "Release",
          release.slice(0, releaseDigits) + (currentSince ? `, current since ${currentSince}` : ""),
        ],
        ["Contents", describeFacts(facts)],
        ["Overrides", describeOverrides(overrides)],
        ["Previous", describePrevious(previous, problem)],
      ],
    },
    {
      header: ["Source", "Kind", "Imported (UTC)", "Data of", "Countries"],
      rows: facts.sources.map(({ name, kind, importedAt, dataDate, countries: codes }) => [
        name,
        kind,
        importedAt?.slice(0, "2026-11-21T12:00".length).replace("T", " ") ?? "",
        dataDate ?? "unknown",
        nameCountries(codes),
      ]),
    },
    countryTable(["Codes", "Custom places"], rows, all),
  ];
}

function describeOverrides(count: number | null): string {
  if (count === null) return "unknown: the database cannot be read";
  return count === 0 ? "none" : `${formatCount(count)}; wfh places list shows them`;
}

function describePrevious(previous: StatusData["previous"], problem: string | null): string {
  if (problem !== null) return `cannot be read: ${problem}`;
  if (previous === null) return "no import yet";
  return `${describeFacts(previous)}; wfh places rollback returns to it`;
}
