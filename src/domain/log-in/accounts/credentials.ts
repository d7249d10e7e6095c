/** Longest user name or password that is read, in bytes of UTF-8: more than people type. */
export const usableBytesMax = 1_024;

/**
 * True for a text that can be a user name or a password at all: not empty, 1,024 bytes of UTF-8 at most, without U+0000 and without
 * halves of surrogate pairs.
 */
export function isUsableText(text: string): boolean {
  if (text === "" || text.length > usableBytesMax || text.includes("\0")) return false;
  return text.isWellFormed() && new TextEncoder().encode(text).length <= usableBytesMax;
}

/**
 * What a user name is known by: NFKC, case folded, without blanks around it. Names that fold to the same text are the same name.
 */
export function foldUserName(userName: string): string {
  const folded = [...userName.normalize("NFKC").trim()].map(foldCharacter).join("");
  return folded.normalize("NFKC");
}

/** One by one, because the small form of sigma depends on its neighbours. */
function foldCharacter(character: string): string {
  // The dotless i is a letter of its own, and its capital is not.
  if (character === "ı") return character;
  // Small first: the capital sharp s is not the capital of the small one, which is two letters.
  return character.toLowerCase().toUpperCase().toLowerCase();
}
