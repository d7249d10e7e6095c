import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type CliFixture, openFixture } from "./cli-fixture.ts";

async function listed(fixture: CliFixture): Promise<string> {
  return (await fixture.run(["forms", "list", "--json"])).out;
}

const columns = "id,name,applicationInstanceId,remembering,sameSite,allowsAutoLogIn,origins";
const rows = [
  '9223372036854775807,"Order, ""big"" form",3,persistent,strict,true,https://www.example.org https://shop.example.org',
  "-8,=Sales,3,persistent,strict,false,HTTPS://WWW.Example.org:443",
  "9,Grüße,4,off,lax,true,http://localhost:3000",
];
const file = `\ufeff${[columns, ...rows].join("\r\n")}\r\n`;

for (const format of ["csv", "ndjson"]) {
  test(`forms that are exported as ${format} come back as they were, once`, async (t) => {
    const one = openFixture(t);
    const other = openFixture(t);
    const dry = await one.run(["forms", "import", "-", "--dry-run"], { piped: file });
    assert.match(dry.out, /^Nothing was written: .*Would be added +Changed.* 3 +0 +0$/ms);
    assert.equal((await one.run(["forms", "list"])).code, 69, "it makes no database");
    const first = await one.run(["forms", "import", "-"], { piped: file });
    assert.equal(first.code, 0, first.err);
    assert.match(first.out, /^Added +Changed.* 3 +0 +0$/ms);
    const path = join(one.folder, "forms");
    const exported = await one.run(["forms", "export", "--format", format, "--output", path]);
    assert.deepEqual(exported, { code: 0, out: "", err: "" });
    const text = readFileSync(path, "utf8");
    assert.equal((await one.run(["forms", "export", "--format", format])).out, text);
    await other.run(["forms", "import", path]);
    assert.equal(await listed(other), await listed(one));
    assert.match(await listed(other), /"id":9223372036854775807,"name":"Order, \\"big\\" form"/);
    const again = await other.run(["forms", "import", path, "--json"]);
    assert.equal(again.out, '{"added":0,"changed":0,"unchanged":3,"dryRun":false}\n');
    assert.equal((await other.run(["forms", "export", "--format", format])).out, text);
  });
}

test("what a file does not say of a form stays, and forms it does not name too", async (t) => {
  const fixture = openFixture(t);
  await fixture.run(["forms", "import", "-"], { piped: file });
  const piped =
    "Form_Id,Name,Instance,Origins\n-8,Sales,3,https://www.example.org\n10,New,5,https://a.example\n";
  const dry = await fixture.run(["forms", "import", "-", "--dry-run"], { piped });
  assert.match(dry.out, / 1 +1 +0$/m);
  assert.doesNotMatch(await listed(fixture), /"name":"(?:New|Sales)"/);
  await fixture.run(["forms", "import", "-"], { piped });
  const now = await listed(fixture);
  assert.match(
    now,
    /"id":-8,"name":"Sales",.*"persistent","sameSite":"strict","allowsAutoLogIn":false/,
  );
  assert.match(now, /"id":10,"name":"New",.*"off","sameSite":"lax","allowsAutoLogIn":true/);
  assert.equal(now.split("\n").length - 1, 4);
});

test("a shared instance is reported", async (t) => {
  const fixture = openFixture(t);
  await fixture.run(["forms", "import", "-"], { piped: file });
  const piped = `${columns}\n-8,Sales,3,session,strict,false,https://www.example.org\n`;
  const { err } = await fixture.run(["forms", "import", "-"], { piped });
  assert.match(
    err,
    /^Application instance 3 is shared: .* 9223372036854775807 \(Order, "big" form\)\.$/m,
  );
});

test("a file with faults changes nothing, and each fault has its line", async (t) => {
  const fixture = openFixture(t);
  await fixture.run(["forms", "import", "-"], { piped: file });
  const before = await listed(fixture);
  const bad = [
    columns,
    "20,Good,6,off,lax,true,https://www.example.org",
    "0,x,6,off,lax,true,https://www.example.org",
    "21,,6,off,lax,true,https://www.example.org",
    "22,x,6,ever,lax,true,https://www.example.org",
    "23,x,6,off,Lux,true,https://www.example.org",
    "24,x,6,off,lax,perhaps,https://www.example.org",
    "25,x,6,off,lax,true,",
    "26,x,6,off,lax,true,www.example.org",
    "20,x,6,off,lax,true,https://www.example.org",
    "27,x,6,session,lax,true,https://www.example.org",
    "28,x,6,off",
  ].join("\n");
  const path = join(fixture.folder, "bad.csv");
  writeFileSync(path, bad);
  const { code, out, err } = await fixture.run(["forms", "import", path]);
  assert.deepEqual([code, out], [69, ""]);
  const messages = [
    /bad\.csv, line 3: id 0: expected a whole number/m,
    /bad\.csv, line 4: The name of the form is empty\.$/m,
    /bad\.csv, line 5: remembering ever: expected off, session or persistent\.$/m,
    /bad\.csv, line 6: sameSite lux: expected lax, strict or none\.$/m,
    /bad\.csv, line 7: allowsAutoLogIn perhaps: expected .*true.*false/m,
    /bad\.csv, line 8: origins is empty/m,
    /bad\.csv, line 9: origins www\.example\.org: expected .*https:\/\/www\.example\.org\.$/m,
    /bad\.csv, line 10: Form 20 is already on line 2\.$/m,
    /bad\.csv, line 11: remembering is session, but off on line 2\. Both .* application instance 6\.$/m,
    /bad\.csv, line 12: Expected 7 columns as in the header, found 4\.$/m,
    /\nNothing was changed\.\n$/,
  ];
  for (const message of messages) assert.match(err, message);
  assert.equal(await listed(fixture), before);
});

test("wfh forms import names the columns that a file has not", async (t) => {
  const fixture = openFixture(t);
  const { code, err } = await fixture.run(["forms", "import", "-"], { piped: "id,name\n1,x\n" });
  assert.equal(code, 69);
  assert.match(err, /the column applicationInstanceId is missing; the column origins is missing\./);
});
