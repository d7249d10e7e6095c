import type { Country, State } from "@wfh/server/domain/location/place.ts";
import { toStateId } from "@wfh/server/domain/location/place.ts";
import { toNameLetters } from "./region-names.ts";

/** IDs of a country: they begin at its number times this. */
const idsOfCountry = 100_000;

/**
 * Ids of a country above those of ISO 3166-2: three characters in base 37 end at 50 652 (`ZZZ`).
 * The last id of all, 99 999 999, is below 2^31.
 */
const firstUnmapped = 50_653;
const unmappedIds = idsOfCountry - firstUnmapped;

type WantedState = Pick<State, "country" | "abbreviation" | "name">;

/** Makes states that the gazetteer lacks, each once, with ids of no other state (decision 0032). */
export class StateMaker {
  readonly made: State[] = [];
  readonly #ids: Set<number>;
  readonly #byIdentity: Map<string, State>;

  constructor(known: readonly State[]) {
    this.#ids = new Set(known.map(({ id }) => id));
    this.#byIdentity = new Map(known.map((state) => [toIdentity(state), state]));
  }

  /** A state of ISO 3166-2 that our list lacks. */
  makeIso(country: Country, suffix: string, name: string): State {
    const wanted = { abbreviation: suffix, name: name === "" ? suffix : name, country };
    return this.#findOrMake(wanted, toStateId(country.id, suffix));
  }

  /** Stands for the whole country where its postal codes have no region. */
  makePlaceholder(country: Country): State {
    const wanted = { abbreviation: "", name: country.name, country };
    return this.#findOrMake(wanted, country.id * idsOfCountry);
  }

  /** A region that is not in ISO 3166-2; its name is not empty. */
  makeUnmapped(
    country: Country,
    { code, name }: { readonly code: string; readonly name: string },
  ): State {
    const identity = `${code} ${toNameLetters(name)[0]?.all ?? name}`;
    const id = country.id * idsOfCountry + firstUnmapped + (hashText(identity) % unmappedIds);
    return this.#findOrMake({ abbreviation: "", name, country }, id);
  }

  /** The state itself, under whatever id it has by now; else a new one with the first free id. */
  #findOrMake(wanted: WantedState, firstId: number): State {
    const identity = toIdentity(wanted);
    const known = this.#byIdentity.get(identity);
    if (known !== undefined) return known;
    const state: State = { id: this.#findFreeId(wanted.country, firstId), ...wanted, active: true };
    this.#ids.add(state.id);
    this.#byIdentity.set(identity, state);
    this.made.push(state);
    return state;
  }

  /** The wanted id, or the next free one above those of ISO. */
  #findFreeId(country: Country, id: number): number {
    if (!this.#ids.has(id)) return id;
    const first = country.id * idsOfCountry + firstUnmapped;
    const offset = Math.max(0, id - first);
    for (let step = 1; step < unmappedIds; step++) {
      const next = first + ((offset + step) % unmappedIds);
      if (!this.#ids.has(next)) return next;
    }
    throw new RangeError(`No id is left for another state of ${country.code}`);
  }
}

/** Identity of a state: its abbreviation, or its name without one. */
function toIdentity({ country, abbreviation, name }: WantedState): string {
  return `${country.id} ${abbreviation} ${abbreviation === "" ? name : ""}`;
}

/** FNV-1a over UTF-8: no secret, the same on every machine. */
function hashText(text: string): number {
  let hash = 0x811c_9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x0100_0193);
  return hash >>> 0;
}
