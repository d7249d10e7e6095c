import assert from "node:assert/strict";
import { test } from "node:test";
import { ceilings, measureEnteredFunctions } from "./entered-functions.ts";

test("warm calls can be followed by reading: each enters few files and functions", async () => {
  for (const { call, files, functions } of await measureEnteredFunctions()) {
    const ceiling = ceilings[call] ?? { files: 0, functions: 0 };
    assert.ok(
      files <= ceiling.files && functions <= ceiling.functions,
      `${call}: ${files} files and ${functions} functions; name them with node scripts/entered-functions.ts --list`,
    );
  }
});
