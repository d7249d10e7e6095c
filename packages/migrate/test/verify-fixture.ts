import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { openCliFixture } from "@wfh/cli/test/cli-fixture.ts";
import { readText } from "@wfh/server/test/source-files.ts";
import { tools } from "../src/tools.ts";

/** A difference as `--json` prints it. */
interface Difference {
  readonly operation: string | null;
  readonly what: string;
  readonly old: string | null;
}

/** Opens a place to run `wfh wsdl verify` in, with the namespaces of the golden documents. */
export function openVerifyFixture() {
  const fixture = openCliFixture(undefined, tools);
  const settings = [
    "WFH_LOCATION_NAMESPACE = 'http://example.org/location/'\n",
    "WFH_ENDPOINT_NAMESPACE = 'http://example.org/forms'\n",
  ];
  appendFileSync(join(fixture.folder, "settings.toml"), settings.join(""));
  const run = (words: readonly string[], piped: string | Uint8Array = "") =>
    fixture.run(["wsdl", "verify", ...words], { piped });
  return {
    ...fixture,
    run,
    /** Compares a file, a URL or standard input. */
    verify: async (old: string, piped?: string | Uint8Array) => {
      const { code, out, err } = await run([old, "--json"], piped);
      if (err !== "") throw new Error(err);
      const { comparisons } = JSON.parse(out) as {
        readonly comparisons: readonly {
          readonly differences: readonly Difference[];
          readonly settings: readonly string[];
        }[];
      };
      const differences = comparisons.flatMap((one) => one.differences);
      return { code, differences, settings: comparisons.flatMap((one) => one.settings) };
    },
    /** The message for a WSDL that cannot be compared. */
    refusal: async (words: readonly string[], piped?: string | Uint8Array) => {
      const { code, out, err } = await run(words, piped);
      if (code !== 69 || out !== "") throw new Error(`Exit code ${code}: ${out}${err}`);
      return err;
    },
  };
}

/** A document of `packages/server/test/metadata/golden/`. */
export function golden(name: string): string {
  return readText(`packages/server/test/metadata/golden/${name}`);
}
