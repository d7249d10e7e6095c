import { resolve } from "node:path";
import { legacyLogInForm } from "../../../secrets/legacy-log-in.ts";
import {
  fingerprintsOf,
  readSecretKeys,
  SecretKeyError,
  type SecretKeys,
} from "../../../secrets/secret-keys.ts";
import { keyFileOf, SettingsError } from "../../../server/settings/config.ts";
import type { Config } from "../../../server/settings/settings.ts";
import type { DatabaseFacts } from "../../../store/inspection.ts";
import { addressOf } from "../../../store/open-database.ts";
import { countOf, toShellWord } from "../../io/printable.ts";
import { checkFolder, type FileState, stateOf } from "./files.ts";
import { type Checks, type Finding, ok, problem, runChecks, warning } from "./finding.ts";

/** The keys of the settings, or their file. */
interface KeySource {
  readonly config: Config;
  /** Whether the keys are in the settings, so that no file is read. */
  readonly isGiven: boolean;
  readonly file: string;
  /** null where there is no file. */
  readonly state: FileState | null;
  /** null where they cannot be read. */
  readonly keys: SecretKeys | null;
  readonly reason: string;
  readonly facts: KeyFacts;
}

type KeyFacts = Pick<DatabaseFacts, "hashForms" | "keyFingerprint">;

/**
 * Checks the keys that protect log-ins, and makes none. Says nothing of them but how many there are.
 *
 * @param facts null where there is no database yet, or it cannot be read.
 */
export async function checkKeys(
  config: Config,
  facts: KeyFacts | null,
): Promise<readonly Finding[]> {
  const isGiven = config.secretKeys.length > 0;
  const file = resolve(keyFileOf(config));
  const state = await stateOf(file);
  const source = {
    ...{ config, isGiven, file, state },
    facts: facts ?? { hashForms: {}, keyFingerprint: null },
  };
  if (!isGiven && state?.isFile !== true) {
    return runChecks(keyChecks, { ...source, keys: null, reason: `${file} is not a file` });
  }
  try {
    const keys = readSecretKeys({ given: config.secretKeys, file });
    return await runChecks(keyChecks, { ...source, keys, reason: "" });
  } catch (cause) {
    if (!(cause instanceof SecretKeyError)) throw cause;
    return runChecks(keyChecks, { ...source, keys: null, reason: cause.message });
  }
}

const keyChecks: Checks<KeySource> = {
  "keys-readable": ({ isGiven, file, state, keys, reason }) => {
    if (keys !== null) {
      const count = countOf(keys.length, "key");
      return ok(
        isGiven
          ? `WFH_SECRET_KEYS has ${count}.`
          : `The key file ${file} has ${count}, and only its owner can read it.`,
      );
    }
    if (state === null) return null;
    const fix = !state.isFile
      ? "correct WFH_KEY_FILE"
      : state.isOpenToOthers
        ? `chmod 600 ${toShellWord(file)}`
        : "correct WFH_KEY_FILE, restore the file from your copy, or run doctor as the server's user";
    return problem(`${reason}.`, fix);
  },

  "keys-given-twice": ({ isGiven, config }) =>
    isGiven &&
    config.keyFile !== "" &&
    warning("WFH_SECRET_KEYS and WFH_KEY_FILE are both set: the file is not read.", "unset one"),

  "key-file-there": ({ isGiven, state, file, config }) => {
    if (isGiven || state !== null) return null;
    const fix = isSqlite(config)
      ? "start the server; after a restore put the key file back first"
      : "copy the key file of another node here, or start the first one";
    return warning(`The key file ${file} does not exist yet: the server creates it at start.`, fix);
  },

  "folder-writable": ({ isGiven, state, file }) =>
    !isGiven && state === null && checkFolder(file, "the key file"),

  // The server makes both files; two owners mean that a command was run as another user.
  "key-file-owner": async ({ isGiven, state, keys, config }) => {
    const address = addressOf(config.databaseUrl);
    if (isGiven || state === null || keys === null || address.engine !== "SQLite") return null;
    const database = await stateOf(address.file);
    if (database === null || database.uid === state.uid) return null;
    return problem(
      `The key file ${state.path} has another owner than the database, so the server may be unable to read it.`,
      `chown --reference=${toShellWord(database.path)} ${toShellWord(state.path)}`,
    );
  },

  "keys-of-nodes": ({ keys, config, facts: { keyFingerprint } }) => {
    if (keys === null || isSqlite(config)) return null;
    if (keyFingerprint === null) return ok("No node has recorded its key in the database yet.");
    return fingerprintsOf(keys).includes(keyFingerprint)
      ? ok("The other nodes of the database have the same key.")
      : problem(
          "The other nodes of the database have another key: the server does not start.",
          "copy the key file of another node here, or set the same WFH_SECRET_KEYS; if that key is lost: wfh keys accept",
        );
  },

  "legacy-cookies": async ({ config }) => {
    if (config.legacyMachineKeyFile === "" && config.legacyCookieUntil === undefined) return null;
    // With the whole server.
    const { openLegacyCookies } = await import("../../../service.ts");
    try {
      const cookies = openLegacyCookies(config);
      if (cookies === undefined) return null;
      if (cookies.untilMs > Date.now()) {
        return ok(`Log-in cookies of the old server are accepted: ${cookies.names.join(" and ")}.`);
      }
      const fix = "unset WFH_LEGACY_MACHINE_KEY_FILE and WFH_LEGACY_COOKIE_UNTIL, delete the file";
      return warning("Log-in cookies of the old server are accepted no more.", fix);
    } catch (cause) {
      if (!(cause instanceof SettingsError)) throw cause;
      return problem(`${cause.message}.`, "correct it, or unset both");
    }
  },

  // Imports of earlier versions left them; the server does not upgrade such a database (decision 0035).
  "hashes-sealed": ({ facts: { hashForms } }) => {
    const sealed = Object.entries(hashForms).filter(([form]) => form.endsWith("+sealed"));
    const count = sealed.reduce((sum, [, accounts]) => sum + accounts, 0);
    return (
      count > 0 &&
      problem(
        `${countOf(count, "account has", "accounts have")} an imported hash that is sealed: they cannot log in, and the server does not upgrade the database.`,
        "run wfh accounts rehash of the version before (wfh accounts wrap in the release 0.1.0), then start this one",
      )
    );
  },

  "log-ins-at-old-server": ({ config: { legacyLogInUrl: url }, facts: { hashForms } }) => {
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

function isSqlite({ databaseUrl }: Config): boolean {
  return databaseUrl.startsWith("sqlite:");
}
