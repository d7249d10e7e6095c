import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestServer } from "../test-server.ts";
import { knownGaps, listCases, recordedResponse, responseTo } from "./cases.ts";

const server = await startTestServer();

for (const name of listCases()) {
  const gap = knownGaps().includes(name);
  test(`wire case ${name}${gap ? " is a known gap" : ""}`, async () => {
    const response = await responseTo(name, server.url);
    if (gap)
      assert.notEqual(response, recordedResponse(name), "the gap is closed: take it off the list");
    else assert.equal(response, recordedResponse(name));
  });
}

test("every known gap names a case", () => {
  assert.deepEqual(
    knownGaps().filter((name) => !listCases().includes(name)),
    [],
  );
});
