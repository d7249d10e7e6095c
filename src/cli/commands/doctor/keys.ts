import { resolve } from "node:path";
import { readSecretKeys, SecretKeyError } from "../../../secrets/secret-keys.ts";
import { keyFileOf } from "../../../server/settings/config.ts";
import type { Config } from "../../../server/settings/settings.ts";
import { addressOf } from "../../../store/database-address.ts";
import type { SealedHashes } from "../../../store/inspection.ts";
import { CommandError } from "../../exit-codes.ts";
import { countOf, toShellWord } from "../../io/printable.ts";
import { findConfiguredKeys } from "../../secret-keys.ts";
import { checkFolder, type FileState, stateOf } from "./files.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

/**
 * Checks the keys that protect log-ins, and makes none. Says nothing of them but how many there are.
 *
 * @param sealed imported hashes that cannot be read without their key.
 */
export async function* checkKeys(
  config: Config,
  sealed: readonly SealedHashes[],
): AsyncGenerator<Finding> {
  if (config.secretKeys.length > 0) yield* checkGivenKeys(config);
  else yield* checkKeyFile(config);
  if (sealed.length > 0) yield* checkSealed(config, sealed);
}

function* checkGivenKeys({ secretKeys, keyFile, databaseUrl }: Config): Generator<Finding> {
  yield ok("keys-readable", `WFH_SECRET_KEYS has ${countOf(secretKeys.length, "key")}.`);
  if (keyFile !== "") {
    const text = "WFH_SECRET_KEYS and WFH_KEY_FILE are both set: the file is not read.";
    yield warning("keys-given-twice", text, "unset one of them");
  }
  yield* mentionNodes(databaseUrl);
}

async function* checkKeyFile(config: Config): AsyncGenerator<Finding> {
  const { databaseUrl } = config;
  const file = resolve(keyFileOf(config));
  const state = await stateOf(file);
  if (state === null) {
    const text = `There is no key file ${file} yet: the server makes it when it starts.`;
    const fix = databaseUrl.startsWith("sqlite:")
      ? "start the server; after a restore put the key file back first"
      : "copy the key file of another node here, or start the first one";
    yield warning("key-file-there", text, fix);
    yield await checkFolder(file, "the key file");
    return;
  }
  if (!state.isFile) {
    yield problem("keys-readable", `${file} is not a file.`, "correct WFH_KEY_FILE");
    return;
  }
  try {
    const keys = readSecretKeys({ given: [], file });
    const text = `The key file ${file} has ${countOf(keys.length, "key")}, and only its owner can read it.`;
    yield ok("keys-readable", text);
  } catch (cause) {
    if (!(cause instanceof SecretKeyError)) throw cause;
    const fix = state.isOpenToOthers
      ? `chmod 600 ${toShellWord(file)}`
      : "correct WFH_KEY_FILE, restore the file from your copy, or run doctor as the user of the server";
    yield problem("keys-readable", `${cause.message}.`, fix);
    return;
  }
  yield* checkOwner(state, databaseUrl);
  yield* mentionNodes(databaseUrl);
}

function* mentionNodes(databaseUrl: string): Generator<Finding> {
  if (databaseUrl.startsWith("sqlite:")) return;
  const text =
    "Whether the other nodes of this database have the same key cannot be seen from here: compare the files.";
  yield ok("keys-of-nodes", text);
}

/** The server makes both files; two owners mean that a command was run as another user. */
async function* checkOwner({ path, uid }: FileState, url: string): AsyncGenerator<Finding> {
  const address = addressOf(url);
  const database = address.engine === "SQLite" ? await stateOf(address.file) : null;
  if (database === null || database.uid === uid) return;
  yield problem(
    "key-file-owner",
    `The key file ${path} belongs to another user than the database, so the server may not be able to read it.`,
    `chown --reference=${toShellWord(database.path)} ${toShellWord(path)}`,
  );
}

/** The owner of a sealed hash can only log in with its key (decision 0035). */
async function* checkSealed(
  config: Config,
  sealed: readonly SealedHashes[],
): AsyncGenerator<Finding> {
  const ids = new Set(await listKeyIds(config));
  const sum = (all: readonly SealedHashes[]) => all.reduce((n, { hashes }) => n + hashes, 0);
  const show = (hashes: number) => countOf(hashes, "imported hash is", "imported hashes are");
  const lost = sum(sealed.filter(({ keyId }) => !ids.has(keyId)));
  const readable = sum(sealed) - lost;
  if (lost > 0) {
    yield problem(
      "hashes-sealed",
      `${show(lost)} sealed with another key: log-ins with them fail.`,
      "put the key file back from your copy; if it is lost, import the accounts of the old server again: wfh accounts import <file>",
    );
  }
  if (readable > 0) {
    yield warning(
      "hashes-sealed",
      `${show(readable)} only sealed with the key: without it, log-ins with them fail.`,
      "wfh accounts rehash",
    );
  }
}

/** Ids of the keys; none where they cannot be read, which has a finding of its own. */
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
