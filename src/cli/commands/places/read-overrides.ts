import {
  indexOverrides,
  type OverrideIndex,
  type PlaceOverride,
} from "../../../domain/location/override.ts";
import type { Config } from "../../../server/settings/settings.ts";
import { StoreError } from "../../../store/store-error.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import type { Terminal } from "../../io/terminal.ts";

/**
 * Overrides of the database of the settings; none where there is no database yet. Makes none.
 *
 * @throws {CommandError} when there is one that cannot be read.
 */
export async function readOverrides(config: Config): Promise<readonly PlaceOverride[]> {
  try {
    const { readPlaceOverrides } = await import("../../../store/store.ts");
    return await readPlaceOverrides(config.databaseUrl);
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    throw new CommandError(`${cause.message}\nCheck WFH_DATABASE_URL.`, exitCodes.failed, cause);
  }
}

/** As {@link readOverrides}, for commands that do without them, which they say. */
export async function readOverridesIfPossible(
  config: Config,
  console: Terminal,
): Promise<OverrideIndex> {
  try {
    return indexOverrides(await readOverrides(config));
  } catch (cause) {
    if (!(cause instanceof CommandError)) throw cause;
    console.err(`Warning: overrides are not applied. ${cause.message}\n`);
    return indexOverrides([]);
  }
}
