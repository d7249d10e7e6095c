import { fileURLToPath } from "node:url";
import type { GazetteerSource } from "../../../domain/location/gazetteer.ts";
import type { Artifact } from "../../../gazetteer/format/artifact.ts";
import { builtInGazetteer, openArtifact } from "../../../gazetteer/format/artifact.ts";
import type { Releases } from "../../../gazetteer/releases/releases.ts";
import type { Config } from "../../../server/settings/settings.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { openConfiguredReleases, withReleases } from "../../gazetteer.ts";
import { renderJsonLine, toPrintable } from "../../io/printable.ts";
import { renderTable } from "../../io/table.ts";
import type { Terminal } from "../../io/terminal.ts";
import { readSettings } from "../../settings.ts";
import { renderCountryTable } from "../import/country-table.ts";
import { readOverrides } from "../places/read-overrides.ts";
import { describeFacts } from "./describe-facts.ts";

/** Options of `data status`. */
export interface DataStatusOptions {
  readonly json?: boolean;
  readonly all?: boolean;
  readonly config?: string;
}

/** The artifact before the last import, as far as it can be read. */
type Previous =
  | { readonly kind: "none" }
  | { readonly kind: "there"; readonly artifact: Artifact }
  | { readonly kind: "unreadable"; readonly reason: string };

/**
 * Prints what postal codes are served and where they are from. Resolves to the exit code.
 *
 * @throws {CommandError} when what is served cannot be read.
 */
export async function dataStatus(options: DataStatusOptions, console: Terminal): Promise<number> {
  const config = readSettings(options.config, console);
  const releases = openConfiguredReleases(config.gazetteer);
  const isBuiltIn = !releases.isThere();
  const artifact = await withReleases(async () => releases.openCurrent());
  const file = isBuiltIn ? fileURLToPath(builtInGazetteer) : releases.file;
  const previous = openPrevious(releases);
  const overrideCount = await countOverrides(config, console);
  if (isBuiltIn && config.gazetteer !== "") {
    const advice = "The server does not start without it; wfh import makes it.";
    console.err(`Warning: ${releases.file}, the file of WFH_GAZETTEER, is not there. ${advice}\n`);
  }
  if (options.json) {
    console.out(renderJson({ file, isBuiltIn, artifact, previous, overrideCount }));
    return exitCodes.done;
  }
  const { facts, byteLength } = artifact;
  const kind = isBuiltIn ? " (built-in)" : "";
  const lines = [
    ["File", `${file}${kind}, ${byteLength.toLocaleString("en-US")} bytes`],
    ["Holds", describeFacts(facts)],
    ["Overrides", describeOverrides(overrideCount)],
    ["Before", describePrevious(previous)],
  ];
  console.out(`${lines.map(([name = "", text]) => `${name.padEnd(11)}${text}`).join("\n")}\n\n`);
  console.out(`${renderSources(facts.sources)}\n`);
  console.out(renderCountries(artifact, options.all === true));
  return exitCodes.done;
}

/** Overrides of the database, which win over the artifact; undefined, with a warning, when it cannot be asked. */
async function countOverrides(config: Config, console: Terminal): Promise<number | undefined> {
  try {
    return (await readOverrides(config)).length;
  } catch (cause) {
    if (!(cause instanceof CommandError)) throw cause;
    console.err(`Warning: overrides are not counted. ${cause.message}\n`);
    return undefined;
  }
}

function describeOverrides(count: number | undefined): string {
  if (count === undefined) return "the database cannot be asked";
  return count === 0 ? "none" : `${count.toLocaleString("en-US")}; wfh places list shows them`;
}

function openPrevious(releases: Releases): Previous {
  if (!releases.hasPrevious()) return { kind: "none" };
  try {
    return { kind: "there", artifact: openArtifact(releases.previousFile) };
  } catch (cause) {
    return { kind: "unreadable", reason: cause instanceof Error ? cause.message : String(cause) };
  }
}

function describePrevious(previous: Previous): string {
  switch (previous.kind) {
    case "none":
      return "nothing was imported yet";
    case "there":
      return `${describeFacts(previous.artifact.facts)}; wfh import rollback goes back to it`;
    case "unreadable":
      return `it cannot be read: ${previous.reason}`;
  }
}

function renderSources(sources: readonly GazetteerSource[]): string {
  const rows = sources.map(({ name, kind, importedAt, dataDate, countries }) => [
    toPrintable(name),
    kind,
    importedAt?.slice(0, "2026-11-21T12:00".length).replace("T", " ") ?? "",
    dataDate ?? "unknown",
    countries.length > 5 ? `${countries.length} countries` : countries.join(", "),
  ]);
  return renderTable([["Source", "Kind", "Imported (UTC)", "Data of", "Countries"], ...rows]);
}

function renderCountries({ facts, countries }: Artifact, showsAll: boolean): string {
  const names = new Map(countries.map(({ code, name }) => [code, name]));
  const rows = Object.entries(facts.postalCodesByCountry).map(([code, count]) => ({
    name: `${names.get(code) ?? code} (${code})`,
    numbers: [count, facts.customPostalCodesByCountry[code] ?? 0],
  }));
  return renderCountryTable(["Codes", "Custom places"], rows, showsAll);
}

interface Status {
  readonly file: string;
  readonly isBuiltIn: boolean;
  readonly artifact: Artifact;
  readonly previous: Previous;
  readonly overrideCount: number | undefined;
}

function renderJson({ file, isBuiltIn, artifact, previous, overrideCount }: Status): string {
  const { facts, byteLength } = artifact;
  return renderJsonLine({
    file,
    builtIn: isBuiltIn,
    bytes: byteLength,
    dataDate: facts.dataDate,
    sources: facts.sources.map((source) => ({ ...source })),
    postalCodesByCountry: { ...facts.postalCodesByCountry },
    ownPostalCodesByCountry: { ...facts.customPostalCodesByCountry },
    overrides: overrideCount ?? null,
    previous:
      previous.kind === "there"
        ? {
            dataDate: previous.artifact.facts.dataDate,
            postalCodesByCountry: { ...previous.artifact.facts.postalCodesByCountry },
          }
        : null,
  });
}
