import { resolve } from "node:path";
import { readSecretKeys, SecretKeyError } from "../../../secrets/secret-keys.ts";
import { keyFileOf } from "../../../server/settings/config.ts";
import type { Config } from "../../../server/settings/settings.ts";
import { addressOf } from "../../../store/database-address.ts";
import type { SealedHashes } from "../../../store/inspection.ts";
import { CommandError } from "../../exit-codes.ts";
import { toShellWord } from "../../io/printable.ts";
import { findConfiguredKeys } from "../../secret-keys.ts";
import { checkFolder, type FileState, stateOf } from "./files.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

/**
 * Looks at the keys that protect log-ins, and makes none. Tells nothing of them but how many there are.
 *
 * @param sealed imported hashes that cannot be read without their key.
 */
export async function checkKeys(
  config: Config,
  sealed: readonly SealedHashes[],
): Promise<readonly Finding[]> {
  return [...(await checkOwnKeys(config)), ...(await checkSealed(config, sealed))];
}

async function checkOwnKeys(config: Config): Promise<readonly Finding[]> {
  const { secretKeys: given, databaseUrl } = config;
  const file = resolve(keyFileOf(config));
  const nodes = databaseUrl.startsWith("sqlite:")
    ? []
    : [
        ok(
          "keys-of-nodes",
          "Whether the other nodes of this database have the same key cannot be seen from here: compare the files.",
        ),
      ];
  if (given.length > 0) {
    const ignored =
      config.keyFile === ""
        ? []
        : [
            warning(
              "keys-given-twice",
              "WFH_SECRET_KEYS and WFH_KEY_FILE are both set: the file is not read.",
              "unset one of them",
            ),
          ];
    return [
      ok("keys-readable", `WFH_SECRET_KEYS has ${count(given.length)}.`),
      ...ignored,
      ...nodes,
    ];
  }
  const state = await stateOf(file);
  if (state === null) {
    const text = `There is no key file ${file} yet: the server makes it when it starts.`;
    const fix = databaseUrl.startsWith("sqlite:")
      ? "start the server; after a restore put the key file back first"
      : "copy the key file of another node here, or start the first one";
    return [warning("key-file-there", text, fix), await checkFolder(file, "the key file")];
  }
  if (!state.isFile)
    return [problem("keys-readable", `${file} is not a file.`, "correct WFH_KEY_FILE")];
  try {
    const keys = readSecretKeys({ given, file });
    const text = `The key file ${file} has ${count(keys.length)}, and only its owner can read it.`;
    return [ok("keys-readable", text), ...(await checkOwner(state, databaseUrl)), ...nodes];
  } catch (cause) {
    if (!(cause instanceof SecretKeyError)) throw cause;
    const fix = state.isOpenToOthers
      ? `chmod 600 ${toShellWord(file)}`
      : "correct WFH_KEY_FILE, put the file back from where you keep it, or run doctor as the user of the server";
    return [problem("keys-readable", `${cause.message}.`, fix)];
  }
}

/** Whoever has such a hash logs in with its key only (decision 0035). */
async function checkSealed(
  config: Config,
  sealed: readonly SealedHashes[],
): Promise<readonly Finding[]> {
  if (sealed.length === 0) return [];
  const ids = new Set(await listKeyIds(config));
  const count = (all: readonly SealedHashes[]) => all.reduce((sum, { hashes }) => sum + hashes, 0);
  const lost = count(sealed.filter(({ keyId }) => !ids.has(keyId)));
  const safe = count(sealed) - lost;
  const nameOf = (hashes: number) =>
    hashes === 1 ? "1 imported hash is" : `${hashes.toLocaleString("en-US")} imported hashes are`;
  return [
    ...(lost === 0
      ? []
      : [
          problem(
            "hashes-sealed",
            `${nameOf(lost)} sealed with another key: log-ins with them fail.`,
            "put the key file back from where you keep it; if it is lost, import the accounts of the old server again: wfh accounts import <file>",
          ),
        ]),
    ...(safe === 0
      ? []
      : [
          warning(
            "hashes-sealed",
            `${nameOf(safe)} only sealed with the key: without it, log-ins with them fail.`,
            "wfh accounts wrap",
          ),
        ]),
  ];
}

/** What is wrong with keys that cannot be read is told elsewhere. */
async function listKeyIds(config: Config): Promise<readonly string[]> {
  const isFile = (await stateOf(resolve(keyFileOf(config))))?.isFile === true;
  if (config.secretKeys.length === 0 && !isFile) return [];
  try {
    return (findConfiguredKeys(config) ?? []).map(({ id }) => id);
  } catch (cause) {
    if (!(cause instanceof CommandError)) throw cause;
    return [];
  }
}

/** One user makes both; two of them mean that one command was run as another user than the server. */
async function checkOwner({ path, uid }: FileState, url: string): Promise<readonly Finding[]> {
  const address = addressOf(url);
  const database = address.engine === "SQLite" ? await stateOf(address.file) : null;
  if (database === null || database.uid === uid) return [];
  return [
    problem(
      "key-file-owner",
      `The key file ${path} belongs to another user than the database, so the server may not get in.`,
      `chown --reference=${toShellWord(database.path)} ${toShellWord(path)}`,
    ),
  ];
}

function count(keys: number): string {
  return keys === 1 ? "1 key" : `${keys} keys`;
}
