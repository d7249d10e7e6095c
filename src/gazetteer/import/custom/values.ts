/** Longest texts, in characters: of cities as GeoNames has them, of names and abbreviations what fits in a list. */
export const textLimits = {
  city: 180,
  name: 100,
  abbreviation: 20,
} as const;

const smallest = -2_147_483_648;
const largest = 2_147_483_647;

/** What a cell holds, or what is wrong with it. */
export type Parsed<Value> = { readonly value: Value } | { readonly problem: string };

/** An id of the contract: signed, 32 bits. */
export function parseId(text: string): Parsed<number> {
  const id = /^-?\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (id >= smallest && id <= largest) return { value: id };
  return { problem: `${quote(text)} is not a whole number from ${smallest} to ${largest}` };
}

const flags: ReadonlyMap<string, boolean> = new Map([
  ...["true", "yes", "y", "t", "1"].map((word): [string, boolean] => [word, true]),
  ...["false", "no", "n", "f", "0"].map((word): [string, boolean] => [word, false]),
]);

/** Yes or no, as spreadsheets and databases write it. */
export function parseFlag(text: string): Parsed<boolean> {
  const value = flags.get(text.toLowerCase());
  if (value !== undefined) return { value };
  return { problem: `${quote(text)} is neither true nor false (or yes, no, 1, 0)` };
}

/** A text of limited length that can be read. */
export function parseText(text: string, charactersMax: number): Parsed<string> {
  if ([...text].length > charactersMax) {
    return { problem: `${quote(text)} is longer than ${charactersMax} characters` };
  }
  if (/[\p{Cc}\p{Cs}\ufffd]/u.test(text)) {
    return { problem: `${quote(text)} holds characters that nobody can see or type` };
  }
  return { value: text };
}

/** A cell in a message, cut where it is long. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
