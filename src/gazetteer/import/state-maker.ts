import type { Country, State } from "../../domain/location/place.ts";
import { toStateId } from "../../domain/location/state-id.ts";
import { toNameLetters } from "./region-names.ts";

/** Makes the states that a postal file needs and the gazetteer lacks. The same one twice is one state. */
export interface StateMaker {
  /** Those made so far. */
  readonly made: readonly State[];
  /** A state of ISO 3166-2 that our list does not have yet, or no longer. */
  makeIso(country: Country, suffix: string, name: string): State;
  /** Stands for the whole country where its postal codes have no region. */
  makePlaceholder(country: Country): State;
  /** A region that is no state of ISO 3166-2; its name is not empty. */
  makeUnmapped(country: Country, region: { readonly code: string; readonly name: string }): State;
}

/** Each country has so many ids: its number times this, and what follows. */
const idsOfCountry = 100_000;

/**
 * Ids of a country above those of ISO 3166-2: three characters in base 37 end at 50 652 (`ZZZ`). The
 * last id of all, 99 999 999, is below 2^31.
 */
const firstUnmapped = 50_653;
const unmappedIds = idsOfCountry - firstUnmapped;

type WantedState = Pick<State, "country" | "abbreviation" | "name">;

/**
 * Creates a maker beside known states, whose ids it never gives to another one. Decision 0032 has how
 * ids come about.
 */
export function createStateMaker(known: readonly State[]): StateMaker {
  const ids = new Set(known.map(({ id }) => id));
  const byIdentity = new Map(known.map((state) => [toIdentity(state), state]));
  const made: State[] = [];

  /** The state itself, under whatever id an operator gave it; else a new one with the first free id. */
  function findOrMake(wanted: WantedState, firstId: number): State {
    const identity = toIdentity(wanted);
    const there = byIdentity.get(identity);
    if (there !== undefined) return there;
    const state: State = { id: findFreeId(wanted.country, firstId), ...wanted, active: true };
    ids.add(state.id);
    byIdentity.set(identity, state);
    made.push(state);
    return state;
  }

  /** The id that is wanted, or the next free one above those of ISO. */
  function findFreeId(country: Country, id: number): number {
    if (!ids.has(id)) return id;
    const first = country.id * idsOfCountry + firstUnmapped;
    const taken = Math.max(0, id - first);
    for (let step = 1; step < unmappedIds; step++) {
      const next = first + ((taken + step) % unmappedIds);
      if (!ids.has(next)) return next;
    }
    throw new RangeError(`No id is left for another state of ${country.code}`);
  }

  return {
    made,
    makeIso: (country, suffix, name) =>
      findOrMake(
        { abbreviation: suffix, name: name === "" ? suffix : name, country },
        toStateId(country.id, suffix),
      ),
    makePlaceholder: (country) =>
      findOrMake({ abbreviation: "", name: country.name, country }, country.id * idsOfCountry),
    makeUnmapped: (country, { code, name }) => {
      const identity = `${code} ${toNameLetters(name)[0]?.all ?? name}`;
      const id = country.id * idsOfCountry + firstUnmapped + (hashText(identity) % unmappedIds);
      return findOrMake({ abbreviation: "", name, country }, id);
    },
  };
}

/** What makes a state the same one: its abbreviation, or its name where it has none. */
function toIdentity({ country, abbreviation, name }: WantedState): string {
  return `${country.id} ${abbreviation} ${abbreviation === "" ? name : ""}`;
}

/** FNV-1a over UTF-8: no secret, the same on every machine. */
function hashText(text: string): number {
  let hash = 0x811c_9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x0100_0193);
  return hash >>> 0;
}
