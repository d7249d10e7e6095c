import { describeEngines } from "@wfh/server/test/store/engines.ts";
import { describeStatements } from "@wfh/server/test/store/statements.ts";
// Its statements are known once it has been loaded.
import "../src/database/console-queries.ts";

await describeEngines("statements of the console", (engine) => describeStatements(engine));
