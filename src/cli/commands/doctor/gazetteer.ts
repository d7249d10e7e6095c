import { readFileSync, statSync } from "node:fs";
import type { GazetteerFacts } from "../../../domain/location/gazetteer.ts";
import { openGazetteer } from "../../../gazetteer/format/reader.ts";
import { messageOf } from "../../../lib/file-error.ts";
import type { Config } from "../../../server/settings/settings.ts";
import type { DatabaseFacts } from "../../../store/inspection.ts";
import { CommandError } from "../../exit-codes.ts";
import {
  describeFacts,
  findServedGazetteer,
  openCurrentRelease,
  sharesReleases,
} from "../../gazetteer.ts";
import { countOf, formatCount } from "../../io/printable.ts";
import { type Checks, type Finding, ok, problem, runChecks, warning } from "./finding.ts";

/** Age at which postal codes are worth refreshing, in days: a year brings some hundred new ones in the US. */
const ageMaxDays = 400;
const dayMs = 86_400_000;

interface ServedData {
  readonly name: string;
  readonly facts: GazetteerFacts;
  readonly countryPrecedence: readonly string[];
  readonly nowMs: number;
}

/**
 * Checks the postal codes that are served, and the release that a rollback would publish.
 *
 * @param servedReleases of the nodes.
 */
export async function checkGazetteer(
  config: Config,
  nowMs: number,
  servedReleases: DatabaseFacts["servedReleases"] = [],
): Promise<readonly Finding[]> {
  const { path, isBuiltIn, releases } = findServedGazetteer(config);
  const facts = readFacts(path);
  if (typeof facts === "string") {
    const fix = isBuiltIn
      ? "install the program again"
      : "wfh import rollback, or import again; or leave WFH_GAZETTEER unset for the built-in data";
    const text = `The postal codes cannot be read: ${facts}.`;
    return runChecks({ "postal-codes-intact": () => problem(text, fix) }, null);
  }
  const name = isBuiltIn ? "The built-in data" : path;
  const { countryPrecedence } = config;
  const findings = runChecks(dataChecks, { name, facts, countryPrecedence, nowMs });
  const isShared = sharesReleases(config);
  const previous = releases.hasPrevious() && !isShared ? releases.previousFile : null;
  return [
    ...(await findings),
    ...(await runChecks({ rollback: checkPrevious }, previous)),
    ...(isShared ? await runChecks({ "postal-codes-shared": checkShared }, { config, path }) : []),
    ...(await runChecks({ "postal-codes-nodes": checkNodes }, servedReleases)),
  ];
}

/** The release of the database, and whether this machine has it. */
async function checkShared({ config, path }: { readonly config: Config; readonly path: string }) {
  try {
    const { artifact, source } = await openCurrentRelease(config);
    if (source !== "database") return ok("The database has no release: each node serves its own.");
    if (readFileSync(path).equals(artifact.bytes)) {
      return ok(`The database has the same release: ${describeFacts(artifact.facts)}.`);
    }
    return warning(
      `The database has another release than ${path}: ${describeFacts(artifact.facts)}.`,
      "start the server, which loads it within ten seconds, or look for 'gazetteer' in its log",
    );
  } catch (cause) {
    if (!(cause instanceof CommandError)) throw cause;
    const [text = ""] = cause.message.split("\n");
    const fix = "check the database; if the release is damaged: wfh import rollback";
    return problem(`The release of the database cannot be used: ${text.replace(/\.$/, "")}.`, fix);
  }
}

/** Compares the postal data of the nodes. */
function checkNodes(releases: readonly string[]) {
  const nodes = [...Map.groupBy(releases, (release) => release)];
  const shown = nodes.map(([release, { length }]) => `${release} (${countOf(length, "node")})`);
  if (nodes.length < 2) return nodes.length > 0 && ok(`All nodes serve the release ${shown}.`);
  return warning(
    `The nodes serve different releases of postal data: ${shown.join(", ")}.`,
    "unless an import ran within the last ten seconds, look for 'gazetteer' in their logs; if the release of the database is damaged: wfh import rollback",
  );
}

const dataChecks: Checks<ServedData> = {
  "postal-codes-intact": ({ name, facts }) => {
    const countries = Object.keys(facts.postalCodesByCountry);
    const codes = formatCount(facts.postalCodeCount);
    const coverage = countries.length === 1 ? countries[0] : `${countries.length} countries`;
    return ok(`${name} is intact: ${codes} postal codes of ${coverage}, as of ${facts.dataDate}.`);
  },

  "postal-codes-age": ({ facts, nowMs }) => {
    const days = Math.floor((nowMs - Date.parse(facts.dataDate)) / dayMs);
    if (days <= ageMaxDays) return null;
    const text = `The postal codes are ${countOf(days, "day")} old.`;
    return warning(text, "import newer ones: wfh import geonames --help");
  },

  "country-precedence": ({ facts, countryPrecedence }) => {
    const missing = countryPrecedence.filter((code) => !(code in facts.postalCodesByCountry));
    if (missing.length === 0) return null;
    return warning(
      `WFH_COUNTRY_PRECEDENCE names ${missing.join(", ")}, but the data has no postal codes of them.`,
      "import them: wfh import geonames --help; or remove them from the setting",
    );
  },
};

function checkPrevious(file: string | null) {
  if (file === null) return null;
  const facts = readFacts(file);
  return typeof facts === "string"
    ? warning(
        `A rollback is not possible: ${facts}.`,
        "nothing to do: the next import creates a new one",
      )
    : ok(`wfh import rollback would return to the data as of ${facts.dataDate}.`);
}

/** What an artifact says of itself, or why it cannot be read. */
function readFacts(path: string): GazetteerFacts | string {
  try {
    // Opening a pipe would wait, and reading a device would not end.
    return statSync(path).isFile() ? openGazetteer(path).facts : `${path} is not a file`;
  } catch (cause) {
    return messageOf(cause);
  }
}
