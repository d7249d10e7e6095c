import { Writable } from "node:stream";
import { after } from "node:test";
import { builtInGazetteer } from "../src/gazetteer/built-in.ts";
import { openGazetteer } from "../src/gazetteer/reader.ts";
import { readConfig } from "../src/server/config.ts";
import { openLog } from "../src/server/log.ts";
import { startService } from "../src/service.ts";

/** A server of the test's own process. */
export interface TestServer {
  readonly url: string;
  /** Lines of its log so far. */
  readonly log: readonly string[];
}

/** Namespace of the location helper in the wire cases and in all tests of the project. */
export const locationNamespace = "http://example.org/location/";

/** Starts a server on a free port with the built-in data; it is closed after the tests of the file. */
export async function startTestServer(settings: Record<string, string> = {}): Promise<TestServer> {
  const { config } = readConfig(undefined, {
    WFH_PORT: "0",
    WFH_LOCATION_NAMESPACE: locationNamespace,
    ...settings,
  });
  const log: string[] = [];
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      log.push(String(chunk));
      done();
    },
  });
  const listening = await startService({
    config,
    gazetteer: openGazetteer(builtInGazetteer),
    log: openLog(config.logLevel, destination),
  });
  after(() => listening.close());
  return { url: listening.url, log };
}
