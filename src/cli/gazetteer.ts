import type { Gazetteer } from "../domain/location/gazetteer.ts";
import { builtInGazetteer } from "../gazetteer/built-in.ts";
import { openGazetteer } from "../gazetteer/reader.ts";
import { CommandError } from "./exit-codes.ts";

/**
 * Opens the gazetteer of the settings.
 *
 * @param file as the setting has it; `""` is the built-in one.
 * @throws {CommandError} when it cannot be read.
 */
export function openConfiguredGazetteer(file: string): Gazetteer {
  try {
    return openGazetteer(file === "" ? builtInGazetteer : file);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const advice = "Check WFH_GAZETTEER, or leave it unset for the built-in data.";
    throw new CommandError(`${reason}\n${advice}`, undefined, cause);
  }
}
