import { existsSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { type CheckResult, type Checks, ok, problem, warning } from "../lib/check.ts";
import { checkFolder, foreignOwner, stateOf } from "../lib/file-checks.ts";
import { isSystemError } from "../lib/file-error.ts";
import { countOf, toShellWord } from "../lib/printable.ts";
import { legacyLogInForm } from "./legacy-log-in.ts";
import { readSecretKeys, SecretKeyError, type SecretKeys } from "./secret-keys.ts";

/** Where the keys of the settings come from. */
export interface KeySettings {
  readonly given: readonly string[];
  /** Absolute path of the key file. */
  readonly file: string;
  /** True when WFH_KEY_FILE is set; else the file is beside the database. */
  readonly isFileSet: boolean;
}

/** The keys of the settings, or their file, and what the database knows of them. */
interface KeyState extends KeySettings {
  /** null where there is no file, or it is not read. */
  readonly state: Stats | null;
  /** null before the first one. */
  readonly keys: SecretKeys | CheckResult | null;
  /** Path of a SQLite file; null where several nodes share the database. */
  readonly database: string | null;
  /** Accounts by the form of their hashes. */
  readonly hashForms: Readonly<Record<string, number>>;
  /** Where the old server verifies passwords. */
  readonly legacyLogInUrl: string | undefined;
}

/** Reads the keys as a start does, and makes none. */
export function inspectKeys(known: Omit<KeyState, "state" | "keys">): KeyState {
  const isGiven = known.given.length > 0;
  const state = isGiven ? null : stateOf(known.file);
  return { ...known, state, keys: isGiven || state !== null ? readKeys(known) : null };
}

/** Reads the keys, and makes one if they are missing; returns why where that fails. */
export function readKeys(settings: KeySettings): SecretKeys | CheckResult {
  try {
    return readSecretKeys(settings);
  } catch (cause) {
    if (!(cause instanceof SecretKeyError)) throw cause;
    if (settings.given.length === 0 && !existsSync(dirname(settings.file))) {
      return checkKeyFolder(settings);
    }
    const fix = isSystemError(cause.cause)
      ? "the server's user must own the file and its folder (chown), or correct WFH_KEY_FILE"
      : "correct WFH_KEY_FILE or WFH_SECRET_KEYS, or restore the file from your copy";
    return problem(`${cause.message}.`, fix);
  }
}

function checkKeyFolder({ file, isFileSet }: KeySettings): CheckResult {
  return isFileSet
    ? checkFolder(file, "the key file", "WFH_KEY_FILE")
    : checkFolder(file, "the database and its key", "WFH_DATABASE_URL");
}

/** Checks of the keys that protect log-ins. They say nothing of keys but how many there are. */
export const keyChecks: Checks<KeyState> = {
  "keys-readable": ({ given, file, keys }) => {
    if (keys === null || "level" in keys) return keys;
    const count = countOf(keys.length, "key");
    return ok(
      given.length > 0
        ? `WFH_SECRET_KEYS has ${count}.`
        : `The key file ${file} has ${count}, and only its owner can read it.`,
    );
  },

  "keys-given-twice": ({ given, isFileSet }) =>
    given.length > 0 &&
    isFileSet &&
    warning("WFH_SECRET_KEYS and WFH_KEY_FILE are both set: the file is not read.", "unset one"),

  "key-file-there": ({ keys, file, database }) => {
    if (keys !== null) return null;
    const fix =
      database === null
        ? "copy the key file of another node here, or start the first one"
        : "start the server; after a restore put the key file back first";
    return warning(`The key file ${file} does not exist yet: the server creates it at start.`, fix);
  },

  // The folder of a SQLite file has a check of its own.
  "folder-writable": (source) =>
    source.keys === null &&
    (source.isFileSet || source.database === null) &&
    checkKeyFolder(source),

  // The server makes both files; two owners mean that a command was run as another user.
  "key-file-owner": ({ file, state, database }) => {
    if (state === null || database === null) return null;
    const isForeign = (stateOf(database)?.uid ?? state.uid) !== state.uid;
    return isForeign && foreignOwner(toShellWord(file), database);
  },

  "log-ins-at-old-server": ({ legacyLogInUrl: url, hashForms }) => {
    const { [legacyLogInForm]: accounts = 0 } = hashForms;
    const left = `${countOf(accounts, "account has", "accounts have")} a password that only the old server can verify`;
    if (accounts === 0) {
      return (
        url !== undefined &&
        warning("No account needs the old server.", "unset WFH_LEGACY_LOGIN_URL")
      );
    }
    return url === undefined
      ? problem(
          `${left}: they cannot log in.`,
          "set WFH_LEGACY_LOGIN_URL, or give them passwords: wfh accounts passwd <name>",
        )
      : ok(`${left}: ${new URL(url).host} is asked at the first log-in.`);
  },
};
