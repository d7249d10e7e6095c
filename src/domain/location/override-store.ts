import type { PlaceOverride } from "./override.ts";

/** Where a server reads the overrides that operators write. */
export interface OverrideSource {
  /** A number that grows in the transaction of every change. */
  readRevision(): Promise<bigint>;
  /** All overrides. One that changes meanwhile may be there as it was or as it is. */
  list(): Promise<readonly PlaceOverride[]>;
}

/** Where operators write them. */
export interface OverrideStore extends OverrideSource {
  /** The override of a key in a country; null when there is none. */
  find(countryCode: string, key: string): Promise<PlaceOverride | null>;
  /**
   * Adds an override or puts it in the place of the one there is. False when there was the same already, which
   * leaves everything as it is, its time too.
   *
   * @throws {OverridesFullError} when there are as many as there may be.
   */
  put(override: PlaceOverride): Promise<boolean>;
  /** Removes an override; false when there is none. */
  remove(countryCode: string, key: string): Promise<boolean>;
}

/** One override more than there may be. */
export class OverridesFullError extends Error {
  constructor(max: number) {
    super(`There are ${max.toLocaleString("en-US")} overrides already, and no more may be added`);
    this.name = "OverridesFullError";
  }
}
