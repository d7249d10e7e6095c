import { writeSync } from "node:fs";
import { Releases } from "../../src/gazetteer/releases/releases.ts";
import { buildSample, type SampleRow } from "./sample.ts";

/**
 * Installs two artifacts in turn, and rolls back after every second one, until killed:
 * `node publisher.ts FILE`. Prints a line before each step.
 */
const [file = ""] = process.argv.slice(2);

/** Large enough that writing it takes a moment. */
function build(city: string): Uint8Array {
  const rows = Array.from({ length: 5_000 }, (_, key): SampleRow => ["AT-A", `${key}`, city]);
  return buildSample(rows);
}

const artifacts = ["Wien", "Graz"].map(build);
const releases = new Releases(file);
for (let round = 0; ; round += 1) {
  await releases.change(async ({ publish, rollBack }) => {
    const bytes = artifacts[round % 2] ?? new Uint8Array();
    await publish(bytes, { onStep: (step) => writeSync(1, `${step}\n`) });
    writeSync(1, "roll back\n");
    if (round % 2 === 1) await rollBack();
  });
}
