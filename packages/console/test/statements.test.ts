import { after, describe } from "node:test";
import { startEngines } from "@wfh/server/test/store/engines.ts";
import { describeStatements } from "@wfh/server/test/store/statements.ts";
// Its statements are known once it has been loaded.
import "../src/database/console-queries.ts";

const engines = await startEngines();
after(() => Promise.all(engines.map((engine) => engine.close())));

for (const engine of engines) {
  describe(`statements of the console on ${engine.name}`, { skip: engine.missing ?? false }, () =>
    describeStatements(engine),
  );
}
