import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import type { TestContext } from "node:test";
import { runProgram } from "../../src/cli/program.ts";
import { openArtifact } from "../../src/gazetteer/format/artifact.ts";
import { gazetteerOf } from "../../src/gazetteer/format/reader.ts";

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

/** How a command ended, and all that it wrote. */
export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Opens an fixture in a new folder, which is removed after the test. */
export function openPlacesFixture(t: TestContext): PlacesFixture {
  const folder = mkdtempSync(join(tmpdir(), "wfh-import-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "places.gazetteer");
  const settings = join(folder, "settings.toml");
  const database = `sqlite:${join(folder, "office.db")}`;
  const lines = Object.entries({ WFH_GAZETTEER: file, WFH_DATABASE_URL: database });
  writeFileSync(
    settings,
    lines.map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`).join(""),
  );
  return {
    folder,
    file,
    settings,
    write: (name, content) => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    },
    run: async (words, piped) => {
      const written = { out: "", err: "" };
      const input = new PassThrough();
      if (piped === undefined) Object.assign(input, { isTTY: true });
      else input.end(piped);
      const code = await runProgram([...words, "--config", settings], {
        out: (text) => {
          written.out += text;
        },
        err: (text) => {
          written.err += text;
        },
        input,
      });
      return { code, ...written };
    },
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
