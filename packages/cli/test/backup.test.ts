import assert from "node:assert/strict";
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { formIdsIn, openFixture, startOn } from "./cli-fixture.ts";
import { openUsedFixture } from "./doctor-fixture.ts";

const password = "mild otter paints a fence";

/** Requests that are on their way at the same time. */
const callers = 8;

function call(url: string, operation: string, body: object): Promise<Response> {
  return fetch(`${url}/api/WebFormsAjaxEndpoint.svc/${operation}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** Logs page requests until it is stopped; each has a form id of its own, from 1. */
function keepLogging(url: string) {
  const acknowledged: number[] = [];
  let last = 0;
  let isOver = false;
  const work = Array.from({ length: callers }, async () => {
    while (!isOver) {
      last += 1;
      const id = last;
      const response = await call(url, "LogPageRequestAsync", { form_id: id });
      await response.arrayBuffer();
      if (response.ok) acknowledged.push(id);
    }
  });
  return {
    acknowledged,
    stop: async () => {
      isOver = true;
      await Promise.all(work);
    },
  };
}

function onlyDrafts(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => name.includes(".tmp"));
}

test("a backup of a server that is writing has all it acknowledged, and a restored server goes on", async (t) => {
  const fixture = openFixture(t);
  await fixture.run(["accounts", "add", "bob", "--contact", "4711"], { piped: password });
  const server = await startOn(fixture);
  const load = keepLogging(server.url);
  while (load.acknowledged.length < 100) await call(server.url, "LogPageRequestAsync", {});
  const before = [...load.acknowledged];
  const file = join(fixture.folder, "wfh");
  const made = await fixture.run(["backup", file]);
  await load.stop();
  await server.close();
  assert.deepEqual({ ...made, out: "", err: "" }, { code: 0, out: "", err: "" }, made.err);
  assert.match(
    made.out,
    /^database\.sqlite +\S+ \w+ +1 account, 0 forms, 0 sessions, [\d,]+ page/m,
  );
  assert.match(made.err, /^The backup does not include the key file \S+office\.key/);
  assert.ok(load.acknowledged.length > before.length);

  const other = openFixture(t);
  const restored = await other.run(["restore", file]);
  assert.equal(restored.code, 0, restored.err);
  const ids = formIdsIn(other);
  assert.deepEqual(
    before.filter((id) => !ids.has(id)),
    [],
  );
  assert.equal(statSync(other.databaseFile).mode & 0o777, 0o600);
  assert.deepEqual([...onlyDrafts(fixture.folder), ...onlyDrafts(other.folder)], []);

  const second = await startOn(other);
  t.after(() => second.close());
  const response = await call(second.url, "LogInUser", { userName: "bob", passWord: password });
  assert.deepEqual(await response.json(), {
    d: { Contact_Id: 4711, ErrorMessage: null, Record_Id: 1, Success: true },
  });
  assert.equal((await call(second.url, "LogPageRequestAsync", {})).status, 200);
});

test("a backup is a folder for its owner only, and replaces nothing", async (t) => {
  const fixture = await openUsedFixture(t);
  const folder = join(fixture.folder, "wfh");
  const { code, out } = await fixture.run(["backup", folder, "--json"]);
  assert.equal(code, 0);
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  const names = ["database.sqlite", "gazetteer.bin", "manifest.json"];
  assert.deepEqual(readdirSync(folder).toSorted(), names);
  for (const name of names) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600);
  const manifest = readFileSync(join(folder, "manifest.json"), "utf8");
  const { database } = JSON.parse(manifest);
  assert.equal(database.rows.page_requests, 1);
  assert.deepEqual(JSON.parse(out).database, database);
  assert.deepEqual(
    readdirSync(fixture.folder).filter((name) => /-wal|-shm|\.tmp/.test(name)),
    [],
  );

  const refused = await fixture.run(["backup", folder]);
  assert.equal(refused.code, 69);
  assert.match(refused.err, /^\S+wfh already exists\.\nChoose another name\.\n$/);
  assert.equal(readFileSync(join(folder, "manifest.json"), "utf8"), manifest);
});

test("the key is in a backup only when it is asked for, and comes back readable by its owner", async (t) => {
  const fixture = openFixture(t);
  await fixture.run(["accounts", "add", "bob"], { piped: password });
  const file = join(fixture.folder, "wfh");
  const missing = await fixture.run(["backup", file, "--include-keys"]);
  assert.match(missing.err, /the key file \S+office\.key does not exist/);
  assert.equal(existsSync(file), false);
  await (await startOn(fixture)).close();
  assert.equal((await fixture.run(["backup", file, "--include-keys"])).code, 0);

  const other = openFixture(t);
  const dry = await other.run(["restore", file, "--dry-run"]);
  assert.match(dry.out, /Would create \S+office\.db\nWould create \S+office\.key\n/);
  assert.deepEqual(readdirSync(other.folder), ["settings.toml"]);
  assert.equal((await other.run(["restore", file])).code, 0);
  const key = join(other.folder, "office.key");
  assert.deepEqual(readFileSync(key), readFileSync(join(fixture.folder, "office.key")));
  assert.equal(statSync(key).mode & 0o777, 0o600);
});

test("PostgreSQL is left to pg_dump, and only its postal codes are backed up", async (t) => {
  const fixture = openFixture(t);
  const settings = join(fixture.folder, "settings.toml");
  writeFileSync(
    settings,
    'WFH_DATABASE_URL = "postgres://bob:hush@db.example.org/forms?sslmode=no-verify&sslrootcert=/etc/ca.pem&max=3"\n',
  );
  const file = join(fixture.folder, "wfh");
  const { code, err } = await fixture.run(["backup", file]);
  assert.equal(code, 69);
  assert.match(
    err,
    /^ {2}pg_dump --format=custom --file=\S+wfh\.dump --dbname='postgres:\/\/bob@db\.example\.org\/forms\?sslmode=require&sslrootcert=%2Fetc%2Fca\.pem'$/m,
  );
  assert.match(err, /^ {2}sudo -u postgres pg_dump --format=custom --file=\S+wfh\.dump forms$/m);
  assert.doesNotMatch(err, /hush/);
  writeFileSync(settings, 'WFH_DATABASE_URL = "postgres://bob:hush@db.example.org/forms"\n');
  const shared = await fixture.run(["backup", file, "--gazetteer-only"]);
  assert.equal(shared.code, 69);
  assert.match(shared.err, /db\.example\.org.*\nCheck WFH_DATABASE_URL/);
  appendFileSync(settings, 'WFH_GAZETTEER_RELEASES = "file"\n');
  assert.equal((await fixture.run(["backup", file, "--gazetteer-only"])).code, 0);
  assert.equal((await fixture.run(["restore", file])).code, 0);

  const used = await openUsedFixture(t);
  const whole = join(used.folder, "whole");
  await used.run(["backup", whole]);
  const refused = await fixture.run(["restore", whole]);
  assert.match(
    refused.err,
    /contains a SQLite database, but WFH_DATABASE_URL is postgres:\/\/db\.example/,
  );
});

test("a backup without a database says so, and leaves nothing behind", async (t) => {
  const fixture = openFixture(t);
  const { code, err } = await fixture.run(["backup", join(fixture.folder, "wfh")]);
  assert.equal(code, 69);
  assert.match(err, /^The database \S+office\.db does not exist, .*\nCheck WFH_DATABASE_URL/);
  assert.deepEqual(readdirSync(fixture.folder), ["settings.toml"]);
});

test("a damaged database is not backed up", async (t) => {
  const fixture = await openUsedFixture(t);
  const bytes = readFileSync(fixture.databaseFile);
  for (let page = 8_192; page < bytes.length; page += 4_096) bytes.fill(7, page, page + 64);
  writeFileSync(fixture.databaseFile, bytes);
  const { code, err } = await fixture.run(["backup", join(fixture.folder, "wfh")]);
  assert.equal(code, 69);
  assert.match(err, /^No backup \S+wfh was made: .*(?:malformed|damaged)/);
  assert.deepEqual(
    readdirSync(fixture.folder).filter((name) => name.includes("wfh")),
    [],
  );
});
