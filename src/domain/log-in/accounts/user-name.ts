/**
 * What a user name is known by: NFKC, case folded, without blanks around it. Names that fold to the same
 * text are the same name.
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
