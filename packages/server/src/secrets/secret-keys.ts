import { createHash, createHmac, randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { isOpenToOthers } from "../lib/file-checks.ts";
import { describeFileError } from "../lib/file-error.ts";
import { syncFolder } from "../lib/sync-folder.ts";
import { decodeBase64 } from "./base64.ts";

/** A secret of the server. */
export interface SecretKey {
  /** Names the key and tells nothing of it: 8 characters of base64url. */
  readonly id: string;
  /** 32 random bytes. */
  readonly bytes: Uint8Array;
}

/** At least one key: the first is used for what is new, the others for what was made with them. */
export type SecretKeys = readonly [SecretKey, ...SecretKey[]];

/** The keys cannot be read or made. The message is for the operator and has nothing of a key. */
export class SecretKeyError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "SecretKeyError";
  }
}

/** Where keys come from (decision 0021). */
export interface SecretKeySources {
  /** Of the settings, the current one first, 43 characters of base64url; they win over the file. */
  readonly given: readonly string[];
  /** One key a line, the current one first, lines with `#` ignored. Made when it is missing. */
  readonly file: string;
}

const keyBytes = 32;
const keyExpected = `expected ${keyBytes} random bytes in base64url, which are 43 characters`;
const idCharacters = 8;
/** Largest file that is read, in bytes: more than a thousand keys. */
const fileBytesMax = 65_536;
const fileHead = "# Keys of web-forms-helper, the current one first. Keep them secret.\n";

/**
 * Reads the server's keys, or makes one at first; programs that start together get the same one.
 *
 * @throws {SecretKeyError}
 *
 * @example
 * const keys = readSecretKeys({ given: [], file: "./web-forms-helper.key" });
 */
export function readSecretKeys({ given, file }: SecretKeySources): SecretKeys {
  const [first, ...others] = given.map((text, index) =>
    readKey(text, `Secret key ${index + 1} of the settings`),
  );
  if (first !== undefined) return [first, ...others];
  return readKeyFile(file) ?? makeKeyFile(file);
}

function readKey(text: string, name: string): SecretKey {
  const bytes = decodeBase64(text, { min: keyBytes, max: keyBytes }, "base64url");
  if (bytes === null) throw new SecretKeyError(`${name} is not a key: ${keyExpected}`);
  const id = createHash("sha256").update(bytes).digest("base64url").slice(0, idCharacters);
  return { id, bytes };
}

/** Signed for a fingerprint, and with these keys nothing else. */
const fingerprintLabel = "web-forms-helper: fingerprint of a secret key";

/** Fingerprints of keys in their order, by which nodes compare them: base64url, tells nothing. */
export function fingerprintsOf([current, ...others]: SecretKeys): [string, ...string[]] {
  const toFingerprint = ({ bytes }: SecretKey) =>
    createHmac("sha256", bytes).update(fingerprintLabel).digest("base64url");
  return [toFingerprint(current), ...others.map(toFingerprint)];
}

/** null when there is no such file. */
function readKeyFile(file: string): SecretKeys | null {
  const text = readSecretFile(file, fileBytesMax, "secret keys");
  if (text === null) return null;
  const [first, ...others] = text.split(/\r?\n/).flatMap((line, index) => {
    const key = line.trim();
    if (key === "" || key.startsWith("#")) return [];
    return [readKey(key, `Line ${index + 1} of ${file}`)];
  });
  if (first === undefined) throw new SecretKeyError(`${file} holds no key: ${keyExpected}`);
  return [first, ...others];
}

/**
 * Reads a file that only its owner may read; null when it is missing.
 *
 * @param what it holds, for messages.
 * @throws {SecretKeyError}
 */
export function readSecretFile(file: string, bytesMax: number, what: string): string | null {
  let handle: number;
  try {
    // Without waiting: opening a pipe would otherwise block until another program writes into it.
    handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (cause) {
    if (hasCode(cause, "ENOENT")) return null;
    const reason = describeFileError(file, cause);
    throw new SecretKeyError(`The file of ${what} ${file} cannot be read: ${reason}`, cause);
  }
  try {
    const state = fstatSync(handle);
    if (!state.isFile() || state.size > bytesMax) {
      throw new SecretKeyError(
        `${file} is not a file of ${what}: expected a regular file of at most ${bytesMax} bytes`,
      );
    }
    if (isOpenToOthers(state)) {
      throw new SecretKeyError(`Others can read the ${what} in ${file}: run chmod 600 ${file}`);
    }
    return readFileSync(handle, "utf8");
  } finally {
    closeSync(handle);
  }
}

/** A new key, as it is written in a key file and in settings. */
export function createKey(): string {
  return randomBytes(keyBytes).toString("base64url");
}

/**
 * Writes a file with a new key, which only its owner can read; false where there is a file
 * already. It is written under another name first, so that it is never seen half written.
 *
 * @throws {SecretKeyError}
 */
export function createKeyFile(file: string): boolean {
  const draft = `${file}.${process.pid}-${randomBytes(6).toString("hex")}.tmp`;
  try {
    writeFileSync(draft, `${fileHead}${createKey()}\n`, { flag: "wx", mode: 0o600, flush: true });
    linkSync(draft, file);
    syncFolder(dirname(file));
    return true;
  } catch (cause) {
    if (hasCode(cause, "EEXIST")) return false;
    const reason = describeFileError(file, cause);
    throw new SecretKeyError(`The file of secret keys ${file} cannot be made: ${reason}`, cause);
  } finally {
    rmSync(draft, { force: true });
  }
}

function makeKeyFile(file: string): SecretKeys {
  // Where another program was faster, its key counts.
  createKeyFile(file);
  const keys = readKeyFile(file);
  if (keys === null) throw new SecretKeyError(`The file of secret keys ${file} has gone away`);
  return keys;
}

function hasCode(cause: unknown, code: string): boolean {
  return cause instanceof Error && "code" in cause && cause.code === code;
}
