import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { promisify } from "node:util";
import { operationsOf } from "@wfh/server/metadata/described-service.ts";
import { codeSamples } from "@wfh/server/metadata/samples/code-samples.ts";
import { resourceMessages } from "@wfh/server/metadata/samples/sample-messages.ts";
import { describeApi, openSampleSite } from "@wfh/server/test/metadata/sample-site.ts";
import { listFiles, readText } from "@wfh/server/test/source-files.ts";
import { createClient } from "../src/client/client.ts";

const site = await openSampleSite();
const api = describeApi(site.url);

const AsyncFunction = (async () => undefined).constructor as new (
  ...parts: readonly string[]
) => (...values: readonly unknown[]) => Promise<void>;

/** Runs a script; resolves to its output. */
async function run(code: string): Promise<string> {
  const printed: string[] = [];
  const print = (value: unknown) => printed.push(JSON.stringify(value));
  const script = code.replace(/^import .*$/m, "");
  await new AsyncFunction("console", "createClient", script)({ log: print }, createClient);
  return printed.join("\n");
}

async function runShell(code: string): Promise<string> {
  return (await promisify(execFile)("sh", ["-c", code])).stdout;
}

const curl = "/usr/bin/curl";
const languages = [
  { language: "curl", start: runShell, skip: existsSync(curl) ? false : `there is no ${curl}` },
  { language: "fetch", start: run, skip: false },
  { language: "TypeScript client", start: run, skip: false },
] as const;

/** Output of each program when its call succeeds. */
const expected: Readonly<Record<string, RegExp>> = {
  findPlaces: /"city":"New York"/,
  findPlacesAnywhere: /"city":"New York"/,
  findNearby: /"postalCode":"10001","distance":0/,
  searchPlaces: /"postalCodeCount":\d+,"city":"New York"/,
  listCityCodes: /"city":"Schenectady"/,
  checkPlace: /"city-differs"/,
  listCountries: /"alias":"USA"/,
  listStates: /"code":"NY"/,
  logPageRequests: /204|"Done"/,
  logIn: /"success":true,"contactId":"20260114093000417"/,
  autoLogIn: /"success":false/,
  logOut: /204|"Done"/,
};

for (const { language, start, skip } of languages) {
  for (const [name] of operationsOf(api)) {
    test(`the ${language} sample of ${name} makes its call`, { skip }, async () => {
      const samples = codeSamples(api, name, resourceMessages(api, name));
      const code = samples.find((one) => one.language === language)?.code ?? "";
      assert.match(await start(code), expected[name] ?? /never/);
    });
  }
}

test("every event key that a document or a sample shows is one that cannot be guessed", () => {
  const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
  const shown = listFiles()
    .filter((path) =>
      /^(?:README\.md|docs\/.*\.md|examples\/.*|packages\/server\/test\/metadata\/golden\/.*)$/.test(
        path,
      ),
    )
    .flatMap((path) => [...readText(path).matchAll(/eventKey"?\s*[:=]\s*"([^"]*)"/g)]);
  assert.ok(shown.length >= 6, String(shown.length));
  for (const [, key = ""] of shown) assert.match(key, uuid);
});
