import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readText } from "@wfh/server/test/source-files.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { startTestServer } from "@wfh/server/test/test-server.ts";
import { runMono, runProgram } from "../harness/programs.ts";
import { isResponse, programsOf } from "../house/documents.ts";
import { compileProxies } from "./mono-proxies.ts";
import { missingClients } from "./soap-clients.ts";

const path = "docs/clients.md";
const shownUrl = "http://127.0.0.1:8080";
const server = await startTestServer({
  WFH_LOCATION_NAMESPACE: "http://tempuri.org/",
  WFH_ENDPOINT_NAMESPACE: "http://tempuri.org/",
});
const folder = temporaryFolder();

/** A language that the document has programs in, and what runs one. */
interface Language {
  /** As it stands at a block, with the file that the block shows. */
  readonly name: string;
  /** Missing program, and how to install it; false where it is there. */
  readonly missing: string | false;
  run(program: string): Promise<string>;
}

/** Writes a program into a file and resolves to its name. */
function fileOf(program: string, name: string): string {
  const file = join(folder, name);
  writeFileSync(file, program);
  return file;
}

const languages: readonly Language[] = [
  {
    name: "csharp examples/clients/Program.cs",
    missing: missingClients.mono,
    run: async (program) => {
      const wsdls = ["LocationUIHelper.asmx?WSDL", "WebFormsAjaxEndpoint.svc?wsdl"];
      const addresses = wsdls.map((wsdl) => `${server.url}/api/${wsdl}`);
      const compiled = await compileProxies(fileOf(program, "Program.cs"), addresses);
      return runMono([compiled]);
    },
  },
  {
    name: "php examples/clients/client.php",
    missing: missingClients.php,
    run: (program) =>
      runProgram("php", ["-d", "soap.wsdl_cache_enabled=0", fileOf(program, "a.php")]),
  },
  {
    name: "python examples/clients/client.py",
    missing: missingClients.zeep,
    run: (program) => runProgram("/usr/bin/python3", [fileOf(program, "a.py")]),
  },
  {
    name: "perl examples/clients/client.pl",
    missing: missingClients.soapLite,
    run: (program) => runProgram("perl", [fileOf(program, "a.pl")]),
  },
  {
    name: "js examples/clients/client.mjs",
    missing: missingClients.nodeSoap,
    run: (program) => runProgram(process.execPath, ["--input-type=module", "-e", program]),
  },
];

const document = { path, text: readText(path) };

for (const { name, missing, run } of languages) {
  const programs = programsOf(document, name);
  test(`${path} has a program in ${name}`, () => assert.notEqual(programs.length, 0));

  for (const { place, command, form, response } of programs) {
    test(`${place} prints what is shown`, { skip: missing, timeout: 60_000 }, async () => {
      const found = await run(command.replaceAll(shownUrl, server.url));
      assert.ok(isResponse(form, response, found), `shown:\n${response}\nfound:\n${found}`);
    });
  }
}
