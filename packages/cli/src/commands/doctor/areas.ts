import { existsSync, readFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { type AccessState, accessChecks } from "@wfh/console/access/access-checks.ts";
import { openCommandDatabase } from "@wfh/console/database/console-database.ts";
import { gazetteerChecks, inspectArtifact } from "@wfh/server/gazetteer/gazetteer-checks.ts";
import { type AreaFinding, type Finding, problem, runChecks } from "@wfh/server/lib/check.ts";
import { messageOf } from "@wfh/server/lib/file-error.ts";
import { inspectKeys, keyChecks } from "@wfh/server/secrets/key-checks.ts";
import { fingerprintsOf } from "@wfh/server/secrets/secret-keys.ts";
import { machineChecks, portChecks } from "@wfh/server/server/http/machine-checks.ts";
import type { Config } from "@wfh/server/server/settings/settings.ts";
import { legacyCookieChecks } from "@wfh/server/server/settings/settings-checks.ts";
import { webChecks } from "@wfh/server/server/settings/web-checks.ts";
import { clockChecks } from "@wfh/server/store/clock-checks.ts";
import { checkDatabase, databaseKeyChecks } from "@wfh/server/store/database-checks.ts";
import type { DatabaseFacts } from "@wfh/server/store/inspection.ts";
import { databaseAddressOf, isMissing } from "@wfh/server/store/open-database.ts";
import { StoreError } from "@wfh/server/store/store-error.ts";
import { CommandError } from "../../io/exit-codes.ts";
import {
  describeFacts,
  findServedGazetteer,
  openCurrentRelease,
  sharesReleases,
} from "../../io/gazetteer.ts";
import { keySettingsOf } from "../../io/secret-keys.ts";

/** Subject of the checks after settings and database. */
interface Installation {
  readonly config: Config;
  readonly nowMs: number;
  /** Of the database; null where it cannot be read. */
  readonly facts: DatabaseFacts | null;
}

/** The areas after settings and database, in the order of the report. */
const areas: Readonly<Record<string, (at: Installation) => Promise<readonly Finding[]>>> = {
  "postal-codes": ({ config, nowMs, facts }) =>
    checkGazetteer(config, nowMs, facts?.servedReleases),
  keys: ({ config, facts }) => checkKeys(config, facts),
  clock: (at) => runChecks(clockChecks, at),
  web: ({ config, facts }) =>
    runChecks(webChecks, { config, formOrigins: facts?.formOrigins ?? [] }),
  operators: async ({ config, nowMs }) =>
    runChecks(accessChecks, {
      config,
      nowMs,
      key: findKey(config),
      readers: await findReaders(config),
    }),
  machine: ({ config }) => runChecks(machineChecks, config),
  port: ({ config }) => runChecks(portChecks, config),
};

/**
 * Runs the checks after those of the settings, as `wfh doctor` and the operator's page do.
 *
 * @param names areas to check; by default all.
 */
export async function checkInstallation(
  config: Config,
  names?: readonly string[],
): Promise<readonly AreaFinding[]> {
  let facts: DatabaseFacts | null = null;
  const database = async () => {
    const found = await checkDatabase(config.databaseUrl);
    facts = found.facts;
    return found.findings;
  };
  const findings: AreaFinding[] = [];
  for (const [area, check] of Object.entries<(typeof areas)[string]>({ database, ...areas })) {
    if (names?.includes(area) === false) continue;
    findings.push(...(await within(area, () => check({ config, nowMs: Date.now(), facts }))));
  }
  // A start makes the folder of data, and those above it.
  const isMade = (folder: string) =>
    !existsSync(folder) && !relative(folder, config.dataDir).startsWith("..");
  const keyFile = keySettingsOf(config).file;
  const { shown } = databaseAddressOf(config.databaseUrl);
  return findings.filter(
    ({ area, check }) =>
      check !== "folder-writable" || !isMade(dirname(area === "keys" ? keyFile : shown)),
  );
}

/** The findings of an area, or one that says that its checks failed. */
async function within(
  area: string,
  check: () => Promise<readonly Finding[]>,
): Promise<AreaFinding[]> {
  try {
    return inArea(area, await check());
  } catch (cause) {
    const fix = "run doctor as the server's user, and look at what the message names";
    const failed = problem(`The check of ${area} failed: ${messageOf(cause)}.`, fix);
    return inArea(area, [{ check: "possible", ...failed }]);
  }
}

/** Findings with the name of their area. */
export function inArea(area: string, findings: readonly Finding[]): AreaFinding[] {
  return findings.map((finding) => ({ area, ...finding }));
}

/** Checks the keys of the settings, and what the database knows of them. */
export async function checkKeys(
  config: Config,
  facts: Pick<DatabaseFacts, "hashForms" | "keyFingerprint"> | null,
): Promise<readonly Finding[]> {
  const known = facts ?? { hashForms: {}, keyFingerprint: null };
  const address = databaseAddressOf(config.databaseUrl);
  const database = address.engine === "SQLite" ? address.file : null;
  const { legacyLogInUrl } = config;
  const { hashForms } = known;
  const state = inspectKeys({ ...keySettingsOf(config), database, hashForms, legacyLogInUrl });
  const { keys } = state;
  const isCompared = database === null && keys !== null && !("level" in keys);
  const fingerprints = isCompared ? fingerprintsOf(keys) : null;
  // With the whole server.
  const open = async () =>
    (await import("@wfh/server/service.ts")).openConfiguredLegacyCookies(config);
  return [
    ...(await runChecks(keyChecks, state)),
    ...(await runChecks(databaseKeyChecks, { facts: known, fingerprints })),
    ...(await runChecks(legacyCookieChecks, { config, open })),
  ];
}

/** The first key of the settings; null where it cannot be read: its own checks say why. */
function findKey(config: Config): AccessState["key"] {
  const known = { database: null, hashForms: {}, legacyLogInUrl: undefined };
  const { keys } = inspectKeys({ ...keySettingsOf(config), ...known });
  return keys === null || "level" in keys ? null : keys[0];
}

/** Operators and tokens; null where the database cannot be read: its own checks say why. */
async function findReaders({ databaseUrl }: Config): Promise<AccessState["readers"]> {
  if (isMissing(databaseUrl)) return null;
  try {
    const { queries, close } = await openCommandDatabase(databaseUrl, "read");
    const operators = await queries.operators.list(Date.now());
    const tokens = await queries.tokens.list();
    await close();
    return { operators, tokens };
  } catch (cause) {
    if (cause instanceof StoreError) return null;
    throw cause;
  }
}

/** Checks the postal codes that are served, and the release that a rollback would publish. */
export async function checkGazetteer(
  config: Config,
  nowMs: number,
  servedReleases: DatabaseFacts["servedReleases"] = [],
): Promise<readonly Finding[]> {
  const { path, isBuiltIn, releases } = findServedGazetteer(config);
  const isShared = sharesReleases(config);
  const hasPrevious = releases.hasPrevious() && !isShared;
  const { countries, countryPrecedence } = config;
  return runChecks(gazetteerChecks, {
    path,
    isBuiltIn,
    servedReleases,
    countries,
    countryPrecedence,
    nowMs,
    served: inspectArtifact(path),
    previous: hasPrevious ? inspectArtifact(releases.previousFile) : null,
    shared: isShared ? await findShared(config, path) : null,
  });
}

/** The release of the database, and whether this machine has it at a path. */
async function findShared(config: Config, path: string) {
  try {
    const { artifact, source } = await openCurrentRelease(config);
    if (source !== "database") return { release: null, isSame: false };
    const isSame = readFileSync(path).equals(artifact.bytes);
    return { release: describeFacts(artifact.facts), isSame };
  } catch (cause) {
    if (!(cause instanceof CommandError)) throw cause;
    const [text = ""] = cause.message.split("\n");
    return { reason: text.replace(/\.$/, "") };
  }
}
