import { isUsableText } from "@wfh/server/domain/log-in/accounts/account.ts";

/** Fewest characters (code points) of a password that is the only proof (SP 800-63B-4 §3.1.1.2). */
const charactersMin = 15;
/** Characters that must be left beside guesses: fewer are found by trying them all. */
const ownCharactersMin = 8;
/** Shortest run of neighbours that is no accident. */
const runLength = 4;
/** Shortest part of a user name that is looked for: shorter ones are in every other word. */
const namePartLength = 4;

/** Words that guessers begin with, in small letters and without blanks. */
const guessedWords = [
  "password",
  "passwort",
  "passphrase",
  "passw",
  "motdepasse",
  "contraseña",
  "correcthorse",
  "batterystaple",
  "administrator",
  "admin",
  "letmein",
  "welcome",
  "iloveyou",
  "changeme",
  "trustno1",
  "default",
  "secret",
  "master",
  "dragon",
  "monkey",
  "football",
  "baseball",
  "sunshine",
  "princess",
  "superman",
  "batman",
  "starwars",
  "shadow",
  "login",
  "logmein",
  "webforms",
  "helper",
  "summer",
  "winter",
  "spring",
  "autumn",
  "company",
  "computer",
  "internet",
  "whatever",
  "freedom",
  "abc123",
  "test",
  "user",
  "guest",
  "root",
];

/** Letters, digits and keys in their order; a run is a piece of one, in either direction. */
const orders = [
  "abcdefghijklmnopqrstuvwxyz",
  "12345678901234567890",
  "qwertyuiop",
  "qwertzuiop",
  "azertyuiop",
  "asdfghjkl",
  "qsdfghjklm",
  "zxcvbnm",
  "yxcvbnm",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
  "qazwsxedcrfvtgbyhnujm",
  "!@#$%^&*()",
  '!"§$%&/()=',
];
const runs = orders
  .flatMap((order) => [order, [...order].reverse().join("")])
  .flatMap((order) => [...order].map((_, i) => order.slice(i, i + runLength)))
  .filter((run) => run.length === runLength);

/** Signs that stand for letters in words that are to look like none. */
const lookAlikes: Readonly<Record<string, string>> = {
  "@": "a",
  "4": "a",
  "3": "e",
  "1": "i",
  "!": "i",
  "0": "o",
  $: "s",
  "5": "s",
  "7": "t",
};

/** Says why a text cannot be a password (`isUsableText`), in one sentence; null when it can. */
export function checkPasswordForm(password: string): string | null {
  if (password === "") return "The password is empty";
  if (!password.isWellFormed()) return "The password holds half a character";
  if (password.includes("\0")) return "The password holds a NUL character";
  return isUsableText(password) ? null : "The password is longer than 1,024 bytes";
}

/**
 * Says why a password should not be set, as a sentence; null when it is good. Long, and not one
 * that is guessed first; its kinds of characters do not matter (NIST SP 800-63B-4 §3.1.1.2).
 */
export function checkNewPassword(password: string, userName: string): string | null {
  const wrongForm = checkPasswordForm(password);
  if (wrongForm !== null) return wrongForm;
  const length = [...password].length;
  if (length < charactersMin) {
    return `The password has ${length === 1 ? "1 character" : `${length} characters`}, at least ${charactersMin} are needed; several words with blanks between them are fine`;
  }
  const text = fold(password);
  if (isRepetition([...text])) return "The password repeats a short piece";
  const names = findPieces(text, namesOf(userName));
  if (countOthers(text, names) < ownCharactersMin) {
    return "The password holds little besides the user name";
  }
  const letters = text.replace(/[^a-z]/g, (sign) => lookAlikes[sign] ?? sign);
  const repeated = [...new Set(text)].map((character) => character.repeat(runLength));
  const guessed = [
    ...names,
    ...findPieces(text, [...guessedWords, ...runs, ...repeated]),
    ...findPieces(letters, guessedWords),
  ];
  if (countOthers(text, guessed) < ownCharactersMin) {
    return "The password is one of those that are guessed first: it holds little besides well-known words, runs such as 12345 and repetitions";
  }
  return null;
}

/** Small letters without what separates words, which is the first that guessers vary. */
function fold(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\s._-]/g, "");
}

/** True when a piece shorter than a password may be is all there is, twice or more. */
function isRepetition(characters: readonly string[]): boolean {
  const longest = Math.min(charactersMin - 1, Math.floor(characters.length / 2));
  for (let period = 1; period <= longest; period += 1) {
    if (characters.every((character, i) => i < period || character === characters[i - period])) {
      return true;
    }
  }
  return false;
}

/** A user name and its parts, without those that are in every other word. */
function namesOf(userName: string): readonly string[] {
  const names = [userName, ...userName.split(/[^\p{L}\p{N}]+/u)].map(fold);
  return names.filter((name) => [...name].length >= namePartLength);
}

/** Indexes of all characters in pieces, which may overlap. */
function findPieces(text: string, pieces: readonly string[]): readonly number[] {
  const found: number[] = [];
  for (const piece of pieces) {
    for (let at = text.indexOf(piece); at >= 0; at = text.indexOf(piece, at + 1)) {
      for (let i = 0; i < piece.length; i += 1) found.push(at + i);
    }
  }
  return found;
}

/** Number of characters at other indexes than these. */
function countOthers(text: string, indexes: readonly number[]): number {
  const known = new Set(indexes);
  return [...text.matchAll(/./gsu)].filter(({ index }) => !known.has(index)).length;
}
