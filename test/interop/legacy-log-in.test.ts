import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { createLegacyLogIn } from "../../src/migration/legacy-log-in.ts";
import { freePort } from "../free-port.ts";
import { besideThis, runMono } from "./run-client.ts";
import { missingDotnet } from "./snippets-dotnet.ts";
import { temporaryFolder } from "./temporary-folder.ts";

test("LogInUser of a WCF service says yes and no", { skip: missingDotnet }, async () => {
  const program = join(temporaryFolder(), "old-server.exe");
  const libraries = ["Web.Services", "ServiceModel", "Runtime.Serialization", "Xml"];
  const references = libraries.map((name) => `-r:System.${name}`);
  const compiler = "/usr/lib/mono/4.5/mcs.exe";
  await runMono([compiler, `-out:${program}`, ...references, besideThis("old-server.cs")]);
  const url = `http://127.0.0.1:${await freePort()}/WebFormsAjaxEndpoint.svc`;
  const server = spawn("/usr/bin/mono", [program, "wcf", url], {
    stdio: ["pipe", "pipe", "inherit"],
    timeout: 60_000,
  });
  try {
    await once(server.stdout, "data");
    const ends: string[] = [];
    const onEnd = (end: string, reason = "") => void ends.push(end + reason);
    const namespace = "http://old.example.com/forms";
    const ask = createLegacyLogIn({ url, namespace, onEnd });
    assert.equal(await ask("Adä <&>", " a quiet\r\n<heron> & "), true, ends.join());
    assert.equal(await ask("Adä <&>", "a quiet heron"), false);
    assert.deepEqual(ends, ["accepted", "refused"]);
  } finally {
    const ended = once(server, "exit");
    server.stdin.end();
    await ended;
  }
});
