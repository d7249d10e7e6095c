import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { freePort } from "../free-port.ts";
import { openVerifyFixture } from "../migration/verify-fixture.ts";
import { besideThis, runMono } from "./run-client.ts";
import { missingDotnet } from "./snippets-dotnet.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const fixture = openVerifyFixture();
after(() => fixture.close());
const program = join(temporaryFolder(), "old-server.exe");

/** A difference as tests compare it. */
type Found = readonly [what: string, old: string | null, clients: string, fix: string | null];

async function compare(old: string, piped?: string): Promise<readonly Found[]> {
  const { differences } = await fixture.verify(old, piped);
  return differences.map(({ what, old, clients, fix }) => [what, old, clients, fix]);
}

describe("the WSDL of a genuine old server", { skip: missingDotnet }, () => {
  before(async () => {
    const libraries = ["Web.Services", "ServiceModel", "Runtime.Serialization", "Xml"];
    const references = libraries.map((name) => `-r:System.${name}`);
    const compiler = "/usr/lib/mono/4.5/mcs.exe";
    await runMono([compiler, `-out:${program}`, ...references, besideThis("old-server.cs")]);
  });

  test("ASMX differs in its namespace alone", async () => {
    const address = "http://old.example.com/Services/LocationUIHelper.asmx";
    const namespace = "http://old.example.com/services/";
    assert.deepEqual(await compare("-", await runMono([program, "asmx", address])), [
      ["namespace", namespace, "yes", `WFH_LOCATION_NAMESPACE='${namespace}'`],
    ]);
  });

  test("WCF, read from its server with its imports, differs in nothing that is not so", async () => {
    const address = `http://127.0.0.1:${await freePort()}/WebFormsAjaxEndpoint.svc`;
    const server = spawn("/usr/bin/mono", [program, "wcf", address], {
      stdio: ["pipe", "pipe", "inherit"],
      timeout: 60_000,
    });
    try {
      await once(server.stdout, "data");
      const namespace = "http://old.example.com/forms";
      assert.deepEqual(await compare(`${address}?wsdl`), [
        ["namespace", namespace, "yes", `WFH_ENDPOINT_NAMESPACE='${namespace}'`],
        // Mono calls every service so. WCF of .NET Framework gives it the name of its class,
        ["service name", "service", "only when", null],
        // and declares results as nillable, which Mono leaves out.
        ["nillable", "false", "no", null],
        ["nillable", "false", "no", null],
      ]);
    } finally {
      const ended = once(server, "exit");
      server.stdin.end();
      await ended;
    }
  });
});
