import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { reportResources } from "@wfh/console/reports/report-resources.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { plainEnvironment, startServer } from "@wfh/server/test/test-server.ts";
import { readDocument } from "./api-document.ts";

const reports = { api: reportResources, operations: new Map(), pages: new Map(), metrics: [] };
const extension = () => ({ extend: () => reports, close: async () => {} });
const server = await startServer({}, { extension });
after(() => server.close());
const linter = import.meta.resolve("@redocly/cli/bin/cli.js");
/** It sends nothing to its makers. */
const quiet = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", CI: "true" };

test("the OpenAPI document has no findings of Redocly's recommended rules", async () => {
  const file = join(temporaryFolder(), "openapi.json");
  writeFileSync(file, JSON.stringify(await readDocument(server.url)));
  const args = [fileURLToPath(linter), "lint", "--format=json", file];
  const env = { ...plainEnvironment, ...quiet };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  // Warnings count too; the linter ends well with them.
  assert.deepEqual(JSON.parse(stdout).problems, []);
});
