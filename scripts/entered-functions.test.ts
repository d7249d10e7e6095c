import assert from "node:assert/strict";
import { test } from "node:test";
import { ceilings, measureEnteredFunctions } from "./entered-functions.ts";

test("a warm SOAP look-up can be followed by reading: it enters few files and functions", async () => {
  const call = "SOAP look-up";
  const measured = (await measureEnteredFunctions([call])).find((one) => one.call === call);
  const { files, functions } = ceilings[call] ?? { files: 0, functions: 0 };
  assert.ok(
    measured !== undefined && measured.files <= files && measured.functions <= functions,
    `${measured?.files} files and ${measured?.functions} functions; name them with node scripts/entered-functions.ts --list`,
  );
});
