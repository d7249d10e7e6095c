import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { builtInGazetteer } from "../../src/gazetteer/format/artifact.ts";
import { openGazetteer } from "../../src/gazetteer/format/reader.ts";
import { readSecretKeys } from "../../src/secrets/secret-keys.ts";
import { openLog } from "../../src/server/log.ts";
import { readConfig } from "../../src/server/settings/config.ts";
import { keyFileOf } from "../../src/server/settings/data-folder.ts";
import { openService, type ServiceDeps } from "../../src/service.ts";
import { openServiceStore } from "../../src/service-store.ts";
import { openAdmin } from "../../src/store/admin/open-admin.ts";
import { holdOpening } from "../held-database.ts";
import { soapPost } from "../soap.ts";
import { ManualClock, openTestStore } from "../store/sample.ts";
import { temporaryDatabase } from "../test-server.ts";

const gazetteer = openGazetteer(builtInGazetteer);

/** A server whose looks at the overrides come when the test says so. */
async function startNode(t: TestContext, databaseUrl: string, opened?: ServiceDeps["store"]) {
  const { config } = readConfig(undefined, { WFH_PORT: "0", WFH_DATABASE_URL: databaseUrl });
  const log = openLog("silent");
  const own = opened === undefined ? await openServiceStore(config, log) : undefined;
  const store = opened ?? own;
  assert.ok(store);
  const secretKeys = readSecretKeys({ given: config.secretKeys, file: keyFileOf(config) });
  const due: (() => void)[] = [];
  const after: ServiceDeps["after"] = (_delayMs, run) => {
    due.push(run);
    return () => due.splice(due.indexOf(run), 1);
  };
  const { url, close } = await openService({ config, gazetteer, store, secretKeys, log, after });
  t.after(async () => {
    await close();
    await own?.close();
  });
  const find = async (code: string) => {
    const address = `${url}/api/LocationUIHelper.asmx/PostalCodeToCityState?postalCode=${code}`;
    return /<City>(.*)<\/City>/.exec(await (await fetch(address)).text())?.[1] ?? "none";
  };
  return {
    url,
    find,
    close,
    /** Lets the server look; resolves when it has looked. */
    look: async (code: string) => {
      due.shift()?.();
      // The next look is due when this one is over; a call lets it go on meanwhile.
      while (due.length === 0) await find(code);
    },
  };
}

/** Two servers that share a store, since a SQLite file is open in one server alone. */
async function startNodes(t: TestContext, databaseUrl: string) {
  const { store } = await openTestStore(databaseUrl);
  t.after(() => store.close());
  return [await startNode(t, databaseUrl, store), await startNode(t, databaseUrl, store)];
}

async function openOverrides(t: TestContext, databaseUrl: string) {
  const database = await openAdmin(databaseUrl, "write", () => 0);
  const { overrides: placeOverrides } = database;
  t.after(() => database.close());
  return (key: string, city: string | null) =>
    placeOverrides.put({
      countryCode: "US",
      key,
      place: city === null ? null : { city, state: "NY" },
      note: "",
      changedAtMs: 0,
    });
}

test("an override is served by every server of its database, from its next check on", async (t) => {
  const databaseUrl = temporaryDatabase();
  const put = await openOverrides(t, databaseUrl);
  await put("10002", "Lower East Side");
  const nodes = await startNodes(t, databaseUrl);
  for (const node of nodes) {
    assert.equal(await node.find("10001"), "New York");
    assert.equal(await node.find("10002-1234"), "Lower East Side");
  }
  await put("10001", "Chelsea");
  await put("10002", null);
  for (const node of nodes) {
    await node.look("10001");
    assert.equal(await node.find("10001"), "Chelsea");
    assert.equal(await node.find("10002"), "none");
    assert.equal(await node.find("10002-1234"), "none");
  }
});

test("every binding returns an override", async (t) => {
  const databaseUrl = temporaryDatabase();
  const put = await openOverrides(t, databaseUrl);
  await put("10001", "Chelsea & Co");
  const { url } = await startNode(t, databaseUrl);
  const service = `${url}/api/LocationUIHelper.asmx`;
  const json = await fetch(`${service}/PostalCodeToCityState`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"postalCode":"10001"}',
  });
  const { d } = (await json.json()) as { d: { City: string; State: { State_id: number } } };
  assert.deepEqual([d.City, d.State.State_id], ["Chelsea & Co", 84000923]);
  const call = `<PostalCodeToCityState xmlns="http://tempuri.org/"><postalCode>10001</postalCode></PostalCodeToCityState>`;
  const soap = await fetch(service, soapPost("1.1", call));
  assert.match(await soap.text(), /<City>Chelsea &amp; Co<\/City>/);
});

test("an override changes the ETag of look-ups over REST, alike on every server", async (t) => {
  const databaseUrl = temporaryDatabase();
  const override = await openOverrides(t, databaseUrl);
  const nodes = await startNodes(t, databaseUrl);
  const readTags = () =>
    Promise.all(
      nodes.map(async ({ url }) => {
        const response = await fetch(`${url}/api/v1/places/US/10001`);
        await response.arrayBuffer();
        return response.headers.get("etag");
      }),
    );
  const [first, second] = await readTags();
  assert.equal(first, second);
  await override("10001", "Gotham");
  for (const node of nodes) await node.look("10001");
  const [changed, other] = await readTags();
  assert.notEqual(changed, first);
  assert.equal(changed, other);
});

test("a database that is still being opened holds up neither look-ups nor the end of a server", {
  timeout: 60_000,
}, async (t) => {
  const databaseUrl = temporaryDatabase();
  await (await openOverrides(t, databaseUrl))("10001", "Chelsea");
  const release = holdOpening(t, databaseUrl);
  const clock = new ManualClock();
  const opening = openTestStore(databaseUrl, { clock });
  // The time that a start waits for the database.
  await clock.scheduled();
  clock.elapse();
  const { store, up } = await opening;
  t.after(() => store.close());
  const ended = await startNode(t, databaseUrl, store);
  assert.equal(await ended.find("10001"), "New York");
  assert.equal(await ended.close(), true);
  const node = await startNode(t, databaseUrl, store);
  assert.equal(store.readiness(), "database");
  await release();
  await clock.scheduled();
  clock.elapse();
  await up;
  await node.look("10002");
  assert.equal(await node.find("10001"), "Chelsea");
});
