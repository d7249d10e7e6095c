import { join } from "node:path";
import { Writable } from "node:stream";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { builtInGazetteer } from "../src/gazetteer/format/artifact.ts";
import { openLiveGazetteer } from "../src/gazetteer/releases/live-gazetteer.ts";
import { lazily } from "../src/lib/lazily.ts";
import { readSecretKeys } from "../src/secrets/secret-keys.ts";
import type { ServiceExtension } from "../src/server/extension.ts";
import type { Listening } from "../src/server/http/listener.ts";
import { type Log, openLog } from "../src/server/log.ts";
import { readConfig } from "../src/server/settings/config.ts";
import { keyFileOf } from "../src/server/settings/data-folder.ts";
import { openService, type ServiceDeps, type ServiceStore } from "../src/service.ts";
import { openServiceStore } from "../src/service-store.ts";
import type { NumberedPageRequest } from "../src/store/admin/page-request-reader.ts";
import type { Store } from "../src/store/store.ts";
import { copyMigratedDatabase } from "./migrated-database.ts";
import { quickFolder } from "./quick-folder.ts";
import { listStored } from "./store/sample.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A server of the test's own process. */
export interface TestServer {
  readonly url: string;
  /** Address of its admin listener. */
  readonly adminUrl: string;
  readonly listening: Listening;
  /** Lines of its log so far. */
  readonly log: readonly string[];
  readonly store: Store;
  /** Page requests that it has stored. */
  stored(): Promise<readonly NumberedPageRequest[]>;
  close(): Promise<void>;
}

/** Namespaces of the wire cases and of all tests of the project. */
export const locationNamespace = "http://example.org/location/";
/** As {@link locationNamespace}; without a slash at its end. */
export const endpointNamespace = "http://example.org/forms";

/** Environment of a program that gets no setting of the product but those of its test. */
export const plainEnvironment = {
  PATH: process.env["PATH"],
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
};

/** Address of an empty SQLite database, removed when the process of the tests ends. */
export function temporaryDatabase(): string {
  const file = join(temporaryFolder(quickFolder), "test.db");
  copyMigratedDatabase(file);
  return `sqlite:${file}`;
}

/** The built-in data, which the servers of a process share. */
const openBuiltIn = lazily(() => openLiveGazetteer(fileURLToPath(builtInGazetteer)));

/** Members that take the place of those of a store. */
type StoreStub = Partial<Pick<ServiceStore, "pageRequests" | "readiness">>;

/** Differences from a usual server. */
interface TestServerOptions extends Pick<ServiceDeps, "changeApp" | "after"> {
  readonly stub?: StoreStub;
  /** Makes what extends the server of its parts. */
  readonly extension?: (
    parts: Pick<ServiceDeps, "config" | "secretKeys"> & {
      readonly store: Store;
      readonly log: Log;
    },
  ) => ServiceExtension;
}

/** Starts a server on a free port with the built-in data and a database of its own. */
export async function startServer(
  settings: Record<string, string> = {},
  { stub = {}, extension, ...more }: TestServerOptions = {},
): Promise<TestServer> {
  const { config } = readConfig(undefined, {
    WFH_PORT: "0",
    WFH_ADMIN_PORT: "0",
    WFH_LOCATION_NAMESPACE: locationNamespace,
    WFH_ENDPOINT_NAMESPACE: endpointNamespace,
    WFH_DATABASE_URL: temporaryDatabase(),
    // However full the disk of this machine.
    WFH_DISK_RESERVE_MB: "0",
    ...settings,
  });
  const lines: string[] = [];
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  const log = openLog(config.logLevel, destination);
  const store = Object.assign(await openServiceStore(config, log), stub);
  const gazetteer = await openBuiltIn();
  const secretKeys = readSecretKeys({ given: config.secretKeys, file: keyFileOf(config) });
  const parts = { config, store, secretKeys, log };
  const extended = { extension: extension?.(parts), ...more };
  const listening = await openService({ gazetteer, ...parts, ...extended });
  return {
    url: listening.url,
    adminUrl: listening.adminUrl ?? "",
    listening,
    log: lines,
    store,
    stored: () => listStored(config.databaseUrl),
    close: async () => {
      await listening.close();
      await store.close();
    },
  };
}

/** As {@link startServer}, and closes the server after the tests of the file. */
export async function startTestServer(settings: Record<string, string> = {}): Promise<TestServer> {
  const server = await startServer(settings);
  after(() => server.close());
  return server;
}
