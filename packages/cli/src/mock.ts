import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { headerOf } from "@wfh/server/bindings/http.ts";
import { limitCountries } from "@wfh/server/domain/location/limit-countries.ts";
import { PlaceLookup } from "@wfh/server/domain/location/lookup.ts";
import { pageRequestFields } from "@wfh/server/domain/page-requests/page-request.ts";
import { Fault, faultCodes } from "@wfh/server/fault.ts";
import { builtInGazetteer } from "@wfh/server/gazetteer/format/artifact.ts";
import { openGazetteer } from "@wfh/server/gazetteer/format/reader.ts";
import { PasswordHasher } from "@wfh/server/secrets/password-hashing.ts";
import { readSecretKeys } from "@wfh/server/secrets/secret-keys.ts";
import type {
  App,
  PageHandler,
  RequestContext,
  RunOperation,
} from "@wfh/server/server/http/app.ts";
import { textResponse } from "@wfh/server/server/http/response.ts";
import { openLog } from "@wfh/server/server/log.ts";
import { readConfig } from "@wfh/server/server/settings/config.ts";
import { openService } from "@wfh/server/service.ts";
import { openServiceStore } from "@wfh/server/service-store.ts";
import { openAdmin } from "@wfh/server/store/admin/open-admin.ts";

/** Options of a mock. */
export interface MockOptions {
  /** Settings as for `startService`, except the mock's own address, database and key. */
  readonly settings?: Readonly<Record<string, string | undefined>>;
  /** Settings file in TOML. */
  readonly config?: string | undefined;
  /** 0 by default: a free one. */
  readonly port?: string;
  /** The loopback address by default. */
  readonly host?: string;
  /** Pause before each response of an operation, in milliseconds. */
  readonly delayMs?: number;
  /** Takes the log: warnings and errors. By default nothing does. */
  readonly log?: { write(line: string): void };
}

/** A mock that is running. */
export interface RunningMock {
  /** Such as `"http://127.0.0.1:8080"`. */
  readonly url: string;
  readonly accounts: typeof accounts;
  /** Some postal codes with their places; null for one that is not found. */
  readonly postalCodes: Readonly<Record<string, string | null>>;
  /** Postal codes with the fault that each provokes. */
  readonly faultPostalCodes: typeof faultPostalCodes;
  /** Names of all faults. */
  readonly faults: typeof faults;
  /** Page requests since the last reset, by names of the contract; 64-bit integers are text. */
  pageRequests(): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Forgets page requests, sessions and failed log-ins. */
  reset(): void;
  /** Ends it, and removes all that it kept. */
  close(): Promise<void>;
}

const password = "mock-password-1";

/** The second one has ids that a number of JavaScript cannot hold. */
const accounts = [
  { userName: "ada", password, recordId: 17n, contactId: 4_711n, isEnabled: true },
  {
    userName: "bob",
    password,
    isEnabled: true,
    recordId: 9_007_199_254_740_993n,
    contactId: 7_310_248_655_120_934_177n,
  },
  { userName: "carol", password, recordId: 19n, contactId: 4_713n, isEnabled: false },
] as const;

const shownPostalCodes = ["10001", "90210", "K1A0B1", "99999"];

/** Fault codes, a pause and a reset of the connection. */
const faults = [...faultCodes, "slow", "reset"] as const;

const faultInText = new RegExp(`\\bmock-((?:${faults.join("|")})(?:=\\d+)?)\\b`);

/** Codes that no country has, for clients that send five digits and no header. */
const faultPostalCodes = {
  "00001": "receiver",
  "00002": "busy",
  "00003": "unavailable",
  "00004": "sender",
  "00005": "malformed",
  "00006": "slow",
  "00007": "reset",
} as const;

/** Pause of `slow` without a number, in milliseconds. */
const slowMs = 10_000;

/**
 * Starts a server for tests of clients: with known accounts and postal codes, faults on demand, and
 * a database that is removed when it ends (decision 0085).
 *
 * @throws {SettingsError} naming every setting that cannot be used.
 * @throws {Error} with the system's code (`EADDRINUSE`, …) when it cannot listen.
 *
 * @example
 * const mock = await startMock();
 * const response = await fetch(mock.url, { headers: { "X-Mock-Fault": "busy" } });
 */
export async function startMock(options: MockOptions = {}): Promise<RunningMock> {
  const folder = mkdtempSync(join(tmpdir(), "wfh-mock-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  const file = join(folder, "mock.db");
  const config = readMockConfig(options, file);
  const log = openLog("warn", options.log ?? { write: () => {} });
  const secretKeys = readSecretKeys({ given: [], file: join(folder, "mock.key") });
  const data = openGazetteer(config.gazetteer === "" ? builtInGazetteer : config.gazetteer);
  const gazetteer = limitCountries(data, config.countries);
  await addAccounts(config.databaseUrl);
  const store = await openServiceStore(config, log, secretKeys);
  const pageRequests = () => listPageRequests(config.databaseUrl);
  let reset = () => {};
  const resetPage = () => {
    reset();
    return jsonResponse({});
  };
  const pages: readonly [string, PageHandler][] = [
    ["/mock/page-requests", async () => jsonResponse(await pageRequests())],
    ["/mock/reset", Object.assign(resetPage, { methods: ["POST"] })],
  ];
  const changeApp = (first: App, createNew: () => App): App => {
    const change = (app: App): App => ({
      ...withFaults(app, options.delayMs ?? 0),
      pages: new Map([...app.pages, ...pages]),
    });
    const served = change(first);
    reset = () => {
      deleteRows(file);
      Object.assign(served, change(createNew()));
    };
    return served;
  };
  const deps = { config, gazetteer, store, secretKeys, log, changeApp };
  const { url, close } = await openService(deps).catch(async (cause) => {
    await store.close();
    throw cause;
  });
  const lookup = new PlaceLookup(gazetteer, config.countryPrecedence);
  const postalCodes = shownPostalCodes.map((code) => {
    const place = lookup.findPlace(code);
    return [code, place ? `${place.city}, ${place.state.name}` : null];
  });
  return {
    url,
    accounts,
    faultPostalCodes,
    faults,
    pageRequests,
    reset,
    postalCodes: Object.fromEntries(postalCodes),
    close: async () => {
      await close();
      await store.close();
      remove();
      process.off("exit", remove);
    },
  };
}

function readMockConfig(
  { config, settings, host = "127.0.0.1", port = "0" }: MockOptions,
  file: string,
) {
  const reading = readConfig(config, settings, {
    WFH_HOST: host,
    WFH_PORT: port,
    WFH_ADMIN_PORT: "off",
    WFH_DATABASE_URL: `sqlite:${file}`,
    WFH_DISK_RESERVE_MB: "0",
    WFH_FAST_PATH: "off",
    WFH_PAGE_REQUESTS_PER_NETWORK: "0",
    WFH_DRAIN_MS: "0",
    WFH_SHUTDOWN_TIMEOUT_MS: "1000",
  });
  return reading.config;
}

async function addAccounts(databaseUrl: string): Promise<void> {
  const hashing = new PasswordHasher({ hashesAtOnce: 1 });
  const [database, hash] = await Promise.all([
    openAdmin(databaseUrl, "write", Date.now),
    hashing.hash(password),
  ]);
  const { administration } = database;
  for (const { userName, recordId, contactId, isEnabled } of accounts) {
    const account = { userName, recordId, contactId, hash, hashForm: hashing.formOf(hash) };
    await administration.addAccount(account, Date.now());
    if (!isEnabled) await administration.setEnabled(recordId, false, Date.now());
  }
  await database.close();
}

/** Lets every operation provoke its fault first. */
function withFaults(app: App, delayMs: number): App {
  const wrap = (operations: ReadonlyMap<string, RunOperation>) => {
    const delayed = [...operations].map(([name, run]): [string, RunOperation] => [
      name,
      async (input, context) => {
        if (delayMs > 0) await pause(delayMs, undefined, { ref: false });
        await provokeFault(input, context);
        return run(input, context);
      },
    ]);
    return new Map(delayed);
  };
  return {
    ...app,
    services: app.services.map((service) => ({ ...service, operations: wrap(service.operations) })),
    rest: { ...app.rest, operations: wrap(app.rest.operations) },
  };
}

/** Provokes the fault of the header X-Mock-Fault, of a postal code, or of a text with its name. */
async function provokeFault(input: object, context: RequestContext): Promise<void> {
  const ofTexts = Object.values(input).map((value) => {
    const code = Object.entries(faultPostalCodes).find(([postalCode]) => postalCode === value);
    return code?.[1] ?? faultInText.exec(String(value))?.[1];
  });
  const wanted =
    headerOf(context.request.head, "x-mock-fault") ?? ofTexts.find((one) => one !== undefined);
  if (wanted === undefined) return;
  const [, word, ms = slowMs] = /^([a-z-]+)(?:=(\d{1,7}))?$/.exec(wanted.trim()) ?? [];
  const name = faults.find((one) => one === word);
  // Also the cause, for the log: the message of a receiver fault is not sent.
  const asked = `The mock was asked for the fault ${name}`;
  switch (name) {
    case undefined:
      throw new Fault("sender", `The mock has no fault ${wanted}. Use one of ${faults.join(", ")}`);
    case "slow":
      await pause(Number(ms), undefined, { ref: false });
      return;
    case "reset":
      context.request.disconnect?.();
      throw new Fault("receiver", asked, { cause: asked });
    default:
      throw new Fault(name, asked, { cause: asked });
  }
}

async function listPageRequests(databaseUrl: string) {
  const database = await openAdmin(databaseUrl, "read");
  const rows = [];
  for await (const row of database.pageRequests.list({ fromMs: null, toMs: null })) {
    const fields = Object.entries(pageRequestFields).map(([name, field]) => [
      "part" in field ? field.part : name,
      row[name as keyof typeof pageRequestFields],
    ]);
    const sessionDate = row.sessionDate?.text ?? null;
    rows.push({ id: row.id, ...Object.fromEntries(fields), sessionDate });
  }
  await database.close();
  const toText = (_key: string, value: unknown) =>
    typeof value === "bigint" ? String(value) : value;
  return JSON.parse(JSON.stringify(rows, toText)) as Record<string, unknown>[];
}

function jsonResponse(value: unknown) {
  const headers = ["Content-Type", "application/json; charset=utf-8"];
  return { ...textResponse(200, ""), headers, body: `${JSON.stringify(value)}\n` };
}

/** Tables that calls add rows to. */
const written = ["page_requests", "sessions", "log_in_counters", "log_in_events", "used_tickets"];

/** Deletes what calls have added to a database, beside the server that has it open. */
function deleteRows(file: string): void {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  try {
    const statements = written.map((table) => `delete from "${table}";`);
    database.exec(`begin immediate; ${statements.join(" ")} commit`);
  } finally {
    database.close();
  }
}
