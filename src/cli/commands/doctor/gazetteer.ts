import { statSync } from "node:fs";
import type { GazetteerFacts } from "../../../domain/location/gazetteer.ts";
import { openGazetteer } from "../../../gazetteer/format/reader.ts";
import type { Config } from "../../../server/settings/settings.ts";
import { findServedGazetteer } from "../../gazetteer.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

/** Age at which postal codes are worth refreshing, in days: a year brings some hundred new ones in the US. */
const ageMaxDays = 400;
const dayMs = 86_400_000;

/** Checks the postal codes that are served, and the release that a rollback would publish. */
export function* checkGazetteer(
  config: Pick<Config, "gazetteer" | "countryPrecedence">,
  nowMs: number,
): Generator<Finding> {
  const { path, isBuiltIn, releases } = findServedGazetteer(config);
  const facts = readFacts(path);
  if (typeof facts === "string") {
    const fix = isBuiltIn
      ? "install the program again"
      : "wfh import rollback, or import again; or leave WFH_GAZETTEER unset for the built-in data";
    yield problem("postal-codes-intact", `The postal codes cannot be read: ${facts}.`, fix);
    return;
  }
  const name = isBuiltIn ? "The built-in data" : path;
  const countries = Object.keys(facts.postalCodesByCountry);
  const codes = facts.postalCodeCount.toLocaleString("en-US");
  const coverage = countries.length === 1 ? countries[0] : `${countries.length} countries`;
  yield ok(
    "postal-codes-intact",
    `${name} is intact: ${codes} postal codes of ${coverage}, as of ${facts.dataDate}.`,
  );
  const days = Math.floor((nowMs - Date.parse(facts.dataDate)) / dayMs);
  if (days > ageMaxDays) {
    const text = `The postal codes are ${days.toLocaleString("en-US")} days old.`;
    yield warning("postal-codes-age", text, "import newer ones: wfh import geonames --help");
  }
  const wanted = config.countryPrecedence;
  const missing = wanted.filter((code) => !countries.includes(code));
  // The default names a country that the built-in data does not have.
  if (missing.length > 0 && !(isBuiltIn && wanted.join() === "US,CA")) {
    yield warning(
      "country-precedence",
      `WFH_COUNTRY_PRECEDENCE names ${missing.join(", ")}, without any postal codes.`,
      "import them: wfh import geonames --help; or take them out",
    );
  }
  if (releases.hasPrevious()) yield checkPrevious(releases.previousFile);
}

/** The release that a rollback publishes. */
function checkPrevious(file: string): Finding {
  const facts = readFacts(file);
  return typeof facts === "string"
    ? warning(
        "rollback",
        `A rollback is not possible: ${facts}.`,
        "nothing to do: the next import puts a new one there",
      )
    : ok("rollback", `wfh import rollback would go back to the data as of ${facts.dataDate}.`);
}

/** What an artifact says of itself, or why it cannot be read. */
function readFacts(path: string): GazetteerFacts | string {
  try {
    // Opening a pipe would wait, and reading a device would not end.
    return statSync(path).isFile() ? openGazetteer(path).facts : `${path} is not a file`;
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause);
  }
}
