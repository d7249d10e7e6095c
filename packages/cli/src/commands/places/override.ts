import { PlaceLookup } from "@wfh/server/domain/location/lookup.ts";
import {
  indexOverrides,
  nameState,
  overrideLimits,
  type PlaceOverride,
} from "@wfh/server/domain/location/override.ts";
import { OverrideGazetteer } from "@wfh/server/domain/location/override-gazetteer.ts";
import type { Place } from "@wfh/server/domain/location/place.ts";
import { type AdminContext, readOverrides, withAdminContext } from "../../io/admin-context.ts";
import type { Command, DeclareCommand, SharedOptions } from "../../io/command.ts";
import { CommandError, exitCodes } from "../../io/exit-codes.ts";
import { openConfiguredGazetteer } from "../../io/gazetteer.ts";
import { requireText } from "../../io/options.ts";
import { renderTextTable } from "../../io/report.ts";
import { readSettings } from "../../io/settings.ts";
import type { Terminal } from "../../io/terminal.ts";
import { readPlaceRow } from "../../places/place-row.ts";
import { requireCountry, requireState, showCountry, showState } from "./named-region.ts";

interface OverrideOptions extends SharedOptions {
  /** Alpha-2, alpha-3 or name. */
  readonly country: string;
  readonly city?: string;
  /** Abbreviation or name. */
  readonly state?: string;
  readonly notFound?: boolean;
  readonly note?: string;
}

/** Adds `places override`. */
export const addPlacesOverride: DeclareCommand = (group) =>
  group
    .command("override")
    .description("Set the place of a postal code, or mark it as not found")
    .argument("<code>", 'postal code, for example 00790 or "K1A 0B1"')
    .requiredOption("--country <country>", "country of the code, as FI, FIN or Finland")
    .option("--city <name>", "city to return")
    .option("--state <state>", "state of the city, as NY or New York (default: the current state)")
    .option("--not-found", "return no place for this code")
    .option("--note <text>", "reason, shown in lists")
    .shared("dryRun", "config")
    .run(overridePlace);

/** Adds `places remove`. */
export const addPlacesRemove: DeclareCommand = (group) =>
  group
    .command("remove")
    .description("Remove an override and use the imported data again")
    .argument("<code>", "postal code")
    .requiredOption("--country <country>", "country of the code: FI, FIN or Finland")
    .shared("dryRun", "config")
    .run(removePlace);

async function overridePlace(code: string, options: OverrideOptions, { terminal }: Command) {
  const { city, state, notFound } = options;
  const note = (options.note ?? "").normalize("NFC").trim();
  requireText("--note", note, overrideLimits.noteCharacters);
  const message =
    notFound && (city !== undefined || state !== undefined)
      ? "--not-found cannot be combined with --city or --state"
      : !notFound && city === undefined
        ? "Set the place with --city and --state, or use --not-found"
        : undefined;
  if (message !== undefined) throw new CommandError(message, exitCodes.usage);
  const target = await findTarget(code, options, terminal);
  const { key, country, data, find, before } = target;
  const makePlace = () => {
    const current = find(`${country.code}:${key}`, before)?.state;
    return { city: target.city, state: nameState(requireState(data, country, state, current)) };
  };
  const place = notFound ? null : makePlace();
  const override = { countryCode: country.code, key, place, note, changedAtMs: Date.now() };
  await changeOverride(target, override, options, terminal);
}

async function removePlace(code: string, options: OverrideOptions, { terminal }: Command) {
  const target = await findTarget(code, options, terminal);
  const { key, country, before, others } = target;
  if (others.length === before.length) {
    const message = `No override for ${key} in ${showCountry(country)}. List all overrides: wfh places list`;
    throw new CommandError(message, exitCodes.no);
  }
  await changeOverride(target, undefined, options, terminal);
}

type OverrideTarget = Awaited<ReturnType<typeof findTarget>>;

/** Finds one postal code of one country, with the data and the overrides before a change. */
async function findTarget(code: string, options: OverrideOptions, terminal: Terminal) {
  const config = readSettings(options.config, terminal);
  const data = await openConfiguredGazetteer(config, terminal);
  const country = requireCountry(data, options.country);
  const cells = { postalCode: code, countryCode: country.code, city: options.city ?? "" };
  const required = options.city === undefined ? [] : (["city"] as const);
  const { key = "", city = "" } = readPlaceRow(
    cells,
    ["postalCode", ...required],
    (column, problem) => {
      const name = column === "postalCode" ? "The postal code" : `--${column}`;
      throw new CommandError(`${name} ${problem}`, exitCodes.usage);
    },
  );
  const before = await readOverrides(config);
  const others = before.filter((one) => one.countryCode !== country.code || one.key !== key);
  const find = (text: string, overrides: readonly PlaceOverride[]) => {
    const gazetteer = new OverrideGazetteer(data, { index: indexOverrides(overrides) });
    return new PlaceLookup(gazetteer, config.countryPrecedence).findPlace(text);
  };
  return { code, key, city, country, config, data, before, others, find };
}

/** Writes or removes an override; shows look-ups before and after, with and without the country. */
async function changeOverride(
  { code, key, country, config, before, others, find }: OverrideTarget,
  override: PlaceOverride | undefined,
  { dryRun }: SharedOptions,
  terminal: Terminal,
): Promise<void> {
  const write = async ({ database: { overrides } }: AdminContext) => {
    if (override !== undefined) return overrides.put(override);
    await overrides.remove(country.code, key);
    return true;
  };
  const state = override === undefined ? "existing" : "existing or new";
  const note = dryRun
    ? "Nothing was written: this was a dry run."
    : (await withAdminContext(config, terminal, write, state))
      ? "All running servers apply it within two seconds."
      : "Nothing changed: the same override exists already.";
  const after = override === undefined ? others : [...others, override];
  const rows = [code, `${country.code}:${key}`].map((text) => [
    text,
    ...[before, after].map((overrides) => showPlace(find(text, overrides))),
  ]);
  terminal.out(renderTextTable([["Look-up", "Before", "After"], ...rows]));
  terminal.err(`${note}\n`);
}

function showPlace(place: Place | undefined): string {
  if (place === undefined) return "not found";
  return `${place.city}, ${showState(place.state)}, ${place.state.country.name}`;
}
