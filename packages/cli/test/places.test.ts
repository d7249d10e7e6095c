import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { after, test } from "node:test";
import { openCliFixture, openFixture } from "./cli-fixture.ts";

const finnish = ["00790", "--country", "FI"];
const helsinki = ["places", "override", ...finnish, "--city", "Helsinki", "--state", "uusimaa"];

test("an override is added, listed, applied and removed", async (t) => {
  const fixture = openFixture(t);
  const list = async () =>
    (await fixture.run(["places", "list", "--json"])).out
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));

  const added = await fixture.run([...helsinki, "--note", "users asked"]);
  assert.equal(added.code, 0);
  assert.match(added.out, /^00790 +not found +Helsinki, Uusimaa \(18\), Finland$/m);
  assert.match(added.out, /^FI:00790 +not found +Helsinki, /m);
  assert.match(added.err, /within two seconds/);
  const [{ changedAt, ...override }] = await list();
  assert.match(changedAt, /^\d{4}-\d\d-\d\dT.*Z$/);
  assert.deepEqual(override, {
    postalCode: "00790",
    countryCode: "FI",
    city: "Helsinki",
    state: "18",
    stateAbbreviation: "18",
    stateName: "Uusimaa",
    stateId: 24600083,
    counts: true,
    note: "users asked",
  });

  const found = await fixture.run(["lookup", "fi-00790"]);
  assert.match(found.out, /^fi-00790 +Helsinki +Uusimaa \(18\) +Finland \(FI\) +Europe$/m);
  const again = await fixture.run([...helsinki, "--note", "users asked"]);
  assert.equal(again.code, 0);
  assert.match(again.err, /^Nothing changed: the same override exists already\.$/m);

  const removed = await fixture.run(["places", "remove", ...finnish]);
  assert.equal(removed.code, 0);
  assert.match(removed.out, /^00790 +Helsinki, Uusimaa \(18\), Finland +not found$/m);
  assert.deepEqual(await list(), []);
  const twice = await fixture.run(["places", "remove", ...finnish]);
  assert.equal(twice.code, 1);
  assert.match(twice.err, /No override for 00790 in Finland \(FI\).*wfh places list/);
  assert.match((await fixture.run(["places", "list"])).out, /No overrides.*places override --help/);
});

test("a dry run shows the difference, and neither it nor a look-up makes a database", async (t) => {
  const fixture = openFixture(t);
  const { code, out, err } = await fixture.run([...helsinki, "--dry-run"]);
  assert.equal(code, 0);
  assert.match(out, /^00790 +not found +Helsinki, /m);
  assert.match(err, /^Nothing was written/m);
  await fixture.run(["lookup", "00790"]);
  await fixture.run(["places", "list"]);
  assert.equal(existsSync(fixture.databaseFile), false);
  await fixture.run(helsinki);
  await fixture.run(["places", "remove", ...finnish, "--dry-run"]);
  assert.match((await fixture.run(["places", "list"])).out, /^00790 +FI +Helsinki/m);
});

test("the state may be left out where the code has a place", async (t) => {
  const fixture = openFixture(t);
  const { out } = await fixture.run([
    "places",
    "override",
    "93675",
    "--country",
    "United States",
    "--city",
    "Yokuts Valley",
  ]);
  assert.match(
    out,
    /^93675 +Yokuts, California .* +Yokuts Valley, California \(CA\), United States$/m,
  );
});

test("a code that is no place is not found, nor is a part of it", async (t) => {
  const fixture = openFixture(t);
  await fixture.run(["places", "override", "10048", "--country", "USA", "--not-found"]);
  const { code, out } = await fixture.run(["lookup", "10048", "10048-1234", "10001"]);
  assert.equal(code, 1);
  assert.match(out, /^10048 +not found\n10048-1234 +not found\n10001 +New York /m);
  assert.match((await fixture.run(["places", "list"])).out, /^10048 +US +not found/m);
});

test("precedence still decides over the code alone", async (t) => {
  const fixture = openFixture(t);
  const { out } = await fixture.run([
    "places",
    "override",
    "10001",
    "--country",
    "DE",
    "--city",
    "Berlin",
    "--state",
    "BE",
  ]);
  assert.match(out, /^10001 +New York, .* +New York, /m);
  assert.match(out, /^DE:10001 +not found +Berlin, Berlin \(BE\), Germany$/m);
});

test("a prefix that the data has and people leave out is added", async (t) => {
  const fixture = openFixture(t);
  const riga = ["--country", "LV", "--city", "Rīga", "--state", "RIX"];
  await fixture.run(["places", "override", "1010", ...riga]);
  const { out } = await fixture.run(["lookup", "LV-1010", "lv1010", "1010", "LV:1010"]);
  assert.equal(out.match(/Rīga/g)?.length, 4);
});

test("wfh places list shows one country, and which overrides have no effect", async (t) => {
  const fixture = openFixture(t);
  await fixture.run(helsinki);
  await fixture.run(["places", "override", "1", "--country", "US", "--city", "X", "--state", "NY"]);
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(fixture.databaseFile);
  database.exec("UPDATE place_overrides SET state = 'ZZ' WHERE country_code = 'US'");
  database.close();
  const { out, err } = await fixture.run(["places", "list", "--country", "us"]);
  assert.match(out, /^1 +US +X +ZZ, unknown/m);
  assert.doesNotMatch(out, /Helsinki/);
  assert.match(err, /^1 override has no effect/m);
});

const fixture = openCliFixture();
after(() => fixture.close());

const refusals: readonly [words: readonly string[], message: RegExp][] = [
  [["1", "--city", "X"], /required option '--country/],
  [
    ["1", "--country", "Finlnd", "--city", "X"],
    /^--country Finlnd: .* Choose from: Finland \(FI\)$/m,
  ],
  [["1", "--country", "FI"], /^Set the place with --city and --state/],
  [["1", "--country", "FI", "--city", "X"], /^--state is needed: .*Uusimaa \(18\)/],
  [["1", "--country", "FI", "--city", "X", "--state", "Usimaa"], /Choose from: Uusimaa \(18\)$/m],
  [
    ["1", "--country", "FI", "--city", "X", "--not-found"],
    /cannot be combined with --city or --state/,
  ],
  [["1", "--country", "FI", "--city", " ", "--state", "18"], /^--city is empty/],
  [["1", "--country", "FI", "--city", "x".repeat(181), "--state", "18"], /longer than 180/],
  [
    ["1", "--country", "FI", "--city", "a\u001b", "--state", "18"],
    /^--city "a\\u001b" contains invisible characters/,
  ],
  [["?!", "--country", "FI", "--not-found"], /no letter A-Z and no digit/],
  [["1".repeat(13), "--country", "FI", "--not-found"], /more than 12 letters and digits/],
  [["1".repeat(21), "--country", "FI", "--not-found"], /longer than 20 characters/],
  [["DE:1", "--country", "FI", "--not-found"], /a code of DE, but the country is FI/],
  [["1", "--country", "FI", "--not-found", "--note", "x".repeat(501)], /^--note is longer/],
];
for (const [words, message] of refusals) {
  test(`wfh places override ${words.join(" ").slice(0, 60)} is refused`, async () => {
    const { code, out, err } = await fixture.run(["places", "override", ...words]);
    assert.match(err, message);
    assert.equal(code, 2);
    assert.equal(out, "");
  });
}

test("a database that cannot be read stops places, and is a warning to lookup", async (t) => {
  const broken = openFixture(t);
  writeFileSync(broken.databaseFile, "this is no database ".repeat(100));
  const list = await broken.run(["places", "list"]);
  assert.equal(list.code, 69);
  assert.match(list.err, /Check WFH_DATABASE_URL/);
  const found = await broken.run(["lookup", "10001"]);
  assert.equal(found.code, 0);
  assert.match(found.out, /New York/);
  assert.match(found.err, /^Warning: overrides are not applied\. /);
});

test("wfh lookup --explain tells the way, and what an override has replaced", async (t) => {
  const place = openFixture(t);
  await place.run([
    "places",
    "override",
    "02108",
    "--country",
    "US",
    "--city",
    "Beacon Hill",
    "--note",
    "as residents say",
  ]);
  const { code, out } = await place.run(["lookup", "02108-1234", "--explain"]);
  assert.equal(code, 0);
  assert.match(out, /Read as +02108-1234, key 021081234$/m);
  assert.match(out, /^ +3 format +021081234 +US +not found /m);
  assert.match(out, /^ +3 format +02108 +US +found /m);
  assert.match(
    out,
    /1 +United States \(US\) +Beacon Hill, Massachusetts \(MA\) +override +result$/m,
  );
  assert.match(out, /Boston, Massachusetts \(MA\) +data +overridden$/m);
  assert.match(out, /Note: as residents say/);
  assert.match(out, /Source +GeoNames US.txt, .*2026-03-30$/m);
  assert.match(out, /^ +Result +Beacon Hill, /m);
});

test("wfh lookup --explain tells why a code was not found", async () => {
  const { code, out } = await fixture.run(["lookup", "DE 10001", "", "--explain"]);
  assert.equal(code, 1);
  assert.match(out, /^ +4 exact +DE10001 +all +not found /m);
  assert.match(out, /^ +5 hint +10001 +DE +not found /m);
  assert.match(out, /Countries that have 10001.*United States \(US\) +New York, /s);
  assert.match(out, /Read as +not a postal code$/m);
});
