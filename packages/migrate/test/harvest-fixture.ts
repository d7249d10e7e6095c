import { join } from "node:path";
import type { TestContext } from "node:test";
import { type CliFixture, openCliFixture } from "@wfh/cli/test/cli-fixture.ts";
import { startService } from "@wfh/server/index.ts";
import { locationNamespace, temporaryDatabase } from "@wfh/server/test/test-server.ts";
import { tools } from "../src/tools.ts";

/** A server whose look-ups are counted. */
export interface HarvestServer {
  readonly url: string;
  lookUps(): number;
}

/** Opens a fixture with the built-in postal codes, and nothing imported. */
export function openHarvestFixture(t: TestContext): CliFixture {
  const fixture = openCliFixture(undefined, tools);
  t.after(() => fixture.close());
  return fixture;
}

/** Starts a server that has a table of custom places. */
export async function startWithPlaces(t: TestContext, table: string): Promise<HarvestServer> {
  const fixture = openHarvestFixture(t);
  const { code, err } = await fixture.run(["places", "import", "table", "-"], { piped: table });
  if (code !== 0) throw new Error(err);
  return startImported(t, fixture);
}

/** Starts a server with what a fixture has imported. */
export async function startImported(
  t: TestContext,
  { folder }: Pick<CliFixture, "folder">,
): Promise<HarvestServer> {
  const log: string[] = [];
  const { url, close } = await startService({
    settings: {
      WFH_PORT: "0",
      WFH_GAZETTEER: join(folder, "web-forms-helper.gazetteer"),
      WFH_DATABASE_URL: temporaryDatabase(),
      WFH_LOCATION_NAMESPACE: locationNamespace,
      WFH_LOG_LEVEL: "debug",
    },
    log: { write: (line) => log.push(line) },
  });
  t.after(close);
  return {
    url,
    lookUps: () => log.filter((line) => line.includes("PostalCodeToCityState")).length,
  };
}

/** The response of a server for a postal code over HTTP GET, to the letter. */
export async function getPlace({ url }: Pick<HarvestServer, "url">, code: string): Promise<string> {
  const response = await fetch(`${addressOf({ url })}/PostalCodeToCityState?postalCode=${code}`);
  return response.text();
}

/** Address of the location helper of a server. */
export function addressOf({ url }: Pick<HarvestServer, "url">): string {
  return `${url}/api/LocationUIHelper.asmx`;
}

/** Runs a harvest in a fixture, and reads its JSON. */
export async function harvest(fixture: CliFixture, from: string, ...more: readonly string[]) {
  const words = ["migrate", "harvest", "--from", from, "--output", outputOf(fixture)];
  const { code, out, err } = await fixture.run([...words, "--rate", "1000", "--json", ...more]);
  const result: HarvestResult = JSON.parse(out || "{}");
  const askedOf = (state: string) =>
    Number(result.states.find((one) => one.state === state)?.asked);
  return { code, err, result, askedOf };
}

/** The table of a fixture. */
export function outputOf({ folder }: CliFixture): string {
  return join(folder, "harvest.csv");
}

/** Output of a harvest with `--json`. */
interface HarvestResult {
  readonly total: Readonly<Record<string, number>>;
  readonly states: readonly {
    readonly state: string;
    readonly asked: number;
    readonly same: number;
  }[];
  readonly failed: readonly string[];
  readonly notes: readonly string[];
}
