/** Kinds of regions in languages of postal files, left out where a country's names do not agree. */
const kindsOfRegion = new Set(
  (
    "apskritis autonomous autonoma canton circonscription ciudad comunidad county de del departamento " +
    "department depto der di district division do emirate governorate grad gov i kanton kraj krai la " +
    "maakond municipality mun nov novads oblast of parish prefecture province provincia qarku region " +
    "regiao regione republic respublika state territory the voivodeship vojvodstvo"
  ).split(" "),
);

/** Letters that have a stroke or no dot instead of a mark that can be taken off. */
const otherLetters: Readonly<Record<string, string>> = {
  æ: "ae",
  ø: "o",
  œ: "oe",
  đ: "d",
  ð: "d",
  ħ: "h",
  ı: "i",
  ł: "l",
  ß: "ss",
  þ: "th",
  ə: "e",
};

/** Small letters and digits of each word, without marks; what stands in brackets is left out. */
function toWords(name: string): readonly string[] {
  return fold(name).match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Lower-case letters and digits of a name, without accents, blanks and text in brackets. */
export function foldName(name: string): string {
  // Most names have no other letters, and there are hundreds of thousands.
  if (/^[A-Za-z0-9 .'-]*$/.test(name)) return name.toLowerCase().replace(/[ .'-]+/g, "");
  return toWords(name).join("");
}

function fold(name: string): string {
  return name
    .replace(/\([^)]*\)/g, " ")
    .toLowerCase()
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(/[æøœđðħıłßþə]/g, (letter) => otherLetters[letter] ?? letter);
}

/** A name to compare: its letters, and its letters without words for kinds of regions. */
export interface NameLetters {
  readonly all: string;
  /** Empty when there are only such words. */
  readonly core: string;
}

/** Letters of a name; of one such as `"София / Sofija"` also those of its parts. */
export function toNameLetters(name: string): readonly NameLetters[] {
  const parts = name.includes("/") ? [name, ...name.split("/")] : [name];
  return parts.flatMap((part) => {
    const words = toWords(part);
    if (words.length === 0) return [];
    return {
      all: words.join(""),
      core: words.filter((word) => !kindsOfRegion.has(word)).join(""),
    };
  });
}
