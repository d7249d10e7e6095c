import type { Gazetteer } from "../../../domain/location/gazetteer.ts";
import { PlaceLookup } from "../../../domain/location/lookup.ts";
import { indexOverrides, type PlaceOverride } from "../../../domain/location/override.ts";
import { OverrideGazetteer } from "../../../domain/location/override-gazetteer.ts";
import type { Country, Place } from "../../../domain/location/place.ts";
import type { Config } from "../../../server/settings/settings.ts";
import { readOverrides } from "../../admin-context.ts";
import { openConfiguredGazetteer } from "../../gazetteer.ts";
import type { SharedOptions } from "../../io/options.ts";
import { renderTable } from "../../io/table.ts";
import type { Terminal } from "../../io/terminal.ts";
import { readSettings } from "../../settings.ts";
import { requireCountry, requireKey, showState } from "./target.ts";

/** Options of every command that changes an override. */
export interface ChangeOptions extends SharedOptions {
  /** Alpha-2, alpha-3 or name. */
  readonly country: string;
}

/** One postal code of one country, with the data and the overrides before the change. */
export interface Target {
  readonly code: string;
  readonly key: string;
  readonly country: Country;
  readonly config: Config;
  readonly data: Gazetteer;
  readonly before: readonly PlaceOverride[];
  /** The override of this code, if any. */
  readonly override: PlaceOverride | undefined;
  /** Overrides of all other codes. */
  readonly others: readonly PlaceOverride[];
}

/**
 * Finds the postal code that a command is about.
 *
 * @throws {CommandError} when code or country are invalid, or the database cannot be read.
 */
export async function findTarget(
  code: string,
  options: ChangeOptions,
  terminal: Terminal,
): Promise<Target> {
  const config = readSettings(options.config, terminal);
  const data = openConfiguredGazetteer(config.gazetteer);
  const country = requireCountry(data, options.country);
  const key = requireKey(code, country);
  const before = await readOverrides(config);
  const isSame = (one: PlaceOverride) => one.countryCode === country.code && one.key === key;
  const [override, others] = [before.find(isSame), before.filter((one) => !isSame(one))];
  return { code, key, country, config, data, before, override, others };
}

/** The place of the code in its country, before the change. */
export function findCurrentPlace(target: Target): Place | undefined {
  return findPlace(target, `${target.country.code}:${target.key}`, target.before);
}

/** Shows what look-ups return before and after a change: of the code alone, and together with its country. */
export function reportChange(
  target: Target,
  after: readonly PlaceOverride[],
  terminal: Terminal,
): void {
  const rows = [target.code, `${target.country.code}:${target.key}`].map((code) => [
    code,
    ...[target.before, after].map((overrides) => showPlace(findPlace(target, code, overrides))),
  ]);
  terminal.out(renderTable([["Look-up", "Before", "From now on"], ...rows]));
}

/** Warnings about the settings were printed when the target was found: the same settings are not warned of twice. */
export function withoutWarnings({ out }: Terminal): Terminal {
  return { out, err: () => {} };
}

function findPlace(
  { data, config: { countryPrecedence } }: Target,
  code: string,
  overrides: readonly PlaceOverride[],
): Place | undefined {
  const index = indexOverrides(overrides);
  const gazetteer = new OverrideGazetteer(data, { index });
  return new PlaceLookup(gazetteer, countryPrecedence).findPlace(code);
}

function showPlace(place: Place | undefined): string {
  if (place === undefined) return "not found";
  return `${place.city}, ${showState(place.state)}, ${place.state.country.name}`;
}
