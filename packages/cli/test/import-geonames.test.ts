import assert from "node:assert/strict";
import { utimesSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { openPlacesFixture, postalLine } from "./places-fixture.ts";
import { zipOf } from "./zip-file.ts";

const leinster = ["Leinster", "L"] as const;
const newYork = ["New York", "NY"] as const;
const ireland =
  postalLine("IE", "D02", "Dublin", leinster) + postalLine("IE", "T12", "Cork", leinster);
const unitedStates =
  postalLine("US", "10001", "New York", newYork) + postalLine("US", "12345", "Elsewhere", newYork);
const all = ["places.gazetteer", "places.gazetteer.lock", "places.gazetteer.previous"];

test("places import geonames adds a country beside the built-in data, and reports what it did", async (t) => {
  const fixture = openPlacesFixture(t);
  const { code, out, err } = await fixture.run([
    "places",
    "import",
    "geonames",
    fixture.write("IE.txt", ireland),
  ]);
  assert.equal(code, 0);
  assert.match(out, /^Imported into .*places\.gazetteer, as of \d{4}-\d\d-\d\d:$/m);
  assert.match(out, /^Ireland \(IE\) +2 +2 +2 +0 +0 +0$/m);
  assert.match(
    err,
    /^Reading .*IE\.txt\nBuilding on 44,459 .*\nWriting .*\nVerifying it\nPutting .*\nDone/,
  );
  assert.deepEqual([fixture.cityOf("D02"), fixture.cityOf("10001")], ["Dublin", "New York"]);
  assert.deepEqual(fixture.files(), all);
});

test("a country in the files replaces the one that is served, and the losses are counted", async (t) => {
  const fixture = openPlacesFixture(t);
  await fixture.run(["places", "import", "geonames", fixture.write("IE.txt", ireland)]);
  const { code, out } = await fixture.run([
    "places",
    "import",
    "geonames",
    fixture.write("US.txt", unitedStates),
  ]);
  assert.equal(code, 0);
  assert.match(out, /^United States \(US\) +2 +2 +0 +42,805 +1 +0$/m);
  assert.match(out, /42,805 postal codes of US are no longer found.*\n.*--merge/);
  const cities = ["10001", "12345", "90210", "D02"].map(fixture.cityOf);
  assert.deepEqual(cities, ["New York", "Elsewhere", undefined, "Dublin"]);
});

test("--merge keeps the codes that the files lack", async (t) => {
  const fixture = openPlacesFixture(t);
  const file = fixture.write("US.txt", unitedStates);
  const { out } = await fixture.run(["places", "import", "geonames", file, "--merge"]);
  assert.doesNotMatch(out, /no longer found/);
  const cities = ["12345", "90210"].map(fixture.cityOf);
  assert.deepEqual(cities, ["Elsewhere", "Beverly Hills"]);
});

test("an import keeps the cities on which another source was decided to be right", async (t) => {
  const fixture = openPlacesFixture(t);
  const rows =
    postalLine("US", "92586", "Sun City", ["California", "CA"]) +
    postalLine("US", "34002", "APO AA", ["", ""]) +
    postalLine("US", "98424", "Fife Heights", ["Washington", "WA"]);
  const { code } = await fixture.run([
    "places",
    "import",
    "geonames",
    fixture.write("US.txt", rows),
  ]);
  assert.equal(code, 0);
  const cities = ["92586", "34002", "98424"].map(fixture.cityOf);
  assert.deepEqual(cities, ["Menifee", "DPO", "Fife Heights"]);
});

test("--only drops the countries that the files lack", async (t) => {
  const fixture = openPlacesFixture(t);
  await fixture.run(["places", "import", "geonames", fixture.write("IE.txt", ireland), "--only"]);
  assert.deepEqual(["D02", "10001"].map(fixture.cityOf), ["Dublin", undefined]);
});

test("the file of a territory replaces that territory, not the country", async (t) => {
  const fixture = openPlacesFixture(t);
  const puertoRico = postalLine("PR", "00601", "Somewhere", ["Adjuntas", "001"]);
  const { out } = await fixture.run([
    "places",
    "import",
    "geonames",
    fixture.write("PR.txt", puertoRico),
  ]);
  assert.match(out, /^United States \(US\) /m);
  const cities = ["00601", "00602", "10001", "00802"].map(fixture.cityOf);
  assert.deepEqual(cities, ["Somewhere", undefined, "New York", "St. Thomas"]);
});

test("--dry-run shows what would change by country, with examples, and writes nothing", async (t) => {
  const fixture = openPlacesFixture(t);
  const file = fixture.write("US.txt", unitedStates);
  const { code, out } = await fixture.run(["places", "import", "geonames", file, "--dry-run"]);
  assert.equal(code, 0);
  assert.match(out, /^Nothing was written: this was a dry run\.$/m);
  assert.match(out, /^United States \(US\) +2 +2 +0 +42,805 +1 +0$/m);
  assert.match(out, /US 12345 +Schenectady, NY -> Elsewhere, NY/);
  assert.deepEqual(fixture.files(), []);
});

test("--json is one object for scripts, --quiet says nothing", async (t) => {
  const fixture = openPlacesFixture(t);
  const bad =
    `${ireland}IE\t\tNowhere\tLeinster\tL\t\t\t\t\t1\t2\t\n`.repeat(1) + ireland.repeat(60);
  const file = fixture.write("IE.txt", bad);
  const reported = await fixture.run([
    "places",
    "import",
    "geonames",
    file,
    "--json",
    "--data-date",
    "2026-03-30",
  ]);
  const report = JSON.parse(reported.out);
  assert.equal(reported.code, 0);
  assert.deepEqual(
    [report.dryRun, report.dataDate, report.badLines.count, report.badLines.first[0].line],
    [false, "2026-03-30", 1, 3],
  );
  const [found] = report.countries;
  assert.deepEqual([found.code, found.codes, found.added, found.removed], ["IE", 2, 2, 0]);
  assert.deepEqual(found.examples[0].before, null);
  const { code, out, err } = await fixture.run(["places", "import", "geonames", file, "--quiet"]);
  assert.deepEqual([code, out, err], [0, "", ""]);
});

test("several files are one import; one that is wrong leaves all as it was", async (t) => {
  const fixture = openPlacesFixture(t);
  const files = [fixture.write("IE.txt", ireland), fixture.write("XX.txt", "no table at all\n")];
  const wrong = await fixture.run(["places", "import", "geonames", ...files]);
  assert.equal(wrong.code, 69);
  assert.match(wrong.err, /XX\.txt.*\nNothing was changed/);
  assert.deepEqual(fixture.files(), ["places.gazetteer.lock"]);
  const right = [files[0] ?? "", fixture.write("US.txt", unitedStates)];
  assert.equal((await fixture.run(["places", "import", "geonames", ...right])).code, 0);
  assert.deepEqual(["D02", "12345"].map(fixture.cityOf), ["Dublin", "Elsewhere"]);
});

const march = new Date("2026-03-30T00:00:00Z");
const gzip = gzipSync(ireland);
gzip.writeUInt32LE(march.getTime() / 1_000, 4);
const packings: readonly [string, string | Uint8Array, string][] = [
  ["plain text", ireland, "unknown"],
  ["a gzip", gzip, "2026-03-30"],
  ["a zip", zipOf({ name: "IE.txt", text: ireland, day: march }), "2026-03-30"],
];
for (const [what, bytes, dataDate] of packings) {
  test(`places import geonames reads ${what} from standard input, and its day where it has one`, async (t) => {
    const fixture = openPlacesFixture(t);
    assert.equal(
      (await fixture.run(["places", "import", "geonames", "-", "--only", "--quiet"], bytes)).code,
      0,
    );
    assert.equal(fixture.cityOf("T12"), "Cork");
    const { out } = await fixture.run(["places", "status", "--json"]);
    const source = JSON.parse(out).sources.at(-1);
    assert.deepEqual([source.name, source.dataDate ?? "unknown"], ["standard input", dataDate]);
  });
}

test("the day of the data is that of the file where nothing else says it", async (t) => {
  const fixture = openPlacesFixture(t);
  const file = fixture.write("IE.txt", ireland);
  utimesSync(file, march, march);
  const { out } = await fixture.run(["places", "import", "geonames", file, "--only"]);
  assert.match(out, /as of 2026-03-30:/);
});

const usageErrors: readonly [string, readonly string[], RegExp][] = [
  ["nothing to read", [], /no input to read.*\n.*pipe one in/],
  ["standard input twice", ["-", "-"], /given only once/],
  [
    "a day that does not exist",
    ["-", "--data-date", "2026-02-30"],
    /--data-date 2026-02-30.*such as/,
  ],
];
for (const [what, words, message] of usageErrors) {
  test(`places import geonames refuses ${what}`, async (t) => {
    const fixture = openPlacesFixture(t);
    const { code, err } = await fixture.run(["places", "import", "geonames", ...words]);
    assert.equal(code, 2);
    assert.match(err, message);
  });
}

const wrongFiles: readonly [string, string, string | Uint8Array, RegExp][] = [
  ["a gzip that was cut off", "IE.txt.gz", gzipSync(ireland).subarray(0, -9), /truncated/],
  ["columns separated by commas", "IE.txt", ireland.replaceAll("\t", ","), /tab/],
];
for (const [what, name, content, message] of wrongFiles) {
  test(`places import geonames refuses ${what}, names the file, and leaves what is served`, async (t) => {
    const fixture = openPlacesFixture(t);
    await fixture.run(["places", "import", "geonames", fixture.write("IE.txt", ireland), "--only"]);
    const { code, out, err } = await fixture.run([
      "places",
      "import",
      "geonames",
      fixture.write(name, content),
    ]);
    assert.equal(code, 69);
    assert.equal(out, "");
    assert.match(err, message);
    assert.match(err, new RegExp(name.replaceAll(".", "\\.")));
    assert.doesNotMatch(err, /^\s+at /m);
    assert.equal(fixture.cityOf("D02"), "Dublin");
    assert.deepEqual(fixture.files(), all);
  });
}

const unreadable: readonly [file: string, message: RegExp][] = [
  ["/nowhere/IE.zip", /^Folder not found: \/nowhere\.$/m],
  ["/IE.zip", /^File not found: \/IE\.zip\.$/m],
  ["/proc/self/mem/IE.zip", /^File not found: .*IE\.zip \(a part of its path is a file/m],
  ["/proc", /^\/proc is a folder: name a file\.$/m],
];
for (const [file, message] of unreadable) {
  test(`places import geonames ${file} says why the file cannot be read`, async (t) => {
    const fixture = openPlacesFixture(t);
    const { code, err } = await fixture.run(["places", "import", "geonames", file]);
    assert.match(err, message);
    assert.match(err, /Nothing was changed/);
    assert.equal(code, 69);
  });
}

test("--fresh builds on the built-in data where what is served cannot be read", async (t) => {
  const fixture = openPlacesFixture(t);
  const file = fixture.write("IE.txt", ireland);
  fixture.write("places.gazetteer", "not a gazetteer");
  const refused = await fixture.run(["places", "import", "geonames", file]);
  assert.equal(refused.code, 69);
  assert.match(refused.err, /is not a gazetteer.*\n.*--fresh/);
  assert.equal((await fixture.run(["places", "import", "geonames", file, "--fresh"])).code, 0);
  assert.deepEqual(["D02", "10001"].map(fixture.cityOf), ["Dublin", "New York"]);
});

test("places rollback goes back and forth, and says what is served now", async (t) => {
  const fixture = openPlacesFixture(t);
  const none = await fixture.run(["places", "rollback"]);
  assert.equal(none.code, 69);
  assert.match(none.err, /no previous release/);
  await fixture.run(["places", "import", "geonames", fixture.write("IE.txt", ireland), "--quiet"]);
  const back = await fixture.run(["places", "rollback"]);
  assert.match(
    back.out,
    /^Now served from .*places\.gazetteer: 44,459 postal codes \(CA, US\), as of/,
  );
  assert.equal(fixture.cityOf("D02"), undefined);
  const forth = await fixture.run(["places", "rollback", "--json"]);
  assert.deepEqual(JSON.parse(forth.out).postalCodesByCountry, { CA: 1652, IE: 2, US: 42_807 });
  assert.equal(fixture.cityOf("D02"), "Dublin");
});

test("places status shows file, sources, countries and what a rollback would bring", async (t) => {
  const fixture = openPlacesFixture(t);
  const before = await fixture.run(["places", "status"]);
  assert.match(
    before.out,
    /gazetteer\.bin \(built-in\).*\nRelease +[0-9a-f]{12}\nContents +44,459 .*\nOverrides +none\n.*no import yet/,
  );
  assert.match(before.err, /WFH_GAZETTEER names \S+places\.gazetteer, which does not exist/);
  await fixture.run([
    "places",
    "import",
    "geonames",
    fixture.write("IE.txt", ireland),
    "--data-date",
    "2026-03-30",
  ]);
  const { code, out } = await fixture.run(["places", "status"]);
  assert.equal(code, 0);
  assert.match(out, /^File +.*places\.gazetteer, [\d,]+ bytes$/m);
  assert.match(out, /^Release +[0-9a-f]{12}, current since 20\d\d-\S+Z$/m);
  assert.match(out, /^Contents +44,461 postal codes \(CA, IE, US\), as of 2026-03-30$/m);
  assert.match(out, /^Previous +44,459 postal codes \(CA, US\).*rollback/m);
  assert.match(out, /IE\.txt +geonames +20\S+ \d\d:\d\d +2026-03-30 +IE$/m);
  assert.match(out, /^Ireland \(IE\) +2 +0$/m);
});
