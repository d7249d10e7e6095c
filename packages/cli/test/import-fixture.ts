import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { builtInGazetteer, openArtifact } from "@wfh/server/gazetteer/format/artifact.ts";
import type { PostalCodePlace } from "@wfh/server/gazetteer/format/builder.ts";
import { buildGazetteer } from "@wfh/server/gazetteer/format/builder.ts";
import { type CliFixture, openCliFixture, type Run, type Typed } from "./cli-fixture.ts";

/** The columns that there must be. */
export const header = "postalCode,city,stateAbbreviation,countryCode";

const { facts, countries, states } = openArtifact(builtInGazetteer);

/** Builds an artifact of the built-in countries and states with a few postal codes, quickly. */
export function buildPlaces(postalCodes: readonly PostalCodePlace[]): Uint8Array {
  const { dataDate, sources } = facts;
  return buildGazetteer({ dataDate, sources, countries, states, postalCodes });
}

const fewPlaces = buildPlaces([
  { key: "10001", city: "New York", stateId: 84000923 },
  { key: "10002", city: "New York", stateId: 84000923 },
  { key: "14201", city: "Buffalo", stateId: 84000923 },
  { key: "90210", city: "Beverly Hills", stateId: 84000492 },
  { key: "94105", city: "San Francisco", stateId: 84000492 },
  { key: "02108", city: "Boston", stateId: 84000862 },
]);

/** A place with an artifact of its own. */
export interface ImportFixture extends Pick<CliFixture, "run"> {
  readonly gazetteer: string;
  /** Imports a table with these lines. */
  importPlaces(lines: readonly string[], ...options: readonly string[]): Promise<Run>;
  /** Imports whatever is in a file. */
  importBytes(bytes: Uint8Array, ...options: readonly string[]): Promise<Run>;
  /** Place that `lookup --json` prints. */
  find(code: string): Promise<FoundPlace | null>;
}

interface FoundPlace {
  readonly city: string;
  readonly state: {
    readonly id: number;
    readonly name: string;
    readonly abbreviation: string;
    readonly active: boolean;
    readonly country: {
      readonly id: number;
      readonly name: string;
      readonly alias: string;
      readonly active: boolean;
      readonly continent: { readonly id: number; readonly name: string };
    };
  };
}

/** Opens a place, which closes with the test. */
export function openImportFixture(t: TestContext, artifact: Uint8Array = fewPlaces): ImportFixture {
  const fixture = openCliFixture();
  t.after(() => fixture.close());
  const gazetteer = join(fixture.folder, "places.gazetteer");
  writeFileSync(gazetteer, artifact);
  appendFileSync(
    join(fixture.folder, "settings.toml"),
    `WFH_GAZETTEER = ${JSON.stringify(gazetteer)}\n`,
  );
  const file = join(fixture.folder, "places.csv");
  const run = (words: readonly string[], typed?: Typed) => fixture.run(words, typed);
  const importBytes = (bytes: Uint8Array, ...options: readonly string[]) => {
    writeFileSync(file, bytes);
    return run(["places", "import", "table", file, ...options]);
  };
  return {
    gazetteer,
    run,
    importBytes,
    importPlaces: (lines, ...options) =>
      importBytes(Buffer.from(`${lines.join("\n")}\n`), ...options),
    find: async (code) => JSON.parse((await run(["lookup", code, "--json"])).out).place,
  };
}
