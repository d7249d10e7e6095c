import type { Gazetteer } from "@wfh/server/domain/location/gazetteer.ts";
import type { PostalCodePlace } from "@wfh/server/gazetteer/format/builder.ts";
import type { Check } from "./checks.ts";
import { dataPackages } from "./data-packages.ts";
import { readPackageVersion } from "./packages.ts";
import { sourceFiles } from "./source-files.ts";
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
      ["File or package", "Version", "Gives", "Licence"],
      [
        ...Object.values(sourceFiles).map(({ name, version, gives, licence }) => {
          return [`data/sources/${name}`, version, gives, licence];
        }),
        ...dataPackages.map(({ packageName, gives, licence }) => {
          return [packageName, readPackageVersion(packageName), gives, licence];
        }),
      ],
    ),
    "Texts of the licences: `NOTICE`.",
    "## Where ZIP codes are from",
    renderOrigins(input.us),
    "## Checks",
    input.checks.map(({ title, holds }) => `- ${holds ? "yes" : "**NO**"}: ${title}`).join("\n"),
    "## ZIP codes by state",
    renderStates(input),
    "## Places of Canada by province",
    renderProvinces(input),
    "## ZIP codes on which the sources differ",
    "The rules are in [the decisions](../docs/decisions/postal-data.md#where-the-built-in-data-comes-from-0012-0076).",
    renderTable(
      ["ZIP code", "GeoNames or zipcodes", "Postal Service 2023-08", "Here", "Why"],
      input.us.decisions.map(({ zip, other, usps, city, reason }) => [
        zip,
        other,
        usps,
        city,
        reason,
      ]),
    ),
    "## Retired ZIP codes renamed",
    "The source has a mailer, a district or an abbreviation where the city belongs.",
    renderTable(
      ["ZIP code", "Source", "Here"],
      input.us.renamed.map(({ zip, was, city }) => [zip, was, city]),
    ),
  ].join("\n\n");
}

function renderOrigins(us: UsZips): string {
  const decided = Map.groupBy(us.decisions, ({ isByHand, reason }) =>
    isByHand ? "by hand" : reason,
  );
  const rows = [
    ["in GeoNames", us.fromGeoNames],
    ["in zipcodes, not in GeoNames", us.fromZipcodes],
    ["only in the list of the Postal Service", us.fromUsps],
    ["retired ZIP codes renamed, see below", us.renamed.length],
    ...[...decided].map(([reason, decisions]) => [`decided: ${reason}`, decisions.length] as const),
  ] as const;
  return renderTable(
    ["What", "ZIP codes"],
    rows.map(([what, count]) => [what, `${count}`]),
  );
}

function renderStates({ us, gazetteer }: ReportInput): string {
  const counts = Map.groupBy(us.rows, ({ stateId }) => stateId);
  return renderTable(
    ["State", "Name", "Id", "ZIP codes"],
    gazetteer.listStates(840).map(({ abbreviation, name, id }) => {
      return [abbreviation, name, `${id}`, `${counts.get(id)?.length ?? 0}`];
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
