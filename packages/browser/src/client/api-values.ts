import type { Part, Shape } from "@wfh/server/contract/operation.ts";
import type { restApi } from "@wfh/server/contract/rest-api.ts";

type Operations = (typeof restApi)["operations"];

/** Scalars in JSON. 64-bit integers are text, since JSON numbers lose digits beyond 2^53. */
interface Scalars {
  readonly string: string;
  readonly int: number;
  readonly long: string;
  readonly double: number;
  readonly boolean: boolean;
  readonly dateTime: string;
}

type ItemOf<Of extends Part> = Of extends { readonly values: readonly (infer Value)[] }
  ? Value
  : Of["type"] extends Shape
    ? JsonOf<Of["type"]>
    : Scalars[Of["type"] & keyof Scalars];

type MemberOf<Of extends Part> =
  | (Of extends { readonly list: true } ? readonly ItemOf<Of>[] : ItemOf<Of>)
  | (Of extends { readonly nillable: true } ? null : never);

/** A shape of the contract in JSON. */
type JsonOf<Of extends Shape> = {
  readonly [Name in keyof Of["parts"]]: MemberOf<Of["parts"][Name]>;
};

type InputOf<Of extends Part> = MemberOf<Of> | (Of["type"] extends "long" ? bigint : never);

/** Parts of a request in JSON, where none has to be given. */
type InputsOf<Parts extends Readonly<Record<string, Part>>> = {
  readonly [Name in keyof Parts]?: InputOf<Parts[Name]> | null | undefined;
};

/** All places of a postal code, the preferred one first. */
export type Places = JsonOf<Operations["findPlaces"]["result"]>;

/** Postal codes around one, the nearest first. */
export type NearPlaces = JsonOf<Operations["findNearby"]["result"]>;

/** The postal code to search around, and how far. */
export type NearbyQuery = InputsOf<Operations["findNearby"]["input"]> & {
  readonly country: string;
  readonly postalCode: string;
};

/** Cities and postal codes that a text may stand for, the most exact first. */
export type Suggestions = JsonOf<Operations["searchPlaces"]["result"]>;

/** The text that was typed, and where to look. */
export type SearchQuery = InputsOf<Operations["searchPlaces"]["input"]> & { readonly q: string };

/** A city in each state that has one, with all its postal codes. */
export type Cities = JsonOf<Operations["listCityCodes"]["result"]>;

/** The city whose codes to list. */
export type CityQuery = InputsOf<Operations["listCityCodes"]["input"]> & {
  readonly country: string;
  readonly city: string;
};

/** Result of comparing a postal code with the names beside it. */
export type PlaceCheck = JsonOf<Operations["checkPlace"]["result"]>;

/** The part of an address to check. */
export type CheckedAddress = InputsOf<Operations["checkPlace"]["input"]> & {
  readonly country: string;
  readonly postalCode: string;
};

/** A city with its state and country. */
export type Place = Places["places"][number];

/** A state, province or territory. */
export type State = Place["state"];

/** A country. */
export type Country = Place["country"];

/** All countries. */
export type Countries = JsonOf<Operations["listCountries"]["result"]>;

/** The states of a country. */
export type States = JsonOf<Operations["listStates"]["result"]>;

/** A page shown to a visitor. Everything is optional. */
export type PageRequest = InputsOf<
  Operations["logPageRequests"]["input"]["pageRequests"]["type"]["parts"]
>;

/** Credentials of a visitor. */
export type Credentials = {
  readonly [Name in keyof Operations["logIn"]["input"]]: string;
};

/** The form on which a visitor is. */
export type FormIds = InputsOf<Operations["autoLogIn"]["input"]>;

/** Which sessions of a visitor end. */
export type LogOutOptions = InputsOf<Operations["logOut"]["input"]>;

/** Result of a log-in. The ids are null when it was refused, and `message` says why. */
export type LogInOutcome = JsonOf<Operations["logIn"]["result"]>;
