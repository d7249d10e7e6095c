import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { openTestSite, password } from "@wfh/server/test/server/log-in-server.ts";
import { root } from "@wfh/server/test/source-files.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { plainEnvironment } from "@wfh/server/test/test-server.ts";
import { readDocument } from "./api-document.ts";
import { callAll, type GeneratedClient } from "./generated-calls.ts";

const site = await openTestSite();
const folder = temporaryFolder();
const documentFile = join(folder, "openapi.json");
writeFileSync(documentFile, JSON.stringify(await readDocument(site.url)));

/** Code that compiles against a generated client's types, and gives all clients one form. */
const clients: Readonly<Record<string, { readonly output: string; readonly code: string }>> = {
  orval: {
    output: "api.ts",
    code: `
      import * as api from "./api.js";
      export const findPlaces = (country: string, code: string) => api.findPlaces(country, code);
      export const findPlacesAnywhere = (postalCode: string) => api.findPlacesAnywhere({ postalCode });
      export const listCountries = () => api.listCountries();
      export const listStates = (country: string) => api.listStates(country);
      export const findNearby = (country: string, code: string, radius: string) =>
        api.findNearby(country, code, { radius, unit: "mi" });
      // @ts-expect-error a unit is kilometres or miles
      export const feet = () => api.findNearby("US", "10001", { unit: "ft" });
      export const searchPlaces = (q: string) => api.searchPlaces({ q, country: "US" });
      export const listCityCodes = (country: string, city: string, state: string) =>
        api.listCityCodes(country, city, { state });
      export const checkPlace = (country: string, postalCode: string, city: string) =>
        api.checkPlace({ country, postalCode, city });
      type KeyedRequest = api.PageRequest & { eventKey: string };
      export const logPageRequests = (given: api.PageRequest | KeyedRequest[]) => api.logPageRequests(given);
      // @ts-expect-error in an array each needs a key
      export const keyless = () => api.logPageRequests([{ formId: "12" }]);
      export const logIn = (userName: string, password: string) => api.logIn({ userName, password });
      export const autoLogIn = (formId: string) => api.autoLogIn({ formId });
      export const logOut = () => api.logOut({});
      // @ts-expect-error a number is no id
      export const rounded: api.PageRequest = { formId: 12 };
      export const cityOf = (places: api.Places): string | undefined => places.places[0]?.city;`,
  },
  "hey-api": {
    output: "api",
    code: `
      import * as api from "./api/index.js";
      async function reply(call: Promise<{ data?: unknown; error?: unknown; response?: Response }>) {
        const { data, error, response } = await call;
        return { status: response?.status, data: data ?? error };
      }
      export const findPlaces = (country: string, postalCode: string) =>
        reply(api.findPlaces({ path: { country, postalCode } }));
      export const findPlacesAnywhere = (postalCode: string) =>
        reply(api.findPlacesAnywhere({ query: { postalCode } }));
      export const listCountries = () => reply(api.listCountries());
      export const listStates = (country: string) => reply(api.listStates({ path: { country } }));
      export const findNearby = (country: string, postalCode: string, radius: string) =>
        reply(api.findNearby({ path: { country, postalCode }, query: { radius, unit: "mi" } }));
      // @ts-expect-error a unit is kilometres or miles
      export const feet: api.FindNearbyData["query"] = { unit: "ft" };
      export const searchPlaces = (q: string) =>
        reply(api.searchPlaces({ query: { q, country: "US" } }));
      export const listCityCodes = (country: string, city: string, state: string) =>
        reply(api.listCityCodes({ path: { country, city }, query: { state } }));
      export const checkPlace = (country: string, postalCode: string, city: string) =>
        reply(api.checkPlace({ query: { country, postalCode, city } }));
      type KeyedRequest = api.PageRequest & { eventKey: string };
      export const logPageRequests = (body: api.PageRequest | KeyedRequest[]) =>
        reply(api.logPageRequests({ body }));
      // @ts-expect-error in an array each needs a key
      export const keyless = () => api.logPageRequests({ body: [{ formId: "12" }] });
      export const logIn = (userName: string, password: string) =>
        reply(api.logIn({ body: { userName, password } }));
      export const autoLogIn = (formId: string) => reply(api.autoLogIn({ body: { formId } }));
      export const logOut = () => reply(api.logOut({ body: {} }));
      // @ts-expect-error a number is no id
      export const rounded: api.PageRequest = { formId: 12 };
      export const cityOf = (places: api.Places): string | undefined => places.places[0]?.city;`,
  },
};

const compilerOptions = {
  module: "nodenext",
  target: "es2024",
  lib: ["es2024", "dom", "dom.iterable"],
  types: [],
  strict: true,
  noUncheckedIndexedAccess: true,
  outDir: "out",
  rootDir: ".",
};

for (const [name, { output, code }] of Object.entries(clients)) {
  test(`a client by ${name} compiles, and all of its calls work`, async () => {
    const place = join(folder, name);
    mkdirSync(place);
    writeFileSync(join(place, "package.json"), '{"type":"module"}');
    writeFileSync(join(place, "tsconfig.json"), JSON.stringify({ compilerOptions }));
    writeFileSync(join(place, "client.ts"), code);
    const generator = `${root}quality/rest/generators/${name}.js`;
    await run(process.execPath, [generator, documentFile, join(place, output)]);
    await run(`${root}node_modules/.bin/tsc`, ["-p", place]);
    const compiled = pathToFileURL(join(place, "out/client.js")).href;
    const client = (await import(compiled)) as GeneratedClient;
    const userName = `${name}@example.org`;
    const ids = await site.addAccount(userName, 9_007_199_254_740_993n + BigInt(name.length));
    const recordId = String(ids.recordId);
    const contactId = String(ids.contactId);
    await callAll(client, { userName, password, recordId, contactId });
  });
}

/** Runs a program; its error has what it wrote. */
async function run(program: string, args: readonly string[]): Promise<void> {
  const outcome = promisify(execFile)(program, args, { env: plainEnvironment, cwd: folder });
  await outcome.catch((cause: { stdout: string; stderr: string }) => {
    throw new Error(`${program} failed: ${cause.stdout}${cause.stderr}`);
  });
}
