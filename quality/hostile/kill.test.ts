import assert from "node:assert/strict";
import { test } from "node:test";
import { describeEngines, type Engine } from "@wfh/server/test/store/engines.ts";
import { isLong } from "./effort.ts";
import { type KillFinding, killUnderLoad } from "./kill-round.ts";

/** `npm run test:hostile` kills a hundred times for each engine, `npm test` a few. */
const rounds = isLong ? 100 : 3;
/** Acknowledged page requests after which a process is killed; each round has another number. */
const killAfter = { least: 1, most: isLong ? 5_000 : 1_500 };

await describeEngines("kill -9 under load", (engine) => {
  test(`loses nothing in ${rounds} rounds`, { timeout: rounds * 10_000 }, async (t) => {
    const findings = await killRepeatedly(engine);
    const acknowledged = findings.reduce((sum, finding) => sum + finding.acknowledged, 0);
    t.diagnostic(`${engine.name}: ${acknowledged} acknowledged in ${findings.length} rounds`);
  });

  test("would find a server that acknowledges too early", { timeout: 60_000 }, async () => {
    const database = await engine.createDatabase();
    let lost = 0;
    for (let round = 1; round <= 20 && lost === 0; round++) {
      const prefix = `lazy${round}`;
      ({ lost } = await killUnderLoad({ database, prefix, killAfter: 10 * round, mode: "lazy" }));
    }
    assert.notEqual(lost, 0);
    await database.drop();
  });
});

async function killRepeatedly(engine: Engine): Promise<readonly KillFinding[]> {
  const database = await engine.createDatabase();
  const findings: KillFinding[] = [];
  const step = (killAfter.most - killAfter.least) / (rounds - 1);
  for (let round = 0; round < rounds; round++) {
    const finding = await killUnderLoad({
      database,
      prefix: `round${round}`,
      killAfter: Math.round(killAfter.least + round * step),
      mode: "honest",
    });
    const { lost, duplicates, phantoms } = finding;
    assert.deepEqual({ lost, duplicates, phantoms }, { lost: 0, duplicates: 0, phantoms: 0 });
    findings.push(finding);
  }
  if (engine.name === "SQLite") {
    const [finding = {}] = await database.query("PRAGMA integrity_check");
    assert.deepEqual(Object.values(finding), ["ok"]);
  }
  await database.drop();
  return findings;
}
