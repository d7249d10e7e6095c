import {
  nameState,
  type OverridePlace,
  overrideLimits,
  type PlaceOverride,
} from "../../../domain/location/override.ts";
import { withAdminContext } from "../../admin-context.ts";
import type { Command, DeclareCommand } from "../../command.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { requireText } from "../../io/options.ts";
import {
  type ChangeOptions,
  findCurrentPlace,
  findTarget,
  reportChange,
  requireOnlyState,
  requireState,
  type Target,
} from "./target.ts";

interface OverrideOptions extends ChangeOptions {
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

async function overridePlace(
  code: string,
  options: OverrideOptions,
  { terminal }: Command,
): Promise<void> {
  const note = readText("--note", options.note, overrideLimits.noteCharacters);
  requirePlaceOrNotFound(options);
  const target = await findTarget(code, options, terminal);
  const override: PlaceOverride = {
    countryCode: target.country.code,
    key: target.key,
    place: options.notFound ? null : readPlace(target, options),
    note,
    changedAtMs: Date.now(),
  };
  const isNew =
    options.dryRun ||
    (await withAdminContext(
      target.config,
      terminal,
      ({ administration }) => administration.placeOverrides.put(override),
      "existing or new",
    ));
  const change = options.dryRun ? "dry run" : isNew ? "written" : "unchanged";
  reportChange(target, [...target.others, override], change, terminal);
}

function requirePlaceOrNotFound({ city, state, notFound }: OverrideOptions): void {
  const message =
    notFound && (city !== undefined || state !== undefined)
      ? "--not-found cannot be combined with --city or --state"
      : !notFound && city === undefined
        ? "Set the place with --city and --state, or use --not-found"
        : undefined;
  if (message !== undefined) throw new CommandError(message, exitCodes.usage);
}

function readPlace(target: Target, options: OverrideOptions): OverridePlace {
  const { data, country } = target;
  const city = readText("--city", options.city, overrideLimits.cityCharacters);
  if (city === "") throw new CommandError("--city is empty", exitCodes.usage);
  const state =
    options.state === undefined
      ? requireOnlyState(data, country, findCurrentPlace(target)?.state)
      : requireState(data, country, options.state);
  return { city, state: nameState(state) };
}

/** The text of an option in one form of Unicode, without blanks at its ends. */
function readText(option: string, text: string | undefined, charactersMax: number): string {
  const trimmed = (text ?? "").normalize("NFC").trim();
  requireText(option, trimmed, charactersMax);
  return trimmed;
}
