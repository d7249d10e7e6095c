import { writeFileSync } from "node:fs";
import type { Operation, Part, ScalarName, Shape } from "@wfh/server/contract/operation.ts";
import { restApi } from "@wfh/server/contract/rest-api.ts";

/** Scalars in JSON, whose numbers lose digits beyond 2^53. */
const scalars: Readonly<Record<ScalarName, string>> = {
  string: "string",
  int: "number",
  long: "string",
  double: "number",
  boolean: "boolean",
  dateTime: "string",
};

/** Shapes of results, by their names in the contract. */
const resultShapes: Readonly<Record<string, string>> = {
  Continent: "A continent.",
  Country: "A country.",
  State: "A state, province or territory.",
  Coordinates: "A point on the Earth (WGS 84).",
  Place: "A city with its state and country.",
  Places: "All places of a postal code, the preferred one first.",
  NearPlace: "A postal code near another one, with its preferred place.",
  NearPlaces: "Postal codes around one, the nearest first.",
  Countries: "All countries.",
  States: "The states of a country.",
  Suggestion: "A city or postal code that a text may stand for.",
  Suggestions: "Cities and postal codes that a text may stand for, the most exact first.",
  CityCodes: "A city of one state, with its postal codes.",
  Cities: "A city in each state that has one, with all its postal codes.",
  PlaceCheck: "Result of comparing a postal code with the names beside it.",
  LogIn: "Result of a log-in. The IDs are null when it was refused, and `message` says why.",
};

/** Names in TypeScript of shapes that are not called as in the contract. */
const otherNames: Readonly<Record<string, string>> = { LogIn: "LogInOutcome" };

const { operations } = restApi;

/** Values that callers send: the name of the type, its meaning and its parts. */
const inputs: readonly (readonly [string, string, Shape["parts"]])[] = [
  ["NearbyQuery", "The postal code to search around, and how far.", operations.findNearby.input],
  ["SearchQuery", "The text that was typed, and where to look.", operations.searchPlaces.input],
  ["CityQuery", "The city whose codes to list.", operations.listCityCodes.input],
  ["CheckedAddress", "The part of an address to check.", operations.checkPlace.input],
  [
    "PageRequest",
    "A page shown to a visitor. Everything is optional.",
    operations.logPageRequests.input.pageRequests.type.parts,
  ],
  ["Credentials", "Credentials of a visitor.", operations.logIn.input],
  ["FormIds", "The form on which a visitor is.", operations.autoLogIn.input],
  ["LogOutOptions", "Which sessions of a visitor end.", operations.logOut.input],
];

/** Shows the types of the client's values to editors as people would write them. */
function renderClientTypes(): string {
  const shapes = new Set<Shape>();
  for (const { result } of Object.values<Operation>(operations)) addShapes(result, shapes);
  const names = [...shapes].map(({ name }) => name);
  if (names.toSorted().join() !== Object.keys(resultShapes).toSorted().join()) {
    throw new Error(`Describe the shapes of all results in client-types.ts: ${names.join(", ")}`);
  }
  const results = [...shapes].map(({ name, parts }) =>
    renderInterface(otherNames[name] ?? name, resultShapes[name] ?? "", parts, false),
  );
  const sent = inputs.map(([name, meaning, parts]) => renderInterface(name, meaning, parts, true));
  return [...results, ...sent].join("\n");
}

/**
 * Writes the types of the client's values, which are in no commit: checks and builds need them,
 * programs do not.
 */
export function writeClientTypes(): void {
  writeFileSync(
    new URL("../../packages/browser/src/client/api-values.ts", import.meta.url),
    renderClientTypes(),
  );
}

/** Adds a shape and those of its parts, each behind those that it consists of. */
function addShapes(shape: Shape | undefined, shapes: Set<Shape>): void {
  if (shape === undefined || [...shapes].some(({ name }) => name === shape.name)) return;
  for (const { type } of Object.values(shape.parts)) {
    if (typeof type !== "string") addShapes(type, shapes);
  }
  shapes.add(shape);
}

function renderInterface(name: string, meaning: string, parts: Shape["parts"], isInput: boolean) {
  const members = Object.entries(parts).map(
    ([member, part]) =>
      `  /** ${describe(part)} */\n  readonly ${member}${part.optional ? "?" : ""}: ${typeOf(part, isInput)};\n`,
  );
  return `/** ${meaning} */\nexport interface ${name} {\n${members.join("")}}\n`;
}

function typeOf({ type, values, list, nillable, optional }: Part, isInput: boolean): string {
  const item =
    values?.map((value) => JSON.stringify(value)).join(" | ") ??
    (typeof type === "string" ? scalars[type] : (otherNames[type.name] ?? type.name));
  return [
    list ? `readonly ${item}[]` : item,
    ...(isInput && type === "long" ? ["bigint"] : []),
    ...(nillable || (isInput && optional) ? ["null"] : []),
    ...(optional ? ["undefined"] : []),
  ].join(" | ");
}

/** Meaning of a part with its limits. */
function describe({ meaning = "", type, form, maxLength }: Part): string {
  const limits = [
    ...(type === "long" ? ["a 64-bit integer, in digits"] : []),
    ...(form === undefined ? [] : [form]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
  ];
  const said = meaning.replace(/^Whether /, "True if ");
  const [first = "", ...rest] = limits.join("; ");
  return first === "" ? said : `${said} ${first.toUpperCase()}${rest.join("")}.`;
}

if (import.meta.main) writeClientTypes();
