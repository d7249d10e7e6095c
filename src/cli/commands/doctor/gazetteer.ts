import { statSync } from "node:fs";
import { openGazetteer } from "../../../gazetteer/format/reader.ts";
import type { Config } from "../../../server/settings/settings.ts";
import { findServedGazetteer } from "../../gazetteer.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

/** Age of postal codes from which they are worth refreshing, in days: a year brings some hundred new ones in the US. */
const ageMaxDays = 400;
const dayMs = 86_400_000;

/** Looks at the postal codes that are served, and at those that an import has put aside. */
export function checkGazetteer(
  config: Pick<Config, "gazetteer" | "countryPrecedence">,
  nowMs: number,
): readonly Finding[] {
  const { path, isBuiltIn, releases } = findServedGazetteer(config);
  const name = isBuiltIn ? "The built-in data" : path;
  try {
    const { facts } = openFile(path);
    const countries = Object.keys(facts.postalCodesByCountry);
    const codes = facts.postalCodeCount.toLocaleString("en-US");
    const text = `${name} is intact: ${codes} postal codes of ${countries.length === 1 ? countries[0] : `${countries.length} countries`}, as of ${facts.dataDate}.`;
    return [
      ok("postal-codes-intact", text),
      ...checkAge(facts.dataDate, nowMs),
      ...checkPrecedence(config.countryPrecedence, countries, isBuiltIn),
      ...(releases.hasPrevious() ? [checkPrevious(releases.previousFile)] : []),
    ];
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const fix = isBuiltIn
      ? "install the program again"
      : "wfh import rollback, or import again; or leave WFH_GAZETTEER unset for the built-in data";
    return [problem("postal-codes-intact", `The postal codes cannot be read: ${reason}.`, fix)];
  }
}

/** A pipe would be waited for, and a device read without end. */
function openFile(path: string) {
  if (!statSync(path).isFile()) throw new Error(`${path} is not a file`);
  return openGazetteer(path);
}

function checkAge(dataDate: string, nowMs: number): readonly Finding[] {
  const days = Math.floor((nowMs - Date.parse(dataDate)) / dayMs);
  if (!(days > ageMaxDays)) return [];
  return [
    warning(
      "postal-codes-age",
      `The postal codes are ${days.toLocaleString("en-US")} days old.`,
      "import newer ones: wfh import geonames --help",
    ),
  ];
}

function checkPrecedence(
  wanted: readonly string[],
  present: readonly string[],
  isBuiltIn: boolean,
): readonly Finding[] {
  // The default names a country that the built-in data does not have.
  if (isBuiltIn && wanted.join() === "US,CA") return [];
  const missing = wanted.filter((code) => !present.includes(code));
  if (missing.length === 0) return [];
  return [
    warning(
      "country-precedence",
      `WFH_COUNTRY_PRECEDENCE names ${missing.join(", ")}, of which there are no postal codes.`,
      "import them: wfh import geonames --help; or take them out",
    ),
  ];
}

/** The release that a rollback publishes. */
function checkPrevious(file: string): Finding {
  try {
    const { facts } = openFile(file);
    return ok("rollback", `wfh import rollback would go back to the data as of ${facts.dataDate}.`);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return warning(
      "rollback",
      `A rollback is not possible: ${reason}.`,
      "nothing to do: the next import puts a new one there",
    );
  }
}
