import assert from "node:assert/strict";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { openCliFixture } from "@wfh/cli/test/cli-fixture.ts";
import { startWfh } from "@wfh/cli/test/wfh-process.ts";
import type { ComparisonReport } from "@wfh/migrate/compare/comparison-tally.ts";
import type { Exchange } from "@wfh/migrate/exchange.ts";
import { monoRules } from "@wfh/migrate/test/compare-fixture.ts";
import { tools } from "@wfh/migrate/tools.ts";
import { ajaxEndpoint } from "@wfh/server/contract/ajax-endpoint.ts";
import { locationHelper } from "@wfh/server/contract/location-helper.ts";
import type { ServiceContract } from "@wfh/server/contract/operation.ts";
import { freePort } from "@wfh/server/test/free-port.ts";
import { killPrograms } from "@wfh/server/test/running-program.ts";
import { missingHaproxy, startHaproxyRoute } from "../harness/haproxy-examples.ts";
import { missingDotnet } from "../interop/snippets-dotnet.ts";
import { type OldPlace, readOldPlaces } from "./old-server/data.ts";
import { type OldServer, startOldServer } from "./old-server/old-server.ts";
import { changedLocationHelper, changedPlaces, rootOf, seeded } from "./old-server/seeded.ts";
import {
  type Call,
  endpointCalls,
  locationCalls,
  oldNamespaces,
  oldPaths,
  send,
  startLoad,
  toCall,
} from "./walk-calls.ts";
import { clientTask, runClients } from "./walk-clients.ts";

// The steps of docs/moving.md away from genuine ASMX and WCF services, which Mono runs.

const fixture = openCliFixture(undefined, tools);
after(() => {
  killPrograms();
  fixture.close();
});
const inFolder = (name: string) => join(fixture.folder, name);
const settings = { WFH_CONFIG: inFolder("settings.toml") };
const password = "plum-Otter-41-kettle";
const places = readOldPlaces();
const recording = inFolder("old.ndjson");

function startOld(location: ServiceContract, known: ReadonlyMap<string, OldPlace>) {
  const services = [
    [location, oldNamespaces.location],
    [ajaxEndpoint, oldNamespaces.endpoint],
  ] as const;
  const alice = { Password: password, Contact_Id: 5001, Record_Id: 1001 };
  return startOldServer(services, { places: known, accounts: { alice } });
}

interface Difference {
  readonly what: string;
  readonly old: string | null;
}

async function verify(address: string) {
  const { out } = await fixture.run(["wsdl", "verify", address, "--json"]);
  const { comparisons } = JSON.parse(out) as {
    comparisons: { differences: Difference[]; settings: string[] }[];
  };
  return comparisons.flatMap(({ differences, settings: printed }) => [
    ...differences.map(({ what, old }) => [what, old]),
    ...printed,
  ]);
}

/** Starts a command that passes calls on to the old server. */
async function startProxy(words: readonly string[]) {
  const listen = `127.0.0.1:${await freePort()}`;
  const proxy = startWfh(["migrate", ...words, "--listen", listen], { settings });
  await proxy.match(/Passing calls on/);
  const stop = async (pattern: RegExp) => {
    process.kill(proxy.pid, "SIGTERM");
    return proxy.match(pattern);
  };
  return { url: `http://${listen}`, stop };
}

function startRecorder({ url }: OldServer, file: string) {
  return startProxy(["record", "--to", url, "--output", file]);
}

/**
 * A response without what belongs to its connection, the clock, and the part of a ticket that is
 * random.
 */
function masked(response: string): string {
  return response
    .replace(/^(?:Date|Connection|Keep-Alive): .*\r\n/gm, "")
    .replace(/ASPXAUTH=[^;]*/g, "ASPXAUTH=");
}

const rules = inFolder("mono.toml");
writeFileSync(rules, monoRules);

async function compare(file: string): Promise<ComparisonReport> {
  const words = ["migrate", "compare", file, "--with-side-effects", "--rules", rules, "--json"];
  const { out, err } = await fixture.run(words);
  assert.equal(err, "");
  return JSON.parse(out);
}

function readExchanges(): readonly Exchange[] {
  return readFileSync(recording, "utf8")
    .trimEnd()
    .split("\n")
    .map((line): Exchange => JSON.parse(line));
}

function pairsOf(headers: readonly string[]): readonly (readonly [string, string])[] {
  return headers.flatMap((name, i) => (i % 2 === 0 ? [[name, headers[i + 1] ?? ""] as const] : []));
}

/** Notes a figure in the output of the test. */
let note: (text: string) => void = () => {};

/** A step on the way. */
type Step = (old: OldServer) => Promise<void>;

const steps: Readonly<Record<string, Step>> = {
  "its WSDL differs in nothing but its namespaces": async ({ url }) => {
    const address = `${url}${oldPaths.location}?WSDL`;
    const setting = (name: string, value: string) => `WFH_${name}='${value}'`;
    assert.deepEqual(await verify(address), [
      ["namespace", oldNamespaces.location],
      setting("LOCATION_NAMESPACE", oldNamespaces.location),
      setting("LOCATION_PATHS", oldPaths.location),
    ]);
    const mono = [
      // Mono calls every service so. WCF of .NET Framework gives it the name of its class,
      ["service name", "service"],
      // and declares results as nillable, which Mono leaves out.
      ["nillable", "false"],
      ["nillable", "false"],
    ];
    const wcf = `${url}${oldPaths.endpoint}?wsdl`;
    assert.deepEqual(await verify(wcf), [
      ["namespace", oldNamespaces.endpoint],
      ...mono,
      setting("ENDPOINT_NAMESPACE", oldNamespaces.endpoint),
      setting("ENDPOINT_PATHS", `${oldPaths.endpoint},${oldPaths.endpoint12}`),
    ]);
    appendFileSync(
      settings.WFH_CONFIG,
      `WFH_LOCATION_NAMESPACE = '${oldNamespaces.location}'
WFH_LOCATION_PATHS = '${oldPaths.location}'
WFH_ENDPOINT_NAMESPACE = '${oldNamespaces.endpoint}'
WFH_ENDPOINT_PATHS = '${oldPaths.endpoint},${oldPaths.endpoint12}'
`,
    );
    assert.deepEqual([await verify(address), await verify(wcf)], [[], mono]);
  },

  "calls through the recorder get the same bytes, and none of their secrets is recorded": async (
    old,
  ) => {
    const recorder = await startRecorder(old, recording);
    const logIns = ajaxEndpoint.bindings.map((binding) =>
      toCall(binding, "LogInUser", { userName: "alice", passWord: password }),
    );
    const calls = [...locationCalls, ...endpointCalls, ...logIns];
    for (const call of calls) {
      const sent = { ...call, headers: { ...call.headers, Host: new URL(old.url).host } };
      const direct = await send(old.url, sent);
      assert.match(direct, /^HTTP\/1\.1 \d/, call.name);
      assert.equal(masked(await send(recorder.url, sent)), masked(direct), call.name);
    }
    const clients = await runClients(clientTask(recorder.url, password));
    await recorder.stop(/Not recorded for lack of room +0/);
    const text = readFileSync(recording, "utf8");
    assert.doesNotMatch(text, new RegExp(`${password}|ASPXAUTH=\\w`));
    for (const outcomes of Object.values(clients)) {
      assert.deepEqual(outcomes, ["New York", "undefined", "undefined", "true", "false"]);
    }
    const exchanges = readExchanges();
    for (const [i, call] of calls.entries())
      assert.equal(exchanges[i]?.request.target, call.target);
    note(`${calls.length} calls byte-identical; clients: ${Object.keys(clients).join(", ")}`);
  },

  "recorded responses are those that the old server gives to the recorded requests": async (
    old,
  ) => {
    let count = 0;
    for (const { request, response, operation } of readExchanges()) {
      const { method, target, headers, body } = request;
      // What may be a log-in is recorded without its body, and a page request would be logged once
      // more.
      if (operation === "LogInUser" || operation === "LogPageRequestAsync") continue;
      if (operation === null && "omitted" in body) {
        assert.equal(body.omitted, "it may be a log-in", target);
        continue;
      }
      assert.ok("text" in body && response !== null && "text" in response.body, target);
      const named = Object.fromEntries(pairsOf(headers));
      const again = await send(old.url, {
        name: "",
        method,
        target,
        headers: named,
        body: body.text,
      });
      const [head = "", text] = masked(again).split("\r\n\r\n");
      const lines = pairsOf(response.headers).map(([name, value]) => `${name}: ${value}\r\n`);
      const recorded = `HTTP/1.1 ${response.status} ${response.statusText}\r\n${lines.join("")}\r\n`;
      assert.equal(`${head}\r\n\r\n`, masked(recorded), target);
      assert.equal(Buffer.from(text ?? "", "latin1").toString(), response.body.text, target);
      count += 1;
    }
    note(`${count} recorded requests repeated, with the same bytes`);
  },

  "only IDs and the cities of Delaware differ": async () => {
    const { differences, different, identical, explained } = await compare(recording);
    note(`${identical} identical, ${explained} explained, ${different} different`);
    assert.deepEqual(
      differences.map(({ binding, path, old, ours }) => [
        binding,
        path.replace(/.*\//, ""),
        old,
        ours,
      ]),
      locationHelper.bindings.map((binding) => [binding, "City", "Dover (old)", "Dover"]),
    );
  },

  "nothing differs once its IDs and places are imported": async ({ url }) => {
    const table = inFolder("harvest.csv");
    const words = ["migrate", "harvest", "--from", `${url}${oldPaths.location}`, "--output", table];
    const harvest = async (...more: readonly string[]) => {
      const { out } = await fixture.run([...words, "--rate", "1000", "--json", ...more]);
      const { asked, same, otherPlace, otherIds, failed } = JSON.parse(out).total;
      note(`${asked} asked, ${same} same, ${otherPlace} other places, ${otherIds} other IDs`);
      return { otherPlace, failed, others: asked - same };
    };
    await harvest();
    const swept = await harvest("--sweep");
    assert.ok(swept.otherPlace > 90);
    const imported = await fixture.run(["places", "import", "table", table]);
    assert.equal(imported.code, 0, imported.err);
    assert.deepEqual(await harvest(), { otherPlace: 0, failed: 0, others: 0 });
    const { differences, rules, identical, explained, notCompared } = await compare(recording);
    assert.deepEqual(differences, []);
    assert.ok(rules.every(({ name }) => name !== "ids"));
    note(`${identical} identical, ${explained} explained, ${notCompared} not compared`);
    note(rules.map(({ count, name }) => `${count} ${name}`).join(", "));
  },

  "each change of types, values and errors is found over each binding": async () => {
    const changed = new Map(places);
    for (const [code, change] of Object.entries(changedPlaces)) {
      const place = places.get(code);
      assert.ok(place, code);
      changed.set(code, change(place));
    }
    const other = await startOld(changedLocationHelper, changed);
    const file = inFolder("changed.ndjson");
    const recorder = await startRecorder(other, file);
    const codes = [...Object.keys(changedPlaces), "error"];
    const calls = locationHelper.bindings.flatMap((binding) =>
      codes.map((postalCode) => toCall(binding, "PostalCodeToCityState", { postalCode })),
    );
    for (const call of calls) await send(recorder.url, call);
    await recorder.stop(/Not recorded for lack of room +0/);
    const { different, identical, explained, differences } = await compare(file);
    assert.deepEqual([different, identical, explained], [calls.length, 0, 0]);
    const found = new Set(
      differences.map(({ binding, path, kind }) => `${binding} ${path} ${kind}`),
    );
    for (const [binding, root] of Object.entries(rootOf)) {
      for (const seed of seeded) {
        if (binding === "json" && / order$/.test(seed)) continue;
        const wanted = `${binding} ${root}${seed}`;
        const asJson = wanted.replace(/added$/, "namespace or type");
        assert.ok(found.has(wanted) || (binding === "json" && found.has(asJson)), wanted);
      }
      assert.ok(found.has(`${binding} status value`));
      // Another value, an empty one and one with white space.
      const city = differences.find((one) => one.binding === binding && /City$/.test(one.path));
      assert.equal(city?.count, 3);
    }
    note(`${different} of ${calls.length} changed responses found, ${found.size} differences`);
  },

  "log-ins, compared live, differ in their cookies alone": async (old) => {
    const added = await fixture.run(
      ["accounts", "add", "alice", "--record", "1001", "--contact", "5001"],
      { piped: password },
    );
    assert.equal(added.code, 0, added.err);
    const ours = startWfh(["serve"], { settings });
    const ourUrl = await ours.match(/"url":"([^"]*)"/);
    const proxy = await startProxy([
      "compare",
      "--old",
      old.url,
      "--ours",
      ourUrl,
      "--with-side-effects",
      "--json",
    ]);
    for (const binding of ajaxEndpoint.bindings) {
      for (const passWord of [password, "wrong"]) {
        await send(proxy.url, toCall(binding, "LogInUser", { userName: "alice", passWord }));
      }
      await send(proxy.url, toCall(binding, "TryAutoLogIn", { form_id: "12" }));
      await send(proxy.url, toCall(binding, "LogPageRequestAsync", { form_id: "12" }));
    }
    const r = JSON.parse(await proxy.stop(/^\{.*\}$/m)) as ComparisonReport;
    const cookie = ["headers/Set-Cookie", "missing", ".ASPXAUTH; httponly; path=/"];
    assert.deepEqual(
      r.differences.map(({ binding, path, kind, old: was }) => [binding, path, kind, was]),
      ajaxEndpoint.bindings.map((binding) => [binding, ...cookie]),
    );
    note(`${r.identical} identical, ${r.explained} explained, ${r.different} different`);
    await ours.kill();
  },

  "its page requests are imported once": async ({ pagesFile, readPages }) => {
    const rows = readPages().trimEnd().split("\n").length - 1;
    const read = async () => {
      const { out } = await fixture.run(["page-requests", "import", pagesFile, "--json"]);
      const { added, present, rejected } = JSON.parse(out);
      return { added, present, rejected };
    };
    assert.deepEqual(await read(), { added: rows, present: 0, rejected: 0 });
    assert.deepEqual(await read(), { added: 0, present: rows, rejected: 0 });
    note(`${rows} rows`);
  },

  "each operation goes to the new server and back, and no request fails": async (old) => {
    if (missingHaproxy !== false) return note(missingHaproxy);
    const ours = startWfh(["serve"], { settings });
    const hostOf = (url: string) => new URL(url).host;
    const hosts = { old: hostOf(old.url), ours: hostOf(await ours.match(/"url":"([^"]*)"/)) };
    const route = await startHaproxyRoute(fixture.folder, hosts);
    const { stop } = startLoad(route.url);
    const sideOf = async (call: Call) =>
      /^server: Mono/im.test(await send(route.url, call)) ? "old" : "new";
    for (const operation of [
      ...Object.keys(locationHelper.operations),
      ...Object.keys(ajaxEndpoint.operations),
    ]) {
      const parts = operation === "LogInUser" ? {} : { postalCode: "10001", countryId: "840" };
      const call = toCall("soap11", operation, parts);
      for (const side of ["new", "old"]) {
        await route.run(`set map MAP ${operation} ${side}`);
        assert.equal(await sideOf(call), side, operation);
      }
    }
    const { sent, failed } = await stop();
    assert.deepEqual(failed, []);
    note(`${sent} requests, ${failed.length} failed`);
    await route.stop();
    await ours.kill();
  },
};

test("an old server on Mono is left step by step", { skip: missingDotnet }, async (t) => {
  note = (text) => t.diagnostic(text);
  const old = await startOld(locationHelper, places);
  for (const [name, step] of Object.entries(steps)) await t.test(name, () => step(old));
});
