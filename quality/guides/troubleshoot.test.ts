import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { killPrograms } from "@wfh/server/test/running-program.ts";
import { readText } from "@wfh/server/test/source-files.ts";
import { startEngines } from "@wfh/server/test/store/engines.ts";
import { missingProxy, prepareProxy } from "../harness/tls-proxy.ts";
import { postgresSymptoms } from "./postgres-symptoms.ts";
import { failedCalls } from "./response-symptoms.ts";
import { failedStarts, type Produce, runningServers } from "./start-symptoms.ts";
import { missingIn, symptoms } from "./symptoms.ts";

// Makes the program write every message of docs/troubleshoot.md, and compares them.

after(killPrograms);
const [, postgres] = await startEngines();
const ofPostgres = postgresSymptoms(postgres);

/** Symptoms that take hours or days: they are compared with the source. */
const inSource: Readonly<Record<string, Produce>> = {
  "Old page requests are not deleted": async () => readText("packages/server/src/service-store.ts"),
};
const ofProxies: Readonly<Record<string, Produce>> = { "502 from the proxy": badGateway };
const produced = {
  ...failedStarts,
  ...runningServers,
  ...failedCalls,
  ...ofPostgres,
  ...inSource,
  ...ofProxies,
};

/** The response of nginx without a server behind it. */
async function badGateway(): Promise<string> {
  const { url, authority, start } = await prepareProxy();
  await start("http://127.0.0.1:1");
  const { Agent, get } = await import("node:https");
  const agent = new Agent({ ca: readFileSync(authority) });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  get(url, { agent }, (response) => {
    response.setEncoding("utf8").on("data", resolve);
  }).on("error", reject);
  return promise;
}

test("every symptom shows a message, and there are at least 20", () => {
  assert.deepEqual(
    symptoms.map(({ heading }) => heading).toSorted(),
    Object.keys(produced).toSorted(),
  );
  assert.ok(symptoms.length >= 20);
});

for (const symptom of symptoms) {
  const { heading } = symptom;
  const missing = heading in ofPostgres ? postgres.missing : heading in ofProxies && missingProxy;
  test(`"${heading}" shows what the program writes`, { skip: missing ?? false }, async () => {
    const text = (await produced[heading]?.()) ?? "";
    assert.deepEqual(missingIn(text, symptom), [], text);
  });
}
