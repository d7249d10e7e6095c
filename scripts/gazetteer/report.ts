import { nameRules } from "@wfh/cli/imports/geonames/united-states.ts";
import type { Gazetteer } from "@wfh/server/domain/location/gazetteer.ts";
import type { PostalCodePlace } from "@wfh/server/gazetteer/format/builder.ts";
import type { Check } from "./checks.ts";
import { readPackageVersion } from "./packages.ts";
import { canadaFile, sources } from "./sources.ts";
import type { UsZips } from "./us-zips.ts";

/** Input of the report. */
export interface ReportInput {
  readonly us: UsZips;
  readonly canada: readonly PostalCodePlace[];
  readonly gazetteer: Gazetteer;
  readonly checks: readonly Check[];
  /** Bytes of the artifact. */
  readonly byteLength: number;
  /** States that the sources no longer have. */
  readonly vanishedStates: number;
}

/** The build report, Markdown. The same data gives the same text: no time, no machine. */
export function renderReport(input: ReportInput): string {
  const { facts } = input.gazetteer;
  return [
    "# Build report of the built-in gazetteer",
    "Written by `npm run gazetteer:build`; do not edit.",
    "## Content",
    renderTable(
      ["", ""],
      [
        ["Postal data of", facts.dataDate],
        ...Object.entries(facts.postalCodesByCountry).map(([code, count]) => {
          return [`Postal codes of ${code}`, `${count}`];
        }),
        ["Countries", `${facts.countryCount}`],
        ["States", `${facts.stateCount}, of which ${input.vanishedStates} no longer exist`],
        ["Bytes", `${input.byteLength}`],
      ],
    ),
    "## Sources",
    renderTable(
      ["Package or file", "Version", "Gives", "Licence"],
      [
        ...sources.map(({ packageName, gives, licence }) => {
          return [packageName, readPackageVersion(packageName), gives, licence];
        }),
        [canadaFile.name, canadaFile.dataDate, canadaFile.gives, canadaFile.licence],
      ],
    ),
    "Texts of the licences: `NOTICE`.",
    "## Fixes",
    renderFixes(input.us),
    "## Checks",
    input.checks.map(({ title, holds }) => `- ${holds ? "yes" : "**NO**"}: ${title}`).join("\n"),
    "## ZIP codes by state",
    renderStates(input),
    "## Places of Canada by province",
    renderProvinces(input),
    "## Retired ZIP codes renamed",
    "The source has a mailer, a district or an abbreviation where the city belongs.",
    renderTable(
      ["ZIP code", "Source", "Here"],
      input.us.renamed.map(({ zip, was, city }) => [zip, was, city]),
    ),
  ].join("\n\n");
}

function renderFixes(us: UsZips): string {
  const rows = [
    ["rows of GeoNames read", us.geoNamesRows],
    [
      "rows of GeoNames without a state, for a code that has one in another row: dropped",
      us.duplicatesDropped,
    ],
    ["rows of GeoNames without a state: state by zip-state", us.statesAdded],
    [
      "military label with the wrong region or none (`APO AA` in the Pacific): corrected",
      us.labelsCorrected,
    ],
    ["a territory instead of a city (96960 is Majuro): corrected", us.citiesCorrected],
    ["ZIP codes from GeoNames", us.fromGeoNames],
    ["ZIP codes that only zipcodes has", us.fromZipcodes],
    ["retired ZIP codes renamed, see below", us.renamed.length],
    ...nameRules.map((rule) => [rule.title, us.namesCorrected.get(rule) ?? 0] as const),
  ] as const;
  return renderTable(
    ["What", "Rows"],
    rows.map(([what, count]) => [what, `${count}`]),
  );
}

function renderStates({ us, gazetteer }: ReportInput): string {
  const counts = Map.groupBy(us.rows, ({ state }) => state);
  return renderTable(
    ["State", "Name", "Id", "ZIP codes"],
    gazetteer.listStates(840).map(({ abbreviation, name, id }) => {
      return [abbreviation, name, `${id}`, `${counts.get(abbreviation)?.length ?? 0}`];
    }),
  );
}

function renderProvinces({ canada, gazetteer }: ReportInput): string {
  const counts = Map.groupBy(canada, ({ stateId }) => stateId);
  return renderTable(
    ["Province", "Name", "Id", "Places"],
    gazetteer.listStates(124).map(({ abbreviation, name, id }) => {
      return [abbreviation, name, `${id}`, `${counts.get(id)?.length ?? 0}`];
    }),
  );
}

function renderTable(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heading, heading.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
