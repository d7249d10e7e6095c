const bcryptAlphabet = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const base64Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Characters of a digest at the end of a bcrypt text. */
const digestCharacters = 31;

/**
 * Bytes of a text in bcrypt's own base64. Bits beyond the last whole byte do not count, because old systems
 * filled them differently.
 */
export function decodeBcrypt(text: string): Buffer {
  const translated = text.replace(
    /./gs,
    (character) => base64Alphabet[bcryptAlphabet.indexOf(character)] ?? "",
  );
  return Buffer.from(translated, "base64");
}

/**
 * The 23 bytes that bcrypt makes of a password, of which the first 72 bytes count.
 *
 * @param salt 16 bytes.
 * @param cost binary logarithm of the rounds.
 */
export async function computeBcrypt(
  password: Uint8Array,
  salt: Uint8Array,
  cost: number,
): Promise<Buffer> {
  // Only here: a platform without its binary can do everything else.
  const { hash } = await import("@node-rs/bcrypt");
  // 2a, 2b and 2y differ in their names only, since all of them are right.
  const text = await hash(password, cost, salt);
  return decodeBcrypt(text.slice(-digestCharacters));
}
