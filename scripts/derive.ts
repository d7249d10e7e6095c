import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { listCases, recordResponse, responseTo } from "@wfh/server/test/conformance/cases.ts";
import { sampleCopies } from "@wfh/server/test/metadata/sample-golden.ts";
import { scriptProxyCopies } from "@wfh/server/test/metadata/script-proxy-golden.ts";
import { startServer } from "@wfh/server/test/test-server.ts";
import { assetBundle, assetModules, pageScripts } from "./derive/assets.ts";
import { writeClientTypes } from "./derive/client-types.ts";
import { serviceDocuments } from "./derive/service-documents.ts";
import { renderSettingsDocument } from "./derive/settings-document.ts";

const documents = [
  assetBundle,
  pageScripts,
  ...assetModules,
  { path: "docs/settings.md", render: renderSettingsDocument },
  ...serviceDocuments,
  ...sampleCopies,
  ...scriptProxyCopies,
];

/** Documents that differ from what they are derived from. */
function staleDocuments(): readonly string[] {
  return documents
    .filter(({ path, render }) => !existsSync(path) || readFileSync(path, "utf8") !== render())
    .map(({ path }) => path);
}

/** Records the server's current response to every wire case; read the diff with care. */
async function recordCases(): Promise<void> {
  const server = await startServer();
  for (const name of listCases()) recordResponse(name, await responseTo(name, server.url));
  await server.close();
}

if (process.argv.includes("--check")) {
  const stale = staleDocuments();
  for (const path of stale) console.error(`${path} is not what it is derived from: npm run derive`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const { path, render } of documents) writeFileSync(path, render());
  writeClientTypes();
  await recordCases();
  console.error(`Written: ${documents.length} documents, ${listCases().length} wire cases.`);
}
