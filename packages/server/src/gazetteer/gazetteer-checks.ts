import { statSync } from "node:fs";
import type { GazetteerFacts } from "../domain/location/gazetteer.ts";
import { type CheckResult, type Checks, ok, problem, warning } from "../lib/check.ts";
import { describeFileError, isSystemError, messageOf } from "../lib/file-error.ts";
import { countOf, formatCount } from "../lib/printable.ts";
import { openGazetteer } from "./format/reader.ts";

/** Age at which postal codes are worth refreshing, in days: the US adds some hundred a year. */
const ageMaxDays = 400;
const dayMs = 86_400_000;

/** Facts of an artifact, or the reason why it cannot be read. */
export function inspectArtifact(path: string): GazetteerFacts | CheckResult {
  try {
    // Opening a pipe would wait, and reading a device would not end.
    if (statSync(path).isFile()) return openGazetteer(path).facts;
    return explainArtifact(path, new Error(`${path} is not a file`));
  } catch (cause) {
    return explainArtifact(path, cause);
  }
}

/** Why the postal codes cannot be read: a start is refused. */
export function explainArtifact(path: string, cause: unknown): CheckResult {
  const reason = isSystemError(cause) ? describeFileError(path, cause) : messageOf(cause);
  return problem(
    `${reason}.`,
    "check WFH_GAZETTEER, return to the previous data (wfh places rollback), or import it again",
  );
}

/** The postal codes that are served, and others that could be. */
interface PostalData {
  readonly path: string;
  readonly isBuiltIn: boolean;
  readonly served: GazetteerFacts | CheckResult;
  /** The release that a rollback would publish; null without any. */
  readonly previous: GazetteerFacts | CheckResult | null;
  /** The database's release, or why it cannot be used; null where nodes do not share releases. */
  readonly shared:
    | { readonly release: string | null; readonly isSame: boolean }
    | { readonly reason: string }
    | null;
  /** Releases that the nodes serve. */
  readonly servedReleases: readonly string[];
  readonly countries: readonly string[];
  readonly countryPrecedence: readonly string[];
  readonly nowMs: number;
}

/** Checks that the data has postal codes of each country that a setting names. */
function checkCountries(
  served: PostalData["served"],
  setting: string,
  countries: readonly string[],
): CheckResult | null {
  if ("level" in served) return null;
  const missing = countries.filter((code) => !(code in served.postalCodesByCountry));
  if (missing.length === 0) return null;
  return warning(
    `${setting} names ${missing.join(", ")}, but the data has no postal codes of them.`,
    "import them: wfh places import geonames --help; or remove them from the setting",
  );
}

/** Checks of the postal codes. Only `wfh doctor` reads a database's release before it is served. */
export const gazetteerChecks: Checks<PostalData> = {
  "postal-codes-intact": ({ path, isBuiltIn, served }) => {
    if ("level" in served) {
      return isBuiltIn ? { ...served, fix: "install the program again" } : served;
    }
    const countries = Object.keys(served.postalCodesByCountry);
    const codes = formatCount(served.postalCodeCount);
    const coverage = countries.length === 1 ? countries[0] : `${countries.length} countries`;
    return ok(
      `${isBuiltIn ? "The built-in data" : path} is intact: ${codes} postal codes of ${coverage}, as of ${served.dataDate}.`,
    );
  },

  "postal-codes-age": ({ served, nowMs }) => {
    const days = "level" in served ? 0 : Math.floor((nowMs - Date.parse(served.dataDate)) / dayMs);
    if (days <= ageMaxDays) return null;
    const text = `The postal codes are ${countOf(days, "day")} old.`;
    return warning(text, "import newer ones: wfh places import geonames --help");
  },

  countries: ({ served, countries }) => checkCountries(served, "WFH_COUNTRIES", countries),

  "country-precedence": ({ served, countryPrecedence }) =>
    checkCountries(served, "WFH_COUNTRY_PRECEDENCE", countryPrecedence),

  rollback: ({ served, previous }) => {
    if ("level" in served || previous === null) return null;
    return "level" in previous
      ? warning(
          `A rollback is not possible: ${previous.text}`,
          "nothing to do: the next import creates a new one",
        )
      : ok(`wfh places rollback would return to the data as of ${previous.dataDate}.`);
  },

  "postal-codes-shared": ({ path, shared }) => {
    if (shared === null) return null;
    if ("reason" in shared) {
      const fix = "check the database; if the release is damaged: wfh places rollback";
      return problem(`The release of the database cannot be used: ${shared.reason}.`, fix);
    }
    const { release, isSame } = shared;
    if (release === null) return ok("The database has no release: each node serves its own.");
    if (isSame) return ok(`The database has the same release: ${release}.`);
    return warning(
      `The database has another release than ${path}: ${release}.`,
      "start the server, which loads it within ten seconds, or look for 'gazetteer' in its log",
    );
  },

  "postal-codes-nodes": ({ servedReleases }) => {
    const nodes = [...Map.groupBy(servedReleases, (release) => release)];
    const shown = nodes.map(([release, { length }]) => `${release} (${countOf(length, "node")})`);
    if (nodes.length < 2) return nodes.length > 0 && ok(`All nodes serve the release ${shown}.`);
    return warning(
      `The nodes serve different releases of postal data: ${shown.join(", ")}.`,
      "unless an import ran within the last ten seconds, look for 'gazetteer' in their logs; if the release of the database is damaged: wfh places rollback",
    );
  },
};
