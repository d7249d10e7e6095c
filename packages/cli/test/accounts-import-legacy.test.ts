import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { PasswordHasher } from "@wfh/server/secrets/password-hashing.ts";
import { readConfig } from "@wfh/server/server/settings/config.ts";
import { checkDatabase } from "@wfh/server/store/database-checks.ts";
import { checkKeys } from "../src/commands/doctor/areas.ts";
import { openFixture } from "./cli-fixture.ts";

const secret = "clear-text-of-mallory";
const identity = Buffer.alloc(49).toString("base64");
const users = `Record_Id,UserName,Password,PasswordFormat
1,ada,${identity},1
2,bob,${secret},0
3,cyd,c2VjcmV0,2
4,dan,NULL,1
5,eve,md5:900150983cd24fb0d6963f7d28e17f72,
6,fay,${identity},9
0,gus,,0
`;

function openPlace(t: TestContext) {
  const fixture = openFixture(t);
  const importUsers = (piped: string, ...words: readonly string[]) =>
    fixture.run(["accounts", "import", "-", ...words], { piped });
  return { ...fixture, importUsers };
}

test("accounts without a usable hash are imported for the old server to verify, if told so", async (t) => {
  const { run, importUsers, databaseFile } = openPlace(t);
  const refused = await importUsers(users, "--dry-run", "--json");
  assert.equal(JSON.parse(refused.out).rejected, 6);
  const { code, out } = await importUsers(users, "--without-hash", "legacy");
  assert.equal(code, 1);
  assert.match(out, /^legacy-log-in +5$/m);
  assert.match(out, /^bad-id +1$/m);
  assert.match(out, /^ +6 +0 +0 +1 +7$/m);
  const { out: listed } = await run(["accounts", "list"]);
  for (const name of ["bob", "cyd", "dan", "eve", "fay"]) {
    assert.match(listed, new RegExp(`${name} +enabled +verified by the old server at the first`));
  }
  assert.match(listed, /ada +enabled +Argon2id|ada +enabled +ASP\.NET Identity/);
  assert.equal(readFileSync(databaseFile).includes(secret), false);
});

test("the same file changes nothing, also once a password is hashed here; a hash in a later file counts", async (t) => {
  const { importUsers, run, databaseFile } = openPlace(t);
  const names = "id,name\n2,bob\n3,cyd\n";
  assert.match((await importUsers(names)).err, /the column PasswordHash is missing/);
  const words = ["--without-hash", "legacy", "--json"];
  assert.equal(JSON.parse((await importUsers(names, ...words)).out).added, 2);
  // What the server stores when the old one has said yes.
  const record = await new PasswordHasher({ hashesAtOnce: 1 }).hash("a new heron");
  const database = new DatabaseSync(databaseFile);
  database
    .prepare("UPDATE accounts SET hash = ?, hash_form = ? WHERE record_id = 2")
    .run(record, "argon2id/v=19,m=19456,t=2,p=1");
  database.close();
  assert.equal(JSON.parse((await importUsers(names, ...words)).out).unchanged, 2);
  assert.match((await run(["accounts", "list"])).out, /bob +enabled +Argon2id/);
  const later = `id,name,hash\n3,cyd,${identity}\n`;
  assert.equal(JSON.parse((await importUsers(later, ...words)).out).changed, 1);
  assert.match((await run(["accounts", "list"])).out, /cyd +enabled +ASP\.NET Identity/);
});

test("doctor tells of accounts that need the old server, and when the setting can go", async (t) => {
  const { importUsers, databaseUrl, folder } = openPlace(t);
  const check = async (legacyUrl: string) => {
    const settings = {
      WFH_DATABASE_URL: databaseUrl,
      WFH_KEY_FILE: join(folder, "office.key"),
      WFH_LEGACY_LOGIN_URL: legacyUrl,
    };
    const { config } = readConfig(undefined, settings);
    const { facts } = await checkDatabase(config.databaseUrl);
    const findings = await checkKeys(config, facts);
    const found = findings.filter((one) => one.check === "log-ins-at-old-server");
    return JSON.stringify(found);
  };
  const url = "https://old.example.org/Service.svc";
  await importUsers(`id,name,hash\n1,ada,${identity}\n`);
  assert.equal(await check(""), "[]");
  assert.match(await check(url), /No account needs the old server.*unset WFH_LEGACY_LOGIN_URL/);
  await importUsers("id,name\n2,bob\n", "--without-hash", "legacy");
  assert.match(await check(""), /"problem".*1 account has a password.*set WFH_LEGACY_LOGIN_URL/);
  assert.match(await check(url), /"ok".*old\.example\.org is asked at the first log-in/);
});

const addresses: readonly [url: string, isAllowed: boolean][] = [
  ["https://old.example.org/Service.asmx", true],
  ["http://localhost:8080/api/x.svc", true],
  ["http://10.1.2.3/x.svc", true],
  ["http://172.31.0.1/x.svc", true],
  ["http://[fd00::1]/x.svc", true],
  ["http://old.example.org/x.svc", false],
  ["http://10.example.org/x.svc", false],
  ["http://172.32.0.1/x.svc", false],
  ["http://8.8.8.8/x.svc", false],
  ["https://user:pw@old.example.org/x.svc", false],
  ["https://old.example.org/x.svc?a=1", false],
  ["ftp://localhost/x", false],
];
for (const [url, isAllowed] of addresses) {
  test(`WFH_LEGACY_LOGIN_URL ${isAllowed ? "may be" : "cannot be"} ${url}`, () => {
    const read = () => readConfig(undefined, { WFH_LEGACY_LOGIN_URL: url });
    if (isAllowed) assert.equal(read().config.legacyLogInUrl, url);
    else assert.throws(read, /WFH_LEGACY_LOGIN_URL.*https:\/\/ address/s);
  });
}
