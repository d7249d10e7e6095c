import { appendFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { openArtifact } from "@wfh/server/gazetteer/format/artifact.ts";
import { gazetteerOf } from "@wfh/server/gazetteer/format/reader.ts";
import { openCliFixture, type Run } from "./cli-fixture.ts";

/** Where commands that import run, with a gazetteer of its own that is not there at first. */
export interface PlacesFixture {
  readonly folder: string;
  /** The file of the settings. */
  readonly file: string;
  /** Settings in TOML, for a process of its own. */
  readonly settings: string;
  /** Writes a file into the folder; its path. */
  write(name: string, content: string | Uint8Array): string;
  run(words: readonly string[], piped?: string | Uint8Array): Promise<Run>;
  /** The preferred city of a key; undefined when it has no place. */
  cityOf(key: string): string | undefined;
  /** Names of the files of the gazetteer, without those that are read. */
  files(): readonly string[];
  /** Temporary folders of imports whose TMPDIR is the folder. */
  leftovers(): readonly string[];
}

/** Opens a fixture in a new folder, which is removed after the test. */
export function openPlacesFixture(t: TestContext): PlacesFixture {
  const { folder, run, close } = openCliFixture();
  t.after(close);
  const file = join(folder, "places.gazetteer");
  const settings = join(folder, "settings.toml");
  appendFileSync(settings, `WFH_GAZETTEER = ${JSON.stringify(file)}\n`);
  return {
    folder,
    file,
    settings,
    write: (name, content) => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    },
    // Without a pipe the input is a terminal.
    run: (words, piped) => run(words, piped === undefined ? { keys: "" } : { piped }),
    cityOf: (key) => gazetteerOf(openArtifact(file)).findPlace(key, () => 0)?.city,
    files: () =>
      readdirSync(folder)
        .filter((name) => name.startsWith("places."))
        .sort(),
    leftovers: () => readdirSync(folder).filter((name) => name.startsWith("wfh-import-")),
  };
}

/** A line of a GeoNames postal file. */
export function postalLine(
  country: string,
  code: string,
  city: string,
  [stateName, stateCode]: readonly [string, string],
): string {
  return `${[country, code, city, stateName, stateCode, "", "", "", "", "1.5", "2.5", ""].join("\t")}\n`;
}
