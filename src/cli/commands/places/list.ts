import { indexOverrides, type PlaceOverride } from "../../../domain/location/override.ts";
import { applyOverrides } from "../../../domain/location/override-gazetteer.ts";
import type { State } from "../../../domain/location/place.ts";
import { exitCodes } from "../../exit-codes.ts";
import { openConfiguredGazetteer } from "../../gazetteer.ts";
import { formatInstant } from "../../io/instant.ts";
import { renderJsonLine, toPrintable } from "../../io/printable.ts";
import { renderTable } from "../../io/table.ts";
import type { Terminal } from "../../io/terminal.ts";
import { readSettings } from "../../settings.ts";
import { readOverrides } from "./read-overrides.ts";
import { requireCountry, showState } from "./target.ts";

/** Options of `places list`. */
export interface ListPlacesOptions {
  /** Alpha-2, alpha-3 or name. */
  readonly country?: string;
  readonly json?: boolean;
  readonly config?: string;
}

/** An override with the state that it names; undefined where the data served now has none. */
interface ListedOverride extends PlaceOverride {
  readonly state: State | undefined;
}

/**
 * Prints all overrides: a table, or with `json` one line for each. Resolves to the exit code.
 *
 * @throws {CommandError} when the database cannot be read, or there is no such country.
 */
export async function listPlaces(options: ListPlacesOptions, console: Terminal): Promise<number> {
  const config = readSettings(options.config, console);
  const data = openConfiguredGazetteer(config.gazetteer);
  const country = options.country === undefined ? undefined : requireCountry(data, options.country);
  const all = await readOverrides(config);
  const index = indexOverrides(all);
  const gazetteer = applyOverrides(data, () => index);
  const listed = all
    .filter(({ countryCode }) => country === undefined || countryCode === country.code)
    .map((override): ListedOverride => {
      const place = gazetteer
        .listPlaces(override.key)
        .find(({ isOverride, state }) => isOverride && state.country.code === override.countryCode);
      return { ...override, state: place?.state };
    });
  if (options.json) for (const override of listed) console.out(renderOverrideJson(override));
  else if (listed.length > 0) console.out(renderOverrides(listed));
  else console.out("There are no overrides. See how to add one: wfh places override --help\n");
  const lost = listed.filter(({ place, state }) => place !== null && state === undefined);
  if (lost.length > 0) {
    console.err(
      `${lost.length} of them count for nothing: the data served now has no such state. Say them anew with wfh places override, or remove them.\n`,
    );
  }
  return exitCodes.done;
}

function renderOverrides(listed: readonly ListedOverride[]): string {
  const rows = listed.map(({ key, countryCode, place, state, note, changedAtMs }) => [
    key,
    countryCode,
    place === null ? "not found" : toPrintable(place.city),
    place === null ? "" : showListedState(place.state, state),
    formatInstant(changedAtMs),
    toPrintable(note),
  ]);
  return renderTable([["Postal code", "Country", "City", "State", "Changed", "Note"], ...rows]);
}

function showListedState(named: string, state: State | undefined): string {
  return toPrintable(state === undefined ? `${named}, unknown` : showState(state));
}

function renderOverrideJson(override: ListedOverride): string {
  const { place, state } = override;
  return renderJsonLine({
    postalCode: override.key,
    countryCode: override.countryCode,
    city: place?.city ?? null,
    state: place?.state ?? null,
    stateAbbreviation: state?.abbreviation ?? null,
    stateName: state?.name ?? null,
    stateId: state?.id ?? null,
    counts: place === null || state !== undefined,
    note: override.note,
    changedAt: formatInstant(override.changedAtMs),
  });
}
