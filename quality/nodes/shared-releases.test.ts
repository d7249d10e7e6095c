import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { runProgram } from "@wfh/cli/program.ts";
import { openMirror, sendFiles } from "@wfh/cli/test/mirror.ts";
import {
  endServerProcess,
  program,
  secretKey,
  startServerProcess,
} from "@wfh/cli/test/wfh-process.ts";
import { zipOf } from "@wfh/cli/test/zip-file.ts";
import { quickFolder } from "@wfh/server/test/quick-folder.ts";
import { killPrograms } from "@wfh/server/test/running-program.ts";
import { startEngines, type TestDatabase } from "@wfh/server/test/store/engines.ts";
import { lockTable } from "@wfh/server/test/store/on-database.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";

after(killPrograms);

const [, postgres] = await startEngines();
const { power } = postgres;
const options = { skip: postgres.missing ?? false, timeout: 120_000 };

/** Longest time until all nodes serve what was imported, in milliseconds. */
const swapMs = 10_000;

/** Places of Ireland as GeoNames has them. */
function ireland(city: string): string {
  return `IE\tT12\t${city}\tMunster\tM\t${city}\t\t\t\t51.9\t-8.47\t\n`;
}

/** A database, a machine with commands on it, and nodes, each with a folder of its own. */
async function openDeployment(t: TestContext) {
  const folder = temporaryFolder(quickFolder);
  const database = await postgres.createDatabase();
  t.after(() => database.drop());
  const settings = join(folder, "settings.toml");
  const values = { WFH_DATABASE_URL: database.url, WFH_GAZETTEER: join(folder, "admin.gazetteer") };
  const lines = Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`);
  writeFileSync(settings, lines.join(""));
  return {
    folder,
    database,
    settings,
    fileOf: (name: string) => join(folder, `${name}.gazetteer`),
    run: async (...words: string[]) => {
      const written = { out: "", err: "" };
      const code = await runProgram([...words, "--config", settings], {
        out: (text) => {
          written.out += text;
        },
        err: (text) => {
          written.err += text;
        },
      });
      return { code, ...written };
    },
    write: (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    },
  };
}

type Deployment = Awaited<ReturnType<typeof openDeployment>>;

async function importCity(deployment: Deployment, city: string): Promise<void> {
  const file = deployment.write("IE.txt", ireland(city));
  const { code, err } = await deployment.run(
    "places",
    "import",
    "geonames",
    file,
    "--data-date",
    "2026-03-30",
  );
  assert.equal(code, 0, err);
}

async function startNode(deployment: Deployment, name: string) {
  const node = await startServerProcess({
    WFH_DATABASE_URL: deployment.database.url,
    WFH_GAZETTEER: deployment.fileOf(name),
    WFH_METRICS: "on",
  });
  const text = async (path: string) => (await fetch(node.url + path)).text();
  return {
    ...node,
    city: async () => {
      const found = await text("/api/LocationUIHelper.asmx/PostalCodeToCityState?postalCode=T12");
      return /<City>(.*)<\/City>/.exec(found)?.[1] ?? "none";
    },
    metrics: async (name: string) =>
      (await text("/metrics")).split("\n").filter((line) => line.startsWith(name)),
    end: () => endServerProcess(node),
  };
}

type Node = Awaited<ReturnType<typeof startNode>>;

/** Asks nodes until each returns the city, for as long as that may take. */
async function untilServed(city: string, nodes: readonly Node[]): Promise<void> {
  const late = AbortSignal.timeout(swapMs);
  for (const node of nodes) {
    for (;;) {
      const found = await node.city();
      if (found === city) break;
      if (late.aborted) assert.fail(`A node returns ${found} instead of ${city}`);
    }
  }
}

/** Asks nodes for their release until all have the same. */
async function untilSameRelease(nodes: readonly Node[]): Promise<readonly string[]> {
  const late = AbortSignal.timeout(swapMs);
  for (;;) {
    const infos = new Set<string>();
    for (const node of nodes) {
      for (const info of await node.metrics("wfh_gazetteer_info{")) infos.add(info);
    }
    if (infos.size === 1) return [...infos];
    if (late.aborted) assert.fail(`Nodes have different releases: ${[...infos].join(", ")}`);
  }
}

test(
  "one import serves all nodes within ten seconds, and so does a rollback",
  options,
  async (t) => {
    const deployment = await openDeployment(t);
    const nodes = [
      await startNode(deployment, "a"),
      await startNode(deployment, "b"),
      await startNode(deployment, "c"),
    ];
    for (const node of nodes) assert.equal(await node.city(), "none");
    await importCity(deployment, "Cork");
    await untilServed("Cork", nodes);
    const [info] = await untilSameRelease(nodes);
    const status = await deployment.run("places", "status", "--json");
    const data = JSON.parse(status.out);
    assert.equal(
      info,
      `wfh_gazetteer_info{release="${data.release.slice(0, 12)}",data_date="2026-03-30"} 1`,
    );
    assert.deepEqual(
      [data.source, data.builtIn, data.bytes > 1_000_000],
      ["database", false, true],
    );
    assert.match(data.currentSince, /^20\d\d-\d\d-\d\dT\S+Z$/);
    assert.deepEqual(data.previous.postalCodesByCountry, { CA: 1652, US: 42_807 });
    const shown = await deployment.run("places", "status");
    assert.match(shown.out, /^Database +postgres:\/\/\S+, [\d,]+ bytes$/m);

    assert.equal((await deployment.run("places", "rollback")).code, 0);
    await untilServed("none", nodes);
    assert.equal((await deployment.run("places", "rollback")).code, 0);
    await untilServed("Cork", nodes);
    const found = await deployment.run("lookup", "T12", "--json");
    assert.equal(JSON.parse(found.out).place.city, "Cork");
    for (const node of nodes) await node.end();
  },
);

test("a backup of only the postal codes is restored for all nodes", options, async (t) => {
  const deployment = await openDeployment(t);
  await importCity(deployment, "Cork");
  const backup = join(deployment.folder, "wfh");
  assert.equal((await deployment.run("backup", backup, "--gazetteer-only")).code, 0);
  const node = await startNode(deployment, "a");
  await importCity(deployment, "Cobh");
  await untilServed("Cobh", [node]);
  const { code, out } = await deployment.run("restore", backup);
  assert.equal(code, 0);
  assert.match(out, /^Replaced postgres:\/\/\S+$/m);
  await untilServed("Cork", [node]);
  assert.equal((await deployment.run("places", "rollback")).code, 0);
  await untilServed("Cobh", [node]);
  await node.end();
});

test("what is fetched once is known to every machine of the database", options, async (t) => {
  const deployment = await openDeployment(t);
  const march = new Date("2026-03-30T00:00:00Z");
  const files = { "IE.zip": zipOf({ name: "IE.txt", text: ireland("Cork"), day: march }) };
  const { address } = await openMirror(t, sendFiles(files));
  const words = ["places", "import", "geonames", "--fetch", "IE", "--from", address];
  assert.equal((await deployment.run(...words)).code, 0);
  const same = await deployment.run(...words);
  assert.match(same.out, /^Nothing to import into postgres:.*not changed/);
  files["IE.zip"] = zipOf({ name: "IE.txt", text: ireland("Cobh"), day: march });
  assert.equal((await deployment.run(...words)).code, 0);
  const { out } = await deployment.run("lookup", "T12", "--json");
  assert.equal(JSON.parse(out).place.city, "Cobh");
  assert.equal((await deployment.run("places", "rollback")).code, 0);
  assert.match((await deployment.run(...words)).out, /^Imported into postgres:/);
});

test("a dry run publishes nothing, and finds what an import would", options, async (t) => {
  const deployment = await openDeployment(t);
  await importCity(deployment, "Cork");
  const before = await deployment.database.query("SELECT id FROM gazetteer_releases ORDER BY id");
  const file = deployment.write("IE.txt", ireland("Cobh"));
  const { code, out } = await deployment.run("places", "import", "geonames", file, "--dry-run");
  assert.equal(code, 0);
  assert.match(
    out,
    /^Nothing was written: this was a dry run\.\n\nThis import would change postgres:\/\/\S+ to/,
  );
  assert.match(out, /Cobh/);
  assert.deepEqual(
    await deployment.database.query("SELECT id FROM gazetteer_releases ORDER BY id"),
    before,
  );
});

test(
  "a damaged artifact is refused, logged and counted, and the old release is served",
  options,
  async (t) => {
    const deployment = await openDeployment(t);
    const node = await startNode(deployment, "a");
    await importCity(deployment, "Cork");
    await untilServed("Cork", [node]);
    await publishDamaged(deployment.database, () => importCity(deployment, "Cobh"));
    const line = await node.line(({ msg }) => msg?.includes("gazetteer cannot be used") === true);
    assert.match(
      String(line["cause"]),
      /is damaged: its checksum \(SHA-256\) does not match its content/,
    );
    assert.equal(await node.city(), "Cork");
    assert.equal(
      (await node.metrics("wfh_gazetteer_refused_total"))[0],
      "wfh_gazetteer_refused_total 1",
    );
    const doctor = await deployment.run("doctor", "--json");
    const findings: { check: string; level: string }[] = JSON.parse(doctor.out).findings;
    const shared = findings.find(({ check }) => check === "postal-codes-shared");
    assert.equal(shared?.level, "problem");
    // A node that starts anew has its file, and one without serves the built-in data.
    await node.end();
    const again = await startNode(deployment, "a");
    assert.equal(await again.city(), "Cork");
    const other = await startNode(deployment, "b");
    assert.equal(await other.city(), "none");
    await importCity(deployment, "Etobicoke").catch(() => {});
    await deployment.run("places", "rollback");
    await again.end();
    await other.end();
  },
);

/** Publishes and damages a release in one transaction, so that no node sees it intact. */
async function publishDamaged(database: TestDatabase, publish: () => Promise<void>): Promise<void> {
  await database.query(`
    CREATE FUNCTION damage() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE gazetteer_release_parts
        SET content = set_byte(content, 1000, 7 # get_byte(content, 1000))
        WHERE number = 0 AND release_id = (SELECT max(id) FROM gazetteer_releases);
        RETURN NULL;
      END $$;
    CREATE CONSTRAINT TRIGGER damages AFTER UPDATE ON revisions DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION damage()`);
  await publish();
  await database.query("DROP TRIGGER damages ON revisions; DROP FUNCTION damage()");
}

test("a node without its file has the release when it listens", options, async (t) => {
  const deployment = await openDeployment(t);
  await importCity(deployment, "Cork");
  const first = await startNode(deployment, "a");
  assert.equal(await first.city(), "Cork");
  await first.end();
  rmSync(deployment.fileOf("a"));
  const second = await startNode(deployment, "a");
  assert.equal(await second.city(), "Cork");
  await second.end();
});

test("a node that starts while the database is away serves its last release", {
  ...options,
  skip: postgres.missing ?? (power === undefined ? "the server is not ours to stop" : false),
}, async (t) => {
  const deployment = await openDeployment(t);
  await importCity(deployment, "Cork");
  const first = await startNode(deployment, "a");
  await first.end();
  await power?.stop();
  const nodes = [await startNode(deployment, "a"), await startNode(deployment, "b")];
  const cities = await Promise.all(nodes.map((node) => node.city()));
  await power?.start();
  assert.deepEqual(cities, ["Cork", "none"]);
  await untilServed("Cork", nodes);
  for (const node of nodes) await node.end();
});

test("an import that is killed leaves the current release in place", options, async (t) => {
  const deployment = await openDeployment(t);
  await importCity(deployment, "Cork");
  const unlock = await lockTable(deployment.database, "revisions");
  const file = deployment.write("IE.txt", ireland("Cobh"));
  const child = spawn(
    process.execPath,
    [program, "places", "import", "geonames", file, "--config", deployment.settings],
    { env: { ...process.env, WFH_SECRET_KEYS: secretKey }, stdio: "ignore" },
  );
  const ended = once(child, "exit");
  const waits = `SELECT 1 FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND query LIKE '%update revisions%' AND datname = current_database()`;
  while ((await deployment.database.query(waits)).length === 0) {
    assert.equal(child.exitCode, null, "The import has ended");
  }
  child.kill("SIGKILL");
  await ended;
  await unlock();
  const { out } = await deployment.run("lookup", "T12", "--json");
  assert.equal(JSON.parse(out).place.city, "Cork");
  await importCity(deployment, "Cobh");
  const now = await deployment.run("lookup", "T12", "--json");
  assert.equal(JSON.parse(now.out).place.city, "Cobh");
  const releases = await deployment.database.query("SELECT id FROM gazetteer_releases");
  assert.equal(releases.length, 2);
});
