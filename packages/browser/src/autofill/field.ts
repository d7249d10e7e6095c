import type { Place } from "../client/api-values.ts";
import { isNameOf, type PlaceRole } from "./names.ts";

/** A field of an address. */
export type Field = HTMLInputElement | HTMLSelectElement;

/** The use of a field. */
export type Role = "postal-code" | PlaceRole;

/** The fields of an address. */
export interface AddressFields {
  readonly postalCode: Field | undefined;
  /** In the order of filling: a page may list the states once it knows the country. */
  readonly places: readonly (readonly [PlaceRole, Field])[];
}

const tokens: Readonly<Record<string, string>> = {
  "postal-code": "postal-code",
  country: "country",
  "country-name": "country",
  "address-level1": "state",
  "address-level2": "city",
};

/** Finds the fields of an address by their marks, else by the last word of `autocomplete`. */
export function findFields(container: Element): AddressFields {
  const all = [...container.querySelectorAll<Field>("input,select")];
  const find = (role: Role) =>
    all.find(
      ({ dataset, autocomplete }) =>
        role === (dataset["wfh"] ?? tokens[autocomplete.split(" ").at(-1) ?? ""]),
    );
  const places: (readonly [PlaceRole, Field])[] = [];
  for (const role of ["country", "state", "city"] as const) {
    const field = find(role);
    if (field) places.push([role, field]);
  }
  return { postalCode: find("postal-code"), places };
}

/** Returns whether a field says nothing: no text, or the hint at the head of a list. */
export function isEmpty(field: Field): boolean {
  return !field.value || ("options" in field && !!field.selectedOptions[0]?.disabled);
}

/** Returns whether a field names the city, state or country of a place, in any spelling. */
export function namesPlace(field: Field, place: Place, role: PlaceRole): boolean {
  const label = "options" in field && field.selectedOptions[0]?.label;
  return isNameOf(field.value, place, role) || (!!label && isNameOf(label, place, role));
}

/**
 * The value that a place gives a field; undefined where a list has no option for it.
 *
 * @param isCountryKnown whether codes are beyond doubt. `WA` is Washington, and Western Australia.
 */
export function valueFor(
  field: Field,
  place: Place,
  role: PlaceRole,
  isCountryKnown: boolean,
): string | undefined {
  if ("options" in field) {
    const find = (text: "label" | "value") =>
      [...field.options].find((option) => !option.disabled && isNameOf(option[text], place, role));
    return (find("label") ?? (isCountryKnown ? find("value") : undefined))?.value;
  }
  if (role === "city") return place.city;
  // By the standard `country` is a code and `country-name` a name.
  const isCode =
    field.autocomplete.endsWith("country") || (field.maxLength > 0 && field.maxLength < 4);
  return place[role][isCode ? "code" : "name"];
}

/** Sets a field as if the visitor had: React and Vue see it too. */
export function setField(field: Field, value: string): void {
  // React puts a setter of its own on the field, and ignores values that have passed it.
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value")?.set?.call(field, value);
  for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }));
}
