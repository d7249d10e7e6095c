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
const runs = orders.flatMap((order) => [order, [...order].reverse().join("")]).join("\n");

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
  const characters = fold(password);
  if (isRepetition(characters)) return "The password repeats a short piece";
  if (countOwn(characters, findNames(characters, userName)) < ownCharactersMin) {
    return "The password holds little besides the user name";
  }
  if (countOwn(characters, findGuessed(characters, userName)) < ownCharactersMin) {
    return "The password is one of those that are guessed first: it holds little besides well-known words, runs such as 12345 and repetitions";
  }
  return null;
}

/** Small letters without what separates words, which is the first that guessers vary. */
function fold(text: string): readonly string[] {
  return [
    ...text
      .normalize("NFKC")
      .toLowerCase()
      .replace(/[\s._-]/g, ""),
  ];
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

/** Where something stands that a guesser knows: positions of characters. */
type Known = ReadonlySet<number>;

function countOwn(characters: readonly string[], known: Known): number {
  return characters.length - known.size;
}

function findNames(characters: readonly string[], userName: string): Known {
  const parts = userName.split(/[^\p{L}\p{N}]+/u).map((part) => fold(part).join(""));
  const names = [fold(userName).join(""), ...parts];
  return findWords(
    characters,
    names.filter((name) => name.length >= namePartLength),
  );
}

function findGuessed(characters: readonly string[], userName: string): Known {
  const letters = characters.map((character) => lookAlikes[character] ?? character);
  return new Set([
    ...findNames(characters, userName),
    ...findWords(characters, guessedWords),
    ...findWords(letters, guessedWords),
    ...findRuns(characters),
  ]);
}

function findWords(characters: readonly string[], words: readonly string[]): Known {
  const found = new Set<number>();
  for (const word of words.map((text) => [...text])) {
    for (let start = 0; start + word.length <= characters.length; start += 1) {
      if (word.every((character, i) => characters[start + i] === character)) {
        for (const i of word.keys()) found.add(start + i);
      }
    }
  }
  return found;
}

/** Pieces of the orders, and one character several times. */
function findRuns(characters: readonly string[]): Known {
  const found = new Set<number>();
  for (let start = 0; start + runLength <= characters.length; start += 1) {
    const piece = characters.slice(start, start + runLength);
    const isRun = runs.includes(piece.join("")) || new Set(piece).size === 1;
    if (isRun) for (const i of piece.keys()) found.add(start + i);
  }
  return found;
}
