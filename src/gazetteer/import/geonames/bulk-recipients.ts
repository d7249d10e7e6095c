import { unpackKey } from "../../format/layout.ts";
import type { Candidate } from "./candidates.ts";
import type { CountryRows } from "./collect-rows.ts";

/** A code whose rows name only bulk recipients. */
interface KeptCode {
  readonly key: number;
  readonly candidates: readonly Candidate[];
}

/** Only the file of this country has such codes, all of digits. */
const country = "DE";

/**
 * Postal codes of bulk recipients, whose rows name companies instead of cities. Their city is that of the nearest ordinary
 * code: 71060, a dozen companies, lies between codes of Sindelfingen, and so do the companies.
 */
export class BulkRecipients {
  readonly #codeOf: (key: number) => number;
  readonly #isConcerned: boolean;
  readonly #kept: KeptCode[] = [];
  readonly #cities: { readonly code: number; readonly place: Candidate }[] = [];

  constructor({ country: { code }, keys }: CountryRows) {
    this.#isConcerned = code === country;
    this.#codeOf = (key) => Number(unpackKey(keys.firstOf(key), keys.secondOf(key)));
  }

  /** Keeps a code for later that has only rows of bulk recipients; false for other codes. */
  keep(key: number, candidates: readonly Candidate[]): boolean {
    if (!this.#isConcerned || candidates.some(({ isFallback }) => !isFallback)) return false;
    this.#kept.push({ key, candidates });
    return true;
  }

  /** Adds the preferred place of an ordinary code. */
  addCity(key: number, place: Candidate | undefined): void {
    if (this.#isConcerned && place !== undefined) {
      this.#cities.push({ code: this.#codeOf(key), place });
    }
  }

  /** The codes that were kept, each with the place of the nearest ordinary code, if there is any. */
  resolve(): readonly (KeptCode & { readonly nearest: Candidate | undefined })[] {
    this.#cities.sort((a, b) => a.code - b.code);
    return this.#kept.map((kept) => ({ ...kept, nearest: this.#findNearest(kept.key) }));
  }

  #findNearest(key: number): Candidate | undefined {
    const code = this.#codeOf(key);
    const before = this.#cities.findLast((city) => city.code < code);
    const after = this.#cities.find((city) => city.code >= code);
    if (before === undefined || after === undefined) return (before ?? after)?.place;
    return after.code - code <= code - before.code ? after.place : before.place;
  }
}
