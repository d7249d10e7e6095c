import assert from "node:assert/strict";
import { utimesSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { zipOf } from "../gazetteer/zip-file.ts";
import { openPlacesFixture, postalLine } from "./places-fixture.ts";

const ontario = ["Ontario", "ON"] as const;
const newYork = ["New York", "NY"] as const;
const canada =
  postalLine("CA", "K1A", "Ottawa", ontario) + postalLine("CA", "M5V", "Toronto", ontario);
const unitedStates =
  postalLine("US", "10001", "New York", newYork) + postalLine("US", "12345", "Elsewhere", newYork);
const all = ["places.gazetteer", "places.gazetteer.lock", "places.gazetteer.previous"];

test("import geonames adds a country beside the built-in data, and reports what it did", async (t) => {
  const fixture = openPlacesFixture(t);
  const { code, out, err } = await fixture.run([
    "import",
    "geonames",
    fixture.write("CA.txt", canada),
  ]);
  assert.equal(code, 0);
  assert.match(out, /^Imported into .*places\.gazetteer, as of \d{4}-\d\d-\d\d:$/m);
  assert.match(out, /^Canada \(CA\) +2 +2 +2 +0 +0 +0$/m);
  assert.match(
    err,
    /^Reading .*CA\.txt\nBuilding on 42,745 .*\nWriting .*\nVerifying it\nPutting .*\nDone/,
  );
  assert.deepEqual([fixture.cityOf("K1A"), fixture.cityOf("10001")], ["Ottawa", "New York"]);
  assert.deepEqual(fixture.files(), all);
});

test("a country in the files replaces the one that is served, and the losses are counted", async (t) => {
  const fixture = openPlacesFixture(t);
  await fixture.run(["import", "geonames", fixture.write("CA.txt", canada)]);
  const { code, out } = await fixture.run([
    "import",
    "geonames",
    fixture.write("US.txt", unitedStates),
  ]);
  assert.equal(code, 0);
  assert.match(out, /^United States \(US\) +2 +2 +0 +42,743 +1 +0$/m);
  assert.match(out, /42,743 postal codes of US are no longer found.*\n.*--merge/);
  const cities = ["10001", "12345", "90210", "K1A"].map(fixture.cityOf);
  assert.deepEqual(cities, ["New York", "Elsewhere", undefined, "Ottawa"]);
});

test("--merge keeps the codes that the files lack", async (t) => {
  const fixture = openPlacesFixture(t);
  const file = fixture.write("US.txt", unitedStates);
  const { out } = await fixture.run(["import", "geonames", file, "--merge"]);
  assert.doesNotMatch(out, /no longer found/);
  const cities = ["12345", "90210"].map(fixture.cityOf);
  assert.deepEqual(cities, ["Elsewhere", "Beverly Hills"]);
});

test("--only drops the countries that the files lack", async (t) => {
  const fixture = openPlacesFixture(t);
  await fixture.run(["import", "geonames", fixture.write("CA.txt", canada), "--only"]);
  assert.deepEqual(["K1A", "10001"].map(fixture.cityOf), ["Ottawa", undefined]);
});

test("the file of a territory replaces that territory, not the country", async (t) => {
  const fixture = openPlacesFixture(t);
  const puertoRico = postalLine("PR", "00601", "Somewhere", ["Adjuntas", "001"]);
  const { out } = await fixture.run(["import", "geonames", fixture.write("PR.txt", puertoRico)]);
  assert.match(out, /^United States \(US\) /m);
  const cities = ["00601", "00602", "10001", "00802"].map(fixture.cityOf);
  assert.deepEqual(cities, ["Somewhere", undefined, "New York", "St. Thomas"]);
});

test("--dry-run shows what would change by country, with examples, and writes nothing", async (t) => {
  const fixture = openPlacesFixture(t);
  const file = fixture.write("US.txt", unitedStates);
  const { code, out } = await fixture.run(["import", "geonames", file, "--dry-run"]);
  assert.equal(code, 0);
  assert.match(out, /^Nothing was written\./);
  assert.match(out, /^United States \(US\) +2 +2 +0 +42,743 +1 +0$/m);
  assert.match(out, /US 12345 +Schenectady, NY -> Elsewhere, NY/);
  assert.deepEqual(fixture.files(), []);
});

test("--json is one object for scripts, --quiet says nothing", async (t) => {
  const fixture = openPlacesFixture(t);
  const bad = `${canada}CA\t\tNowhere\tOntario\tON\t\t\t\t\t1\t2\t\n`.repeat(1) + canada.repeat(60);
  const file = fixture.write("CA.txt", bad);
  const reported = await fixture.run([
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
  assert.deepEqual([found.code, found.codes, found.added, found.removed], ["CA", 2, 2, 0]);
  assert.deepEqual(found.examples[0].before, null);
  const { code, out, err } = await fixture.run(["import", "geonames", file, "--quiet"]);
  assert.deepEqual([code, out, err], [0, "", ""]);
});

test("several files are one import; one that is wrong leaves all as it was", async (t) => {
  const fixture = openPlacesFixture(t);
  const files = [fixture.write("CA.txt", canada), fixture.write("XX.txt", "no table at all\n")];
  const wrong = await fixture.run(["import", "geonames", ...files]);
  assert.equal(wrong.code, 3);
  assert.match(wrong.err, /XX\.txt.*\nNothing was changed/);
  assert.deepEqual(fixture.files(), ["places.gazetteer.lock"]);
  const right = [files[0] ?? "", fixture.write("US.txt", unitedStates)];
  assert.equal((await fixture.run(["import", "geonames", ...right])).code, 0);
  assert.deepEqual(["K1A", "12345"].map(fixture.cityOf), ["Ottawa", "Elsewhere"]);
});

const march = new Date("2026-03-30T00:00:00Z");
const gzip = gzipSync(canada);
gzip.writeUInt32LE(march.getTime() / 1_000, 4);
const packings: readonly [string, string | Uint8Array, string][] = [
  ["plain text", canada, "unknown"],
  ["a gzip", gzip, "2026-03-30"],
  ["a zip", zipOf("CA.txt", canada, march), "2026-03-30"],
];
for (const [what, bytes, dataDate] of packings) {
  test(`import geonames reads ${what} from standard input, and its day where it has one`, async (t) => {
    const fixture = openPlacesFixture(t);
    assert.equal(
      (await fixture.run(["import", "geonames", "-", "--only", "--quiet"], bytes)).code,
      0,
    );
    assert.equal(fixture.cityOf("M5V"), "Toronto");
    const { out } = await fixture.run(["data", "status", "--json"]);
    const source = JSON.parse(out).sources.at(-1);
    assert.deepEqual([source.name, source.dataDate ?? "unknown"], ["standard input", dataDate]);
  });
}

test("the day of the data is that of the file where nothing else says it", async (t) => {
  const fixture = openPlacesFixture(t);
  const file = fixture.write("CA.txt", canada);
  utimesSync(file, march, march);
  const { out } = await fixture.run(["import", "geonames", file, "--only"]);
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
  test(`import geonames refuses ${what}`, async (t) => {
    const fixture = openPlacesFixture(t);
    const { code, err } = await fixture.run(["import", "geonames", ...words]);
    assert.equal(code, 2);
    assert.match(err, message);
  });
}

const wrongFiles: readonly [string, string, string | Uint8Array, RegExp][] = [
  ["a gzip that was cut off", "CA.txt.gz", gzipSync(canada).subarray(0, -9), /truncated/],
  ["columns separated by commas", "CA.txt", canada.replaceAll("\t", ","), /tab/],
  [
    "Latin-1",
    "FR.txt",
    Buffer.from(postalLine("FR", "27000", "Évreux", ["Eure", "27"]), "latin1"),
    /UTF-8/,
  ],
  [
    "the gazetteer dump",
    "CA.txt",
    `${"1\tx\tx\t\t4.5\t5.5\tP\tPPL\tCA\t\t\t\t\t\t0\t\t1\tAmerica\t2020-01-01"}\n`,
    /dump/,
  ],
  ["an empty file", "CA.txt", "", /empty/],
];
for (const [what, name, content, message] of wrongFiles) {
  test(`import geonames refuses ${what}, names the file, and leaves what is served`, async (t) => {
    const fixture = openPlacesFixture(t);
    await fixture.run(["import", "geonames", fixture.write("CA.txt", canada), "--only"]);
    const { code, out, err } = await fixture.run([
      "import",
      "geonames",
      fixture.write(name, content),
    ]);
    assert.equal(code, 3);
    assert.equal(out, "");
    assert.match(err, message);
    assert.match(err, new RegExp(name.replaceAll(".", "\\.")));
    assert.doesNotMatch(err, /^\s+at /m);
    assert.equal(fixture.cityOf("K1A"), "Ottawa");
    assert.deepEqual(fixture.files(), all);
  });
}

const unreadable: readonly [file: string, message: RegExp][] = [
  ["/nowhere/CA.zip", /^Folder not found: \/nowhere\.$/m],
  ["/CA.zip", /^File not found: \/CA\.zip\.$/m],
  ["/proc/self/mem/CA.zip", /^File not found: .*CA\.zip \(a part of its path is a file/m],
  ["/proc", /^\/proc is a folder: name a file\.$/m],
];
for (const [file, message] of unreadable) {
  test(`import geonames ${file} says why the file cannot be read`, async (t) => {
    const fixture = openPlacesFixture(t);
    const { code, err } = await fixture.run(["import", "geonames", file]);
    assert.match(err, message);
    assert.match(err, /Nothing was changed/);
    assert.equal(code, 3);
  });
}

test("--fresh builds on the built-in data where what is served cannot be read", async (t) => {
  const fixture = openPlacesFixture(t);
  const file = fixture.write("CA.txt", canada);
  fixture.write("places.gazetteer", "not a gazetteer");
  const refused = await fixture.run(["import", "geonames", file]);
  assert.equal(refused.code, 3);
  assert.match(refused.err, /is not a gazetteer.*\n.*--fresh/);
  assert.equal((await fixture.run(["import", "geonames", file, "--fresh"])).code, 0);
  assert.deepEqual(["K1A", "10001"].map(fixture.cityOf), ["Ottawa", "New York"]);
});

test("import rollback goes back and forth, and says what is served now", async (t) => {
  const fixture = openPlacesFixture(t);
  const none = await fixture.run(["import", "rollback"]);
  assert.equal(none.code, 3);
  assert.match(none.err, /no previous release/);
  await fixture.run(["import", "geonames", fixture.write("CA.txt", canada), "--quiet"]);
  const back = await fixture.run(["import", "rollback"]);
  assert.match(back.out, /^Now served from .*places\.gazetteer: 42,745 postal codes \(US\), as of/);
  assert.equal(fixture.cityOf("K1A"), undefined);
  const forth = await fixture.run(["import", "rollback", "--json"]);
  assert.deepEqual(JSON.parse(forth.out).postalCodesByCountry, { CA: 2, US: 42_745 });
  assert.equal(fixture.cityOf("K1A"), "Ottawa");
});

test("data status shows file, sources, countries and what a rollback would bring", async (t) => {
  const fixture = openPlacesFixture(t);
  const before = await fixture.run(["data", "status"]);
  assert.match(
    before.out,
    /gazetteer\.bin \(built-in\).*\nRelease +[0-9a-f]{12}\nContents +42,745 .*\nOverrides +none\n.*no import yet/,
  );
  assert.match(before.err, /WFH_GAZETTEER names \S+places\.gazetteer, which does not exist/);
  await fixture.run([
    "import",
    "geonames",
    fixture.write("CA.txt", canada),
    "--data-date",
    "2026-03-30",
  ]);
  const { code, out } = await fixture.run(["data", "status"]);
  assert.equal(code, 0);
  assert.match(out, /^File +.*places\.gazetteer, [\d,]+ bytes$/m);
  assert.match(out, /^Release +[0-9a-f]{12}, current since 20\d\d-\S+Z$/m);
  assert.match(out, /^Contents +42,747 postal codes \(CA, US\), as of 2026-03-30$/m);
  assert.match(out, /^Previous +42,745 postal codes \(US\).*rollback/m);
  assert.match(out, /CA\.txt +geonames +20\S+ \d\d:\d\d +2026-03-30 +CA$/m);
  assert.match(out, /^Canada \(CA\) +2 +0$/m);
});
