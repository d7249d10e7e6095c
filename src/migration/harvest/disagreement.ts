import type { locationResult } from "../../contract/location-helper.ts";
import type { ShapeValue } from "../../contract/operation.ts";
import type { OldResponse } from "./old-server.ts";

/**
 * How the old server's response for a code differs from ours; the first and the second or third may come together.
 * `otherIds` is about ids, names and flags of the same state, country or continent.
 */
export type Disagreement =
  | "otherCity"
  | "otherState"
  | "otherIds"
  | "notFoundThere"
  | "notFoundHere";

/** Finds the differences between a response of the old server and ours; ours is null for a code that is not found. */
export function findDisagreements(
  old: Exclude<OldResponse, { kind: "failed" }>,
  ours: ShapeValue<typeof locationResult> | null,
): readonly Disagreement[] {
  if (old.kind === "not-found") return ours === null ? [] : ["notFoundThere"];
  if (ours === null) return ["notFoundHere"];
  const { City, State } = old.place;
  const found: Disagreement[] = City === ours.City ? [] : ["otherCity"];
  const isSameState =
    State?.StateAbbreviation === ours.State?.StateAbbreviation &&
    State?.Country?.CountryCode === ours.State?.Country?.CountryCode;
  if (!isSameState) return [...found, "otherState"];
  return isSame(State, ours.State) ? found : [...found, "otherIds"];
}

/** Compares all parts. A continent that the old server leaves out, as SOAP does, is the same as any. */
function isSame(old: unknown, ours: unknown): boolean {
  if (typeof old !== "object" || old === null) return old === ours;
  return Object.entries(old).every(([name, value]) => {
    if (name === "Continent" && value === null) return true;
    return isSame(value, (ours as Readonly<Record<string, unknown>> | null)?.[name]);
  });
}
