import assert from "node:assert/strict";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

import { locationNamespace } from "@wfh/server/test/test-server.ts";
import {
  addressOf,
  getPlace,
  harvest,
  openHarvestFixture,
  outputOf,
  startImported,
  startWithPlaces,
} from "./harvest-fixture.ts";

/** Ids as an old table numbers them. Continent 2 and country 4 are Africa and Afghanistan here. */
const oldTable = `postalCode,city,stateAbbreviation,countryCode,stateId,stateName,countryId,countryName,countryAlias,continentId,continentName
10001,Manhattan,NY,US,36,New York State,4,United States of America,USA,2,N. America
94105,San Francisco,CA,US,6,California,,,,,
0,Cairo,C,EG,,,,,,200,
0,Kabul,KAB,AF,,,4000,,,,
`;

/** Codes that the sample of the old server has, by its table. */
function codesOf(path: string): readonly string[] {
  const lines = readFileSync(`${path}.responses`, "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line).postalCode);
}

describe("a harvest", () => {
  test("prints its plan in a dry run, and asks nothing", async (t) => {
    const fixture = openHarvestFixture(t);
    const words = ["migrate", "harvest", "--from", "http://old.invalid/a.asmx", "--dry-run"];
    const { code, out } = await fixture.run([...words, "--output", outputOf(fixture)]);
    assert.equal(code, 0);
    assert.match(out, /^Would ask for \d{3} codes, 3 minutes at 4 a second\.$/m);
  });

  test("over SOAP has the same places, without continents", async (t) => {
    const old = await startWithPlaces(t, oldTable);
    const fixture = openHarvestFixture(t);
    const settings = `WFH_LOCATION_NAMESPACE = '${locationNamespace}'\n`;
    appendFileSync(join(fixture.folder, "settings.toml"), settings);
    const words = ["--sample", "1", "--binding", "soap11"];
    const { result } = await harvest(fixture, addressOf(old), ...words);
    assert.deepEqual(result.failed, []);
    const table = readFileSync(outputOf(fixture), "utf8");
    assert.match(table, /,NY,36,New York State,true,US,4,United States of America,USA,true,NA,,$/m);
  });

  test("asks for codes of the countries that are served, and of no others", async (t) => {
    const old = await startWithPlaces(t, oldTable);
    const fixture = openHarvestFixture(t);
    appendFileSync(join(fixture.folder, "settings.toml"), "WFH_COUNTRIES = 'CA'\n");
    const { result } = await harvest(fixture, addressOf(old), "--sample", "20");
    const states = result.states.map(({ state }) => state).filter((state) => state !== "none");
    assert.equal(states.length, 13);
    for (const state of states) assert.match(state, /^CA-/);
  });

  test("sweeps the states whose sample has another place, and no others", async (t) => {
    // The code in the middle of those of Guam, for which the sample asks.
    const old = await startWithPlaces(
      t,
      "postalCode,city,stateAbbreviation,countryCode\n96919,Agana Hts,GU,US\n",
    );
    const fixture = openHarvestFixture(t);
    const sample = await harvest(fixture, addressOf(old), "--sample", "1");
    const asked = sample.askedOf("US-GU");
    const swept = await harvest(fixture, addressOf(old), "--sample", "1", "--sweep");
    assert.ok(swept.askedOf("US-GU") > asked);
    assert.equal(swept.askedOf("US-NY"), 1);
  });

  test("that is imported unedited makes our responses equal to the old ones", async (t) => {
    const old = await startWithPlaces(t, oldTable);
    const fixture = openHarvestFixture(t);
    const first = await harvest(fixture, addressOf(old), "--sample", "40");
    assert.equal(first.code, 1);
    const table = outputOf(fixture);
    const imported = await fixture.run(["places", "import", "table", table]);
    assert.deepEqual(
      { code: imported.code, err: imported.err.includes("line") },
      { code: 0, err: false },
    );
    const ours = await startImported(t, fixture);
    for (const code of codesOf(table)) {
      assert.equal(await getPlace(ours, code), await getPlace(old, code), code);
    }
    const requests = old.lookUps();
    assert.ok(requests > 100);
    const again = await harvest(fixture, addressOf(old), "--sample", "40");
    assert.equal(again.code, 0);
    assert.equal(old.lookUps(), requests);
    assert.equal((await fixture.run(["places", "import", "table", table])).code, 0);
  });
});
