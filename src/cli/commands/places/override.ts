import type { Gazetteer } from "../../../domain/location/gazetteer.ts";
import { createPlaceLookup } from "../../../domain/location/lookup.ts";
import {
  indexOverrides,
  nameState,
  type OverridePlace,
  overrideLimits,
  type PlaceOverride,
} from "../../../domain/location/override.ts";
import { applyOverrides } from "../../../domain/location/override-gazetteer.ts";
import type { Country, Place } from "../../../domain/location/place.ts";
import type { Config } from "../../../server/settings/settings.ts";
import { withAdminContext } from "../../admin-context.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { openConfiguredGazetteer } from "../../gazetteer.ts";
import { toPrintable } from "../../io/printable.ts";
import { renderTable } from "../../io/table.ts";
import type { Terminal } from "../../io/terminal.ts";
import { readSettings } from "../../settings.ts";
import { readOverrides } from "./read-overrides.ts";
import { requireCountry, requireKey, requireOnlyState, requireState } from "./target.ts";

/** Options of `places remove`. */
export interface RemovePlaceOptions {
  /** Alpha-2, alpha-3 or name. */
  readonly country: string;
  readonly dryRun?: boolean;
  readonly config?: string;
}

/** Options of `places override`. */
export interface OverridePlaceOptions extends RemovePlaceOptions {
  readonly city?: string;
  /** Abbreviation or name. */
  readonly state?: string;
  readonly notFound?: boolean;
  readonly note?: string;
}

/** One code of one country, and what the data and the overrides are before anything changes. */
interface Target {
  readonly code: string;
  readonly key: string;
  readonly country: Country;
  readonly config: Config;
  readonly data: Gazetteer;
  readonly before: readonly PlaceOverride[];
}

/**
 * Says what a postal code of a country stands for, or that it is none, and shows what is answered before and from
 * now on. Resolves to the exit code.
 *
 * @throws {CommandError} when an option cannot be used, or the database.
 */
export async function overridePlace(
  code: string,
  options: OverridePlaceOptions,
  console: Terminal,
): Promise<number> {
  const note = requireText("--note", options.note ?? "", overrideLimits.noteCharacters);
  requireOneAnswer(options);
  const target = await findTarget(code, options, console);
  const override: PlaceOverride = {
    countryCode: target.country.code,
    key: target.key,
    place: options.notFound ? null : readPlace(target, options),
    note,
    changedAtMs: Date.now(),
  };
  const others = target.before.filter((one) => !isOf(one, target));
  const isNews =
    options.dryRun ||
    (await withAdminContext(
      options.config,
      silent(console),
      ({ administration }) => administration.placeOverrides.put(override),
      "existing or new",
    ));
  console.out(renderChange(target, [...others, override]));
  tellOutcome(options, console, isNews);
  return exitCodes.done;
}

/**
 * Removes what was said of a postal code of a country, so that the data answers again. Resolves to the exit code:
 * `no` when nothing was said.
 *
 * @throws {CommandError} when an option cannot be used, or the database.
 */
export async function removePlace(
  code: string,
  options: RemovePlaceOptions,
  console: Terminal,
): Promise<number> {
  const target = await findTarget(code, options, console);
  const { key, country } = target;
  if (!target.before.some((one) => isOf(one, target))) {
    throw new CommandError(
      `There is no override of ${key} in ${country.name} (${country.code}). See which there are: wfh places list`,
      exitCodes.no,
    );
  }
  if (!options.dryRun) {
    await withAdminContext(options.config, silent(console), ({ administration }) =>
      administration.placeOverrides.remove(country.code, key),
    );
  }
  console.out(
    renderChange(
      target,
      target.before.filter((one) => !isOf(one, target)),
    ),
  );
  tellOutcome(options, console, true);
  return exitCodes.done;
}

/** What is wrong with the settings has been told when the target was found. */
function silent({ out }: Terminal): Terminal {
  return { out, err: () => {} };
}

function tellOutcome({ dryRun }: RemovePlaceOptions, console: Terminal, isNews: boolean): void {
  if (dryRun) console.err("Nothing has been written: this was a dry run.\n");
  else if (!isNews) console.err("It was so already.\n");
  else console.err("Every running server answers so within two seconds.\n");
}

async function findTarget(
  code: string,
  options: RemovePlaceOptions,
  console: Terminal,
): Promise<Target> {
  const config = readSettings(options.config, console);
  const data = openConfiguredGazetteer(config.gazetteer);
  const country = requireCountry(data, options.country);
  const key = requireKey(code, country);
  return { code, key, country, config, data, before: await readOverrides(config) };
}

function isOf({ countryCode, key }: PlaceOverride, target: Target): boolean {
  return countryCode === target.country.code && key === target.key;
}

function requireOneAnswer({ city, state, notFound }: OverridePlaceOptions): void {
  if (notFound && (city !== undefined || state !== undefined)) {
    throw new CommandError(
      "--not-found says that there is no place: leave --city and --state out",
      exitCodes.usage,
    );
  }
  if (!notFound && city === undefined) {
    throw new CommandError(
      "Give the place of the code (--city and --state), or --not-found",
      exitCodes.usage,
    );
  }
}

function readPlace(target: Target, options: OverridePlaceOptions): OverridePlace {
  const { data, country } = target;
  const city = requireText("--city", options.city ?? "", overrideLimits.cityCharacters);
  if (city === "") throw new CommandError("--city is empty", exitCodes.usage);
  const state =
    options.state === undefined
      ? requireOnlyState(data, country, findInCountry(target, target.before)?.state)
      : requireState(data, country, options.state);
  return { city, state: nameState(state) };
}

/** A text in one form of Unicode, without blanks at its ends. */
function requireText(option: string, text: string, charactersMax: number): string {
  const trimmed = text.normalize("NFC").trim();
  const fail = (reason: string) => new CommandError(`${option} ${reason}`, exitCodes.usage);
  if ([...trimmed].length > charactersMax) throw fail(`is longer than ${charactersMax} characters`);
  if (/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\ufffd]/u.test(trimmed)) {
    throw fail(`${toPrintable(trimmed)} contains invisible characters`);
  }
  return trimmed;
}

/** What is answered to the code alone, and together with its country, before and afterwards. */
function renderChange(target: Target, after: readonly PlaceOverride[]): string {
  const { code, country, before } = target;
  const asked: readonly [string, typeof findAnywhere][] = [
    [toPrintable(code), findAnywhere],
    [`${country.code}:${target.key}`, findInCountry],
  ];
  const rows = asked.map(([text, find]) => [
    text,
    showPlace(find(target, before)),
    showPlace(find(target, after)),
  ]);
  return renderTable([["Asked for", "Before", "From now on"], ...rows]);
}

function findAnywhere(target: Target, overrides: readonly PlaceOverride[]): Place | undefined {
  return openLocation(target, overrides).findPlace(target.code);
}

function findInCountry(target: Target, overrides: readonly PlaceOverride[]): Place | undefined {
  return openLocation(target, overrides).findPlace(`${target.country.code}:${target.key}`);
}

function openLocation({ data, config }: Target, overrides: readonly PlaceOverride[]) {
  const index = indexOverrides(overrides);
  return createPlaceLookup({
    gazetteer: applyOverrides(data, () => index),
    countryPrecedence: config.countryPrecedence,
  });
}

function showPlace(place: Place | undefined): string {
  if (place === undefined) return "not found";
  const { city, state } = place;
  return toPrintable(`${city}, ${state.name} (${state.abbreviation}), ${state.country.name}`);
}
