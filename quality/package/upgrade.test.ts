import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { runWfh, startWfh, type WfhProcess } from "@wfh/cli/test/wfh-process.ts";
import { quickFolder } from "@wfh/server/test/quick-folder.ts";
import { killPrograms } from "@wfh/server/test/running-program.ts";
import {
  cookieOf,
  type Outcome,
  overJson,
  type Parts,
  send,
  withFields,
} from "@wfh/server/test/server/log-in-calls.ts";
import { readText, root } from "@wfh/server/test/source-files.ts";
import { type Engine, startEngines } from "@wfh/server/test/store/engines.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";

// `version-0.1/` has what a server of version 0.1 (commit 8507fddc) left: databases as SQL of
// `sqlite3 .dump` and `pg_dump --inserts`, key, releases of postal codes, a backup, settings, and
// what that version printed of them. `sealed.sql` brings the accounts back to where they were
// before its `wfh accounts wrap`. `release-0.1.0/` is of that release, for the tests of packages.

const fixture = "quality/package/version-0.1";
const settingsFile = "settings.toml";

/** Accounts of the old server: a password of its own, and three with imported hashes. */
const accounts = {
  ada: { password: "a quiet heron by the lake", recordId: 7n, contactId: 4711n },
  // bcrypt, hashed anew at a log-in.
  bob: { password: "a quiet heron by the lake", recordId: 21n, contactId: 4712n },
  // ASP.NET Identity 3.
  carol: { password: "seven pale lanterns", recordId: 22n, contactId: -(2n ** 63n) },
  // ASP.NET Membership with SHA-1; disabled.
  dave: { password: "the tin boat returns", recordId: 2n ** 53n + 1n, contactId: 4714n },
} as const;

after(killPrograms);
const engines = await startEngines();

/** Data of a server of version 0.1 in a folder, with the program of this version. */
interface Installation {
  readonly folder: string;
  /** Text of a file of the fixture. */
  old(name: string): string;
  /** Runs SQL on the database. */
  sql(text: string): Promise<unknown>;
  wfh(...words: readonly string[]): Promise<string>;
  /** Starts the server; resolves to its address. */
  serve(): Promise<{ readonly url: string; readonly server: WfhProcess }>;
}

/** Writes the data of version 0.1 into a new folder and an empty database. */
async function install(engine: Engine): Promise<Installation> {
  const folder = temporaryFolder(quickFolder);
  const files = `${fixture}/${engine.name === "SQLite" ? "sqlite" : "postgres"}`;
  const old = (name: string) => readText(`${files}/${name}`);
  writeFileSync(join(folder, "wfh.key"), old("keys.txt"), { mode: 0o600 });
  copyFileSync(join(root, fixture, settingsFile), join(folder, settingsFile));
  let settings = {};
  let sql: Installation["sql"];
  if (engine.name === "SQLite") {
    copyFileSync(join(root, files, "places.bin"), join(folder, "places.gazetteer"));
    copyFileSync(
      join(root, files, "places-previous.bin"),
      join(folder, "places.gazetteer.previous"),
    );
    sql = async (text) => {
      const database = new DatabaseSync(join(folder, "wfh.db"));
      database.exec(text);
      database.close();
    };
  } else {
    const { url, query, drop } = await engine.createDatabase();
    after(drop);
    settings = { WFH_DATABASE_URL: url };
    sql = query;
  }
  await sql(old("database.sql"));
  // The sessions were used a moment ago, whenever the test runs.
  const times = ["created_at", "rotated_at", "used_at", "idle_until", "absolute_until"];
  const [, latest = ""] = /"lastLogInAt":"([^"]+)"/.exec(old("accounts.ndjson")) ?? [];
  const moved = times.map((time) => `${time} = ${time} + ${Date.now() - Date.parse(latest)}`);
  await sql(`UPDATE sessions SET ${moved.join(", ")}`);
  // Its failed log-ins came from the address that the log-ins of the test come from.
  await sql("DELETE FROM log_in_counters WHERE key LIKE 'network:%'");
  const options = { cwd: folder, settings };
  return {
    folder,
    old,
    sql,
    wfh: (...words) => runWfh([...words, "--config", settingsFile], options),
    serve: async () => {
      const server = startWfh(["serve", "--config", settingsFile], options);
      return { server, url: await server.match(/"url":"([^"]+)".*"msg":"listening"/) };
    },
  };
}

/** Place of a response over REST. */
interface Place {
  readonly city: string;
  readonly state: { readonly id: number };
}

/** Removes the setting that version 0.1 had and this one refuses. */
function removeWorkers({ folder }: Installation): void {
  const text = readText(`${fixture}/${settingsFile}`).replace(/^WFH_WORKERS.*\n/m, "");
  writeFileSync(join(folder, settingsFile), text);
}

/** Calls an operation of log-ins from the page of form 7. */
function callFromForm(url: string, operation: string, parts: Parts, cookie = "") {
  const call = overJson.call(operation, parts);
  const origin = ["Origin", "https://www.example.org"] as const;
  return send(url, withFields(call, origin, ["Cookie", cookie]));
}

/** Logs in with the password that an account had in the old version. */
async function logIn(url: string, userName: keyof typeof accounts): Promise<Outcome> {
  const passWord = accounts[userName].password;
  return overJson.read(await callFromForm(url, "LogInUser", { userName, passWord }));
}

/** Cities of a postal code of the US, with the IDs of their states: `["Chelsea 36"]`. */
async function placesOf(url: string, code: string): Promise<readonly string[]> {
  const response = await fetch(`${url}/api/v1/places/US/${code}`);
  const { places = [] } = (await response.json()) as { places?: readonly Place[] };
  return places.map(({ city, state }) => `${city} ${state.id}`);
}

for (const engine of engines) {
  const skip = engine.missing ?? false;

  test(`${engine.name}: what version 0.1 had and this one lacks gets a message with the way`, {
    skip,
  }, async () => {
    const installation = await install(engine);
    const { old, wfh, sql } = installation;
    assert.match(
      await wfh("serve"),
      /WFH_WORKERS \(settings\.toml\): workers are gone; remove this, .*web-forms-helper\.socket/,
    );
    assert.match(
      await wfh("migrate", "route", "routes.toml"),
      /is gone: HAProxy .*docs\/route\.md/,
    );
    removeWorkers(installation);

    await sql("CREATE TABLE hashed AS SELECT record_id, hash, hash_form FROM accounts");
    await sql(old("sealed.sql"));
    for (const command of ["serve", "doctor"]) {
      assert.match(await wfh(command), /3 of its accounts .* sealed.*wfh accounts wrap of/s);
    }
    assert.match(
      await wfh("doctor"),
      /The schema has version 11; the server upgrades it to \d+ at/,
    );
    await sql(`
      UPDATE accounts SET (hash, hash_form) =
        (SELECT hash, hash_form FROM hashed WHERE hashed.record_id = accounts.record_id)`);
    await sql("DROP TABLE hashed");
    const { server } = await installation.serve();
    await server.kill();
  });

  test(`${engine.name}: an upgrade from version 0.1 keeps all data`, { skip }, async () => {
    const installation = await install(engine);
    const { old, wfh, serve } = installation;
    removeWorkers(installation);
    const { url, server } = await serve();
    const events = old("events.ndjson")
      .replace('"network-held"', '"network-blocked"')
      .replace('"attempts-forgotten"', '"attempts-reset"')
      .replaceAll("}\n", ',"operator":null}\n');
    assert.equal(await wfh("accounts", "events", "--json"), events);
    assert.equal(await wfh("accounts", "list", "--json"), old("accounts.ndjson"));
    assert.equal(await wfh("forms", "export"), old("forms.csv"));
    assert.equal(await wfh("places", "list", "--json"), old("overrides.ndjson"));
    assert.equal(
      await wfh("page-requests", "export", "--format", "ndjson"),
      old("page-requests.ndjson"),
    );

    assert.deepEqual(await placesOf(url, "10001"), ["Chelsea 36", "New York 36"]);
    assert.deepEqual(await placesOf(url, "92586"), ["Menifee 84000492"]);
    assert.deepEqual(await placesOf(url, "10048"), []);
    assert.match(await wfh("lookup", "90210"), /Beverly Hills/);
    await wfh("places", "rollback");
    assert.match(await wfh("lookup", "90210"), /Hollywood/);

    const { ada, bob, bobNext } = JSON.parse(old("cookies.json"));
    const ids = { form_id: 7, applicationInstance_id: 3 };
    const remembered = await callFromForm(url, "TryAutoLogIn", ids, ada);
    assert.equal(overJson.read(remembered).recordId, 7n);
    // The successor of Bob's cookie is in a box that only the key opens.
    const rotated = await callFromForm(url, "TryAutoLogIn", ids, bob);
    assert.equal(cookieOf(rotated), bobNext);

    assert.equal((await logIn(url, "dave")).isSuccess, false);
    await wfh("accounts", "enable", "dave");
    for (const name of ["ada", "bob", "carol", "dave"] as const) {
      const { recordId, contactId } = await logIn(url, name);
      assert.deepEqual({ password: accounts[name].password, recordId, contactId }, accounts[name]);
    }
    await server.kill();
  });
}

test("a backup of version 0.1 is refused with the command that unpacks it, and is then restored", async () => {
  const [sqlite] = engines;
  const installation = await install(sqlite ?? assert.fail());
  const { folder, old, sql, wfh, serve } = installation;
  removeWorkers(installation);
  const archive = readFileSync(join(root, fixture, "sqlite/backup.tar.gz"));
  writeFileSync(join(folder, "old.tar"), gunzipSync(archive));
  await sql("DELETE FROM page_requests");
  const refusal = await wfh("restore", "old.tar", "--force");
  const [, command = ""] = /Unpack one that version 0\.1 made: (.*)\.\n/.exec(refusal) ?? [];
  execFileSync("sh", ["-c", command.replaceAll("<folder>", "old")], { cwd: folder });
  await wfh("restore", "old", "--force");
  const { server } = await serve();
  const stored = await wfh("page-requests", "export", "--format", "ndjson");
  assert.equal(stored, old("page-requests.ndjson"));
  await server.kill();
});
