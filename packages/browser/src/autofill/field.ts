import { fold, isNameOf, type NamedPlace, type PlaceRole, partsOf } from "./names.ts";
import { compact } from "./postal-code.ts";

/** A field of an address. */
export type Field = HTMLInputElement | HTMLSelectElement;

/** The use of a field. */
export type Role = "postal-code" | PlaceRole;

const tokens: Readonly<Record<string, string>> = {
  "postal-code": "postal-code",
  country: "country",
  "country-name": "country",
  "address-level1": "state",
  "address-level2": "city",
};

/** In the order of filling: a page may list the states once it knows the country. */
const roles = ["country", "state", "city", "postal-code"] as const;

/** Finds the fields of an address by their marks, else by the last word of `autocomplete`. */
export function findFields(container: Element): readonly (readonly [Role, Field])[] {
  const fields = [...container.querySelectorAll<Field>("input,select")];
  const roleOf = ({ dataset, autocomplete }: Field) =>
    dataset["wfh"] ?? tokens[autocomplete.split(" ").at(-1) ?? ""];
  return roles.flatMap((role): [Role, Field][] => {
    const field = fields.find((one) => roleOf(one) === role);
    return field ? [[role, field]] : [];
  });
}

/** Returns whether a field says nothing: no text, or the hint at the head of a list. */
export function isEmpty(field: Field): boolean {
  if (!("options" in field)) return !field.value;
  const [option] = field.selectedOptions;
  // ASP.NET lists begin with 0 or -1.
  return (
    !option?.value || option.disabled || (option.index === 0 && /^(?:0|-1)$/.test(option.value))
  );
}

/** Returns whether a list shows its first option as long as no other is chosen. */
export function isUnchosen(field: Field): boolean {
  return "options" in field && field.selectedIndex === 0 && !field.options[0]?.defaultSelected;
}

/** The value of a field in which nothing is entered: of a list the empty option, else the first. */
export function blankOf(field: Field): string {
  if (!("options" in field)) return "";
  const options = [...field.options];
  return (options.find(({ value }) => !value) ?? options[0])?.value ?? "";
}

/** Returns whether a field holds a text, not an empty one, perhaps in another spelling. */
export function holds(field: Field, text: string | null | undefined): boolean {
  if (!text || "options" in field) return !!text && field.value === text;
  return compact(fold(field.value)) === compact(fold(text));
}

/** The name or code of a state that a field has: `"NY"` of an option `NY - New York`. */
export function stateTextOf(field: Field): string {
  const isNumbered = "options" in field && !/\p{L}/u.test(field.value);
  const text = isNumbered ? field.selectedOptions[0]?.label : field.value;
  return partsOf(text ?? "")[0] ?? "";
}

/** Returns whether the visitor has made an edit with keys, or in the list that has the focus. */
export function isTyped({ target, inputType = "" }: Event & Partial<InputEvent>): boolean {
  const field = target as Field;
  if ("options" in field) return field.matches(":focus");
  return inputType !== "" && inputType !== "insertReplacementText";
}

/** Returns whether a field names the city, state or country of a place, in any spelling. */
export function namesPlace(field: Field, place: NamedPlace, role: PlaceRole): boolean {
  const label = "options" in field && field.selectedOptions[0]?.label;
  return isNameOf(field.value, place, role) || (!!label && isNameOf(label, place, role));
}

/** The value of a field for which no option is certain: the one it has, if that is a name. */
export function fallbackFor(field: Field, place: NamedPlace, role: PlaceRole): string {
  return namesPlace(field, place, role) ? field.value : blankOf(field);
}

/** Names of a place that fields hold: a list may have no option for the state. */
export function heldNames(
  fields: readonly (readonly [PlaceRole, Field])[],
  place: NamedPlace,
): string {
  const roles = fields.flatMap(([role, field]) => (namesPlace(field, place, role) ? role : []));
  const names = [];
  if (roles.includes("city")) names.push(place.city);
  if (roles.includes("state")) names.push(place.state.name);
  if (roles.join() === "country") names.push(place.country.name);
  return names.join(", ");
}

/**
 * The value that a place gives a field; undefined where a list has no option for it.
 *
 * @param isCountryKnown whether codes are beyond doubt. `WA` is Washington, and Western Australia.
 */
export function valueFor(
  field: Field,
  place: NamedPlace,
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
