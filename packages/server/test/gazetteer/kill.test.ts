import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { checkArtifact, openArtifact } from "../../src/gazetteer/format/artifact.ts";
import { Releases } from "../../src/gazetteer/releases/releases.ts";
import { cityIn, filesBeside, sampleFile } from "./sample.ts";

const publisher = fileURLToPath(new URL("./publisher.ts", import.meta.url));
/** Steps after which the process is killed, of five for each import. */
const killAfter = [2, 3, 4, 8, 13];

for (const steps of killAfter) {
  test(`kill -9 after ${steps} steps of imports leaves a whole artifact in place`, async () => {
    const file = sampleFile();
    await killAfterSteps(file, steps);
    if (existsSync(file)) {
      checkArtifact(openArtifact(file));
      assert.match(cityIn(file, "4999") ?? "", /^(?:Wien|Graz)$/);
      checkArtifact(openArtifact(`${file}.previous`));
    } else {
      // Killed within the first import: the built-in data is still served.
      assert.ok(steps <= 4);
    }
    await new Releases(file).change(async () => {});
    const left = filesBeside(file).filter((name) => name !== "previous");
    assert.deepEqual(left, ["lock"]);
  });
}

async function killAfterSteps(file: string, steps: number): Promise<void> {
  const child = spawn(process.execPath, [publisher, file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  let count = 0;
  for await (const _ of createInterface({ input: child.stdout })) {
    count += 1;
    if (count === steps) child.kill("SIGKILL");
  }
  assert.deepEqual(await ended, [null, "SIGKILL"]);
  assert.ok(count >= steps);
}
