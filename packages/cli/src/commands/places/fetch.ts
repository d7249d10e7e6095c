import { mkdtemp, rm } from "node:fs/promises";
import { setGlobalProxyFromEnv } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  FetchedFile,
  GazetteerFacts,
  GazetteerSource,
} from "@wfh/server/domain/location/gazetteer.ts";
import { messageOf } from "@wfh/server/lib/file-error.ts";
import { formatCount } from "@wfh/server/lib/printable.ts";
import { readVersion } from "@wfh/server/server/version.ts";
import type { CountryDifference } from "../../imports/compare-artifacts.ts";
import type { GeoNamesReport } from "../../imports/geonames/import-geonames.ts";
import { toImportedCountry } from "../../imports/geonames/united-states.ts";
import { CommandError, exitCodes } from "../../io/exit-codes.ts";
import { nameCountries } from "../../io/gazetteer.ts";
import { openStepProgress } from "../../io/progress.ts";
import type { Terminal } from "../../io/terminal.ts";
import { type DownloadOptions, downloadZip } from "../../rows/download.ts";
import { InputFile } from "../../rows/input-file.ts";
import { type ImportRun, nothingChanged } from "./run-import.ts";

/** Share of a country's codes that a fetch may remove: GeoNames withdraws a few in 1,000 a year. */
const removedShareMax = 0.01;

/** `--fetch`: countries (alpha-2), each once. */
export function parseCountries(name: string, text: string): readonly string[] {
  const codes = text.split(",").map((code) => code.trim().toUpperCase());
  const wrong = codes.find((code) => !/^[A-Z]{2}$/.test(code));
  if (wrong === undefined) return [...new Set(codes)].sort();
  const expected = "expected two-letter country codes separated by commas, for example US,CA";
  throw new CommandError(`${name} ${text} is not allowed: ${expected}.`, exitCodes.usage);
}

/** Files to fetch, and options of their import. */
interface FetchOptions {
  /** Alpha-2, sorted. */
  readonly codes: readonly string[];
  readonly merge: boolean;
  readonly only: boolean;
  readonly quiet: boolean | undefined;
}

/**
 * Fetches GeoNames files into a temporary folder and imports them: all, or none when all are up to
 * date, because the file of a territory is part of its country.
 *
 * @returns the result of `build`; undefined when no file has changed since its import.
 * @throws {RowFileError} when a file cannot be fetched.
 * @throws {CommandError} when the proxy settings cannot be used.
 */
export async function fetchFiles<Result>(
  { current, config, signal, showStep }: ImportRun,
  { codes, merge, only, quiet }: FetchOptions,
  terminal: Terminal,
  build: (files: readonly InputFile[], fetched: readonly FetchedFile[]) => Promise<Result>,
): Promise<Result | undefined> {
  const addresses = codes.map((code) => `${config.geonamesUrl}/${code}.zip`);
  const known = findImported(current.facts.sources, addresses, { codes, merge, only });
  const progress = openStepProgress(terminal, { noun: "KiB", quiet });
  const folder = await mkdtemp(join(tmpdir(), "wfh-import-"));
  const pathOf = (address: string) => join(folder, address.slice(-"US.zip".length));
  const userAgent = `web-forms-helper/${readVersion()}`;
  const fetchOne = async (address: string, validators?: DownloadOptions["validators"]) => {
    showStep(`Fetching ${address}`);
    const onBytes = (bytes: number, of: number) =>
      progress.show("Fetching", bytes, Math.max(bytes, of), 1024);
    const options = { validators, userAgent, signal, onBytes };
    const found = await downloadZip(address, pathOf(address), options);
    progress.close();
    return found && { address, ...found };
  };
  const stopProxy = useProxy();
  try {
    const fetched: FetchedFile[] = [];
    for (const address of addresses) {
      const one = await fetchOne(address, known.get(address));
      if (one !== undefined) fetched.push(one);
    }
    if (fetched.length === 0) return undefined;
    for (const address of addresses) {
      if (fetched.some((one) => one.address === address)) continue;
      const one = await fetchOne(address);
      if (one !== undefined) fetched.push(one);
    }
    const files = addresses.map((address) => InputFile.open(pathOf(address), address));
    return await build(files, fetched);
  } finally {
    stopProxy();
    progress.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Lets requests go through the proxy of the environment: HTTPS_PROXY, HTTP_PROXY, NO_PROXY. */
function useProxy(): () => void {
  try {
    return setGlobalProxyFromEnv();
  } catch (cause) {
    const advice = "Correct HTTPS_PROXY and HTTP_PROXY, for example http://proxy.example.org:3128.";
    throw new CommandError(
      `The proxy cannot be used: ${messageOf(cause)}\n${advice}`,
      exitCodes.usage,
    );
  }
}

/**
 * Finds the files of the last import, by address. None when another import has since changed these
 * countries, or the options ask for more than new codes.
 */
function findImported(
  sources: readonly GazetteerSource[],
  addresses: readonly string[],
  { codes, merge, only }: Pick<FetchOptions, "codes" | "merge" | "only">,
): ReadonlyMap<string, FetchedFile> {
  const countries = codes.map(toImportedCountry);
  const none = new Map<string, FetchedFile>();
  const at = sources.findLastIndex(({ kind, countries: codes }) => {
    return kind !== "places" && codes.some((code) => countries.includes(code));
  });
  const last = sources[at];
  const files = new Map(last?.files?.map((file) => [file.address, file]));
  if (last === undefined || !addresses.every((address) => files.has(address))) return none;
  const others = sources.filter((one) => one !== last && one.kind !== "places");
  const isMore = others.some((other) => {
    const isSame = other.countries.some((code) => countries.includes(code));
    return isSame ? !merge : only;
  });
  return isMore || countries.some((code) => !last.countries.includes(code)) ? none : files;
}

/** @throws {CommandError} when fetched files have postal codes of other countries. */
export function requireCountries(
  codes: readonly string[],
  found: GeoNamesReport["countries"],
): void {
  const expected = new Set(codes.map(toImportedCountry));
  const others = found.flatMap(({ country }) => (expected.has(country.code) ? [] : country.code));
  if (others.length === 0) return;
  throw new CommandError(
    `The downloaded files contain postal codes of ${nameCountries(others)}, not only of ${nameCountries(codes)}: check the address.\n${nothingChanged}`,
  );
}

/**
 * Refuses fetched files that would remove many postal codes of a country: they may be incomplete.
 *
 * @param served facts of the data that would be replaced.
 * @throws {CommandError} with the numbers, and the options that allow it.
 */
export function refuseRemovals(
  codes: readonly string[],
  difference: readonly CountryDifference[],
  served: Pick<GazetteerFacts, "postalCodesByCountry">,
): void {
  const countries = new Set(codes.map(toImportedCountry));
  const lines = difference.flatMap(({ code, removed }) => {
    const count = served.postalCodesByCountry[code] ?? 0;
    if (!countries.has(code) || removed <= count * removedShareMax) return [];
    const share = ((removed / count) * 100).toFixed(2);
    return `${formatCount(removed)} of ${formatCount(count)} postal codes of ${code} (${share} %) would disappear.`;
  });
  if (lines.length === 0) return;
  const why = `More than ${removedShareMax * 100} % of a country is refused, because the file may be incomplete.`;
  const advice =
    "To keep these codes, add --merge. To remove them, add --allow-removals; with --dry-run it shows examples.";
  throw new CommandError(`${lines.join("\n")}\n${why}\n${advice}\n${nothingChanged}`);
}
