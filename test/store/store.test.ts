import { after, describe } from "node:test";
import { startEngines } from "./engines.ts";
import { describeFailure } from "./failure.ts";
import { describePostgresFailure } from "./postgres-failure.ts";
import { describeReading, describeRetention, describeStats } from "./reading.ts";
import { describeSqliteFailure } from "./sqlite-failure.ts";
import { describeQueue, describeRows, describeSchema } from "./writing.ts";

const engines = await startEngines();
after(() => Promise.all(engines.map((engine) => engine.close())));

for (const engine of engines) {
  describe(`the store on ${engine.name}`, { skip: engine.missing ?? false }, () => {
    describeRows(engine);
    describeQueue(engine);
    describeSchema(engine);
    describeRetention(engine);
    describeReading(engine);
    describeStats(engine);
    describeFailure(engine);
    if (engine.name === "SQLite") describeSqliteFailure(engine);
    else describePostgresFailure(engine);
  });
}
