import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { header, openImportFixture } from "./import-fixture.ts";

test("custom rows and ids win everywhere, and go with the table that brought them", async (t) => {
  const { importPlaces, find } = openImportFixture(t);
  const first = await importPlaces([
    "Country_id,POSTAL CODE,city,stateAbbreviation,countryCode,state-id,stateName,preferred,continentId,countryAlias",
    "1,10001,New York,ny,us,36,New York State,,7,USofA",
    ",10001,Chelsea,NY,US,36,,Yes,,",
    '2,K1A 0B1,"Ottawa, ""the"" capital",ON,CA,,,,,',
  ]);
  assert.equal(first.code, 0, first.err);
  assert.match(first.out, /^CA +1 +1 +0 +0\nUS +1 +1 +0 +0$/m);
  assert.match(first.out, /^state US-NY +84000923, New York +36, New York State$/m);
  assert.match(first.out, /^country US +840, United States, USA +1, United States, USofA$/m);
  assert.match(first.out, /^continent NA +3, North America +7, North America$/m);
  const chelsea = await find("10001");
  assert.equal(chelsea?.city, "Chelsea");
  assert.equal((await find("k1a0b1"))?.city, 'Ottawa, "the" capital');
  // A place of the built-in data has the ids too.
  const buffalo = await find("14201");
  assert.deepEqual(buffalo?.state, chelsea?.state);
  assert.deepEqual([buffalo?.state.id, buffalo?.state.name], [36, "New York State"]);
  assert.deepEqual([buffalo?.state.country.id, buffalo?.state.country.alias], [1, "USofA"]);
  assert.equal(buffalo?.state.country.continent.id, 7);
  assert.equal((await find("90210"))?.state.id, 84000492);

  const second = await importPlaces([`${header},stateId`, "90210,Hollywood,CA,US,5"]);
  assert.match(second.out, /^US +1 +1 +1 +0\nCA +0 +0 +1 +0$/m);
  assert.match(second.out, /^state US-NY +36, New York State +84000923, New York$/m);
  assert.equal((await find("10001"))?.city, "New York");
  assert.equal((await find("14201"))?.state.id, 84000923);
  assert.equal((await find("14201"))?.state.country.id, 840);
  assert.equal((await find("94105"))?.state.id, 5);
  assert.equal(await find("k1a0b1"), null);

  const last = await importPlaces([header]);
  assert.equal(last.code, 0, last.err);
  assert.match(last.out, /^US +0 +0 +1 +0$/m);
  assert.equal((await find("90210"))?.city, "Beverly Hills");
  assert.equal((await find("90210"))?.state.id, 84000492);
});

test("imported places are marked as such, and a rollback removes them", async (t) => {
  const { importPlaces, run, find } = openImportFixture(t);
  await importPlaces([header, "10001,Chelsea,NY,US"]);
  const { out } = await run(["lookup", "10001", "--explain"]);
  assert.match(
    out,
    /1 +United States \(US\) +Chelsea, New York \(NY\) +custom places +result, preferred$/m,
  );
  assert.match(out, /^ +New York, New York \(NY\) +data$/m);
  assert.match(out, /^ +Source +custom places .*places\.csv \(US\), imported 20/m);
  assert.equal((await run(["places", "rollback"])).code, 0);
  assert.equal((await find("10001"))?.city, "New York");
});

test("the same ids may change places within one table", async (t) => {
  const { importPlaces, find } = openImportFixture(t);
  const { code, err } = await importPlaces([
    `${header},stateId`,
    "10001,New York,NY,US,84000492",
    "90210,Beverly Hills,CA,US,84000923",
  ]);
  assert.equal(code, 0, err);
  assert.equal((await find("14201"))?.state.id, 84000492);
  assert.equal((await find("94105"))?.state.id, 84000923);
});

test("unknown states and countries are added when the table says enough", async (t) => {
  const { importPlaces, find } = openImportFixture(t);
  const { code, err } = await importPlaces([
    `${header},stateName,stateId,stateActive,countryId,countryName,continentCode,continentId,continentName,countryActive`,
    "1,Eins,LONGCODE,US,Region of ours,,,,,,,,",
    "2,Two,ZZ,US,,-7,no,,,,,,",
    "3,Three,AB,QQ,,11,,10000,Queendom,XX,77,Nowhere,false",
    "4,Four,,SM,San Marino City,,,,,,,,",
  ]);
  assert.equal(code, 0, err);
  const one = await find("1");
  assert.deepEqual([one?.state.abbreviation, one?.state.name], ["LONGCODE", "Region of ours"]);
  assert.equal(Math.floor((one?.state.id ?? 0) / 100_000), 840);
  assert.deepEqual([(await find("2"))?.state.id, (await find("2"))?.state.active], [-7, false]);
  const { country } = (await find("3"))?.state ?? {};
  assert.deepEqual([country?.id, country?.name, country?.active], [10000, "Queendom", false]);
  assert.deepEqual(country?.continent, { id: 77, code: "XX", name: "Nowhere" });
  assert.equal((await find("4"))?.state.name, "San Marino City");
});

test("custom rows, ids and names stay when postal files are imported, which go by standard ones", async (t) => {
  const { importPlaces, run, find } = openImportFixture(t);
  const { err } = await importPlaces([
    `${header},stateId,stateName,countryId`,
    "10115,Own Berlin,BE,DE,5,Home,10000",
    "99998,Own Town,OWN,DE,6,Own State,",
  ]);
  assert.match(err, /^Done/m);
  const lines = [
    ["10115", "Berlin", "Berlin", "BE"],
    ["10117", "Berlin", "Berlin", "BE"],
    ["99999", "Somewhere", "A region without a state", "QQ"],
  ].map(([code, city, region, admin1]) => {
    return ["DE", code, city, region, admin1, "", "", "", "", "52", "13", "4"].join("\t");
  });
  const imported = await run(["places", "import", "geonames"], { piped: `${lines.join("\n")}\n` });
  assert.equal(imported.code, 0, imported.err);
  const own = await find("10115");
  const berlin = await find("10117");
  const made = await find("99999");
  assert.deepEqual([own?.city, own?.state.id], ["Own Berlin", 5]);
  assert.deepEqual([berlin?.city, berlin?.state], ["Berlin", own?.state]);
  assert.deepEqual([made?.state.name, made?.state.country.id], ["A region without a state", 10000]);
  assert.equal(Math.floor((made?.state.id ?? 0) / 100_000), 276);
  assert.equal((await find("99998"))?.state.id, 6);

  await importPlaces([header]);
  const berlinAgain = await find("10117");
  assert.deepEqual([berlinAgain?.state.id, berlinAgain?.state.name], [27600459, "Berlin"]);
  assert.equal((await find("10115"))?.city, "Berlin");
  assert.equal((await find("99999"))?.state.id, made?.state.id);
  assert.equal((await find("99999"))?.state.country.id, 276);
  assert.equal(await find("99998"), null);
});

test("a region that an import makes gets the next id when the custom table has given its id away", async (t) => {
  const { importPlaces, run, find } = openImportFixture(t);
  const region = (code: string) =>
    `DE\t${code}\tSomewhere\tA region without a state\tQQ\t\t\t\t\t52\t13\t4\n`;
  await run(["places", "import", "geonames"], { piped: region("99999") });
  const free = (await find("99999"))?.state.id ?? 0;
  await importPlaces([`${header},stateId`, `10001,New York,NY,US,${free}`], "--fresh");
  for (const code of ["99998", "99999"]) {
    const { code: exitCode, err } = await run(["places", "import", "geonames"], {
      piped: region(code),
    });
    assert.equal(exitCode, 0, err);
    assert.deepEqual((await find(code))?.state.name, "A region without a state");
    assert.equal((await find(code))?.state.id, free + 1);
    assert.equal((await find("10001"))?.state.id, free);
  }
});

test("a country named by the custom table gives that name to the codes without a region", async (t) => {
  const { importPlaces, run, find } = openImportFixture(t);
  await importPlaces([`${header},countryName`, "2196,Sandton,GP,ZA,Our Africa"]);
  const line = "ZA\t0002\tPretoria\t\t\t\t\t\t\t-25.7\t28.2\t\n";
  const { code, err } = await run(["places", "import", "geonames"], { piped: line });
  assert.equal(code, 0, err);
  assert.deepEqual((await find("ZA:0002"))?.state.name, "Our Africa");
});

test("a postal code may name the country of its row, as in a look-up", async (t) => {
  const { importPlaces, find } = openImportFixture(t);
  const { code, err } = await importPlaces([header, "us:10002,Lower East Side,NY,US"]);
  assert.equal(code, 0, err);
  assert.equal((await find("10002"))?.city, "Lower East Side");
});

test("rows that are not active are not returned, and the first of equal ones is", async (t) => {
  const { importPlaces, find } = openImportFixture(t);
  const { out } = await importPlaces([
    `${header},active,stateId`,
    "10001,Nowhere,NY,US,0,36",
    "10002,First,NY,US,,",
    "10002,Second,NY,US,1,",
    "10002,Second,NY,US,true,",
    "2108,Boston,MA,US,,",
  ]);
  assert.equal((await find("10001"))?.city, "New York");
  assert.equal((await find("10001"))?.state.id, 36);
  assert.equal((await find("10002"))?.city, "First");
  assert.match(out, /^1 row is inactive/m);
  assert.match(out, /^1 row repeats an earlier one/m);
  assert.match(out, /^Warning: 1 US code has fewer than five digits, the first on line 6/m);
});

test("a dry run shows what changes where the names of places are equal", async (t) => {
  const { importPlaces } = openImportFixture(t);
  const rows = [`${header},stateId`, "90210,Beverly Hills,CA,US,6", "14201,Buffalo,NY,US,"];
  const states = await importPlaces(rows, "--dry-run");
  const was = "state 84000492, California";
  const is = "state 6, California";
  const changed = `US 90210 +Beverly Hills, CA \\(${was}\\) -> Beverly Hills, CA \\(${is}\\)`;
  assert.match(states.out, new RegExp(`^ +${changed}$`, "m"));
  assert.doesNotMatch(states.out, /Buffalo/);
  const country = [`${header},countryId,countryActive`, "14201,Buffalo,NY,US,1,no"];
  const { out } = await importPlaces(country, "--dry-run");
  assert.match(out, /Boston, MA \(country 840, United States, USA\) -> Boston, MA \(country 1, /);
});

test("a dry run shows all and writes nothing; --json and --quiet say it for scripts", async (t) => {
  const { importPlaces, gazetteer, find } = openImportFixture(t);
  const before = readFileSync(gazetteer);
  const lines = [`${header},stateId`, "10001,Chelsea,NY,US,36", "99999,New,NY,US,"];
  const { code, out } = await importPlaces(lines, "--dry-run");
  assert.equal(code, 0);
  assert.match(out, /^Nothing was written/);
  assert.match(out, /^ +US 10001 +New York, NY -> Chelsea, NY$/m);
  assert.match(out, /^ +US 99999 +not found -> New, NY$/m);
  const json = JSON.parse((await importPlaces(lines, "--dry-run", "--json")).out);
  const [{ examples, ...counts }] = json.customCodes;
  assert.deepEqual(counts, { code: "US", added: 2, removed: 0, changed: 0, unchanged: 0 });
  assert.deepEqual(examples.length, 2);
  assert.deepEqual(json.identities, [
    {
      kind: "state",
      label: "US-NY",
      before: { id: 84000923, name: "New York", active: true },
      after: { id: 36, name: "New York", active: true },
    },
  ]);
  assert.equal(json.lookUps[0].added, 1);
  assert.deepEqual(readFileSync(gazetteer), before);
  assert.equal(existsSync(`${gazetteer}.previous`), false);
  const quiet = await importPlaces(lines, "--quiet");
  assert.deepEqual(quiet, { code: 0, out: "", err: "" });
  assert.equal((await find("10001"))?.city, "Chelsea");
  const again = JSON.parse((await importPlaces(lines, "--json")).out);
  assert.deepEqual(again.customCodes, [
    { code: "US", added: 0, removed: 0, changed: 0, unchanged: 2, examples: [] },
  ]);
  assert.deepEqual([again.identities, again.lookUps], [[], []]);
});

test("a table may come from standard input, packed, with a mark and line ends of Windows", async (t) => {
  const { run, find, importBytes } = openImportFixture(t);
  const text = `\ufeff${header}\r\n\r\n10001,"Chel\r\nsea",NY,US\r\n`;
  const piped = await run(["places", "import", "table", "-"], { piped: text });
  assert.equal(piped.code, 0, piped.err);
  assert.equal((await find("10001"))?.city, "Chel sea");
  const json =
    '{"postalCode": "10001", "city": "Tribeca", "stateAbbreviation": "NY", "countryCode": "US"}\n';
  assert.equal((await run(["places", "import", "table", "-"], { piped: json })).code, 0);
  assert.equal((await find("10001"))?.city, "Tribeca");
  await importBytes(gzipSync(text.replace("Chel", "Dover")));
  assert.equal((await find("10001"))?.city, "Dover sea");
});
