import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { runWfh, startWfh } from "@wfh/cli/test/wfh-process.ts";
import { freePort } from "@wfh/server/test/free-port.ts";
import { quickFolder } from "@wfh/server/test/quick-folder.ts";
import type { RunningProgram } from "@wfh/server/test/running-program.ts";
import { readText, root } from "@wfh/server/test/source-files.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { plainEnvironment } from "@wfh/server/test/test-server.ts";
import { haproxyRoute, missingHaproxy, startHaproxy } from "../harness/haproxy-examples.ts";
import { isRunning } from "../harness/programs.ts";
import { commandBlocksOf } from "../house/documents.ts";

// docs/moving.md from start to end: every block of commands, in order, in one folder. The old
// server is a second one of ours with the namespaces and paths of the document.

const oldFolder = temporaryFolder(quickFolder);
writeFileSync(
  join(oldFolder, "places.csv"),
  "postalCode,city,stateAbbreviation,countryCode,stateName,stateId\n10001,New York,NY,US,New York,33\n",
);
await runWfh(["places", "import", "table", "places.csv"], { cwd: oldFolder });
const old = startWfh(["serve"], {
  cwd: oldFolder,
  settings: {
    WFH_LOCATION_NAMESPACE: "http://example.com/location/",
    WFH_ENDPOINT_NAMESPACE: "http://example.com/forms",
    WFH_LOCATION_PATHS: "/Services/LocationUIHelper.asmx",
    WFH_ENDPOINT_PATHS: "/Services/WebFormsAjaxEndpoint.svc",
  },
});
after(() => old.kill());
const oldUrl = await old.match(/"url":"([^"]*)"/);
const folder = temporaryFolder(quickFolder);
const ports = { "8080": await freePort(), "8090": await freePort() };

/** Text of the document with the addresses of this test. */
function filledIn(text: string): string {
  const withOld = text
    .replaceAll(/https?:\/\/(?:old\.example\.com|192\.0\.2\.20)/g, oldUrl)
    // A hundred times as fast as an old server should be asked.
    .replaceAll("migrate harvest", "migrate harvest --rate 400")
    .replaceAll("/etc/haproxy/", `${folder}/`)
    .replaceAll("/run/haproxy/", `${folder}/`)
    .replaceAll("sudo socat", "socat");
  return Object.entries(ports).reduce(
    (changed, [shown, port]) => changed.replaceAll(`127.0.0.1:${shown}`, `127.0.0.1:${port}`),
    withOld,
  );
}

prepare();

function prepare(): void {
  mkdirSync(join(folder, "bin"));
  const wfh = join(folder, "bin/wfh");
  writeFileSync(wfh, `#!/bin/sh\nexec ${process.execPath} ${root}packaging/npm/wfh.ts "$@"\n`);
  chmodSync(wfh, 0o755);
  // The document names it for all commands, before it has any settings.
  writeFileSync(join(folder, "settings.toml"), "");
  writeFileSync(
    join(folder, "users.csv"),
    `Record_Id,Contact_Id,UserName,PasswordHash,LockoutEnabled,LockoutEnd
1001,5001,alice,AAABAgMEBQYHCAkKCwwNDg+ukCEMDf0yyQ29NYubggHIVY0sdEUfdyeM+E1LtH1uJg==,1,NULL
1002,5002,dave,AQAAAAEAACcQAAAAEAABAgMEBQYHCAkKCwwNDg+yWU7rLgUwPZb1Itsmra7cbxw2EFpwpVFIEtP+JIuUEw==,1,NULL
`,
  );
  const key = "0123456789ABCDEF".repeat(4);
  writeFileSync(
    join(folder, "old-web.config"),
    `<configuration><system.web><httpRuntime targetFramework="4.8" /><machineKey validationKey="${key}" decryptionKey="${key}" validation="HMACSHA256" decryption="AES" /></system.web></configuration>`,
  );
  writeFileSync(
    join(folder, "page-requests.csv"),
    `form_id,trans_id,pageRequestUrl,contact_id,screenWidth,screenHeight,created
7,1,https://www.example.org/contact?topic=billing,5001,1920,1080,${new Date().toISOString()}
7,2,https://www.example.org/contact/done,NULL,1920,1080,${new Date().toISOString()}
`,
  );
}

/** Commands that run on, at the end of a block, each with what it says when it is ready. */
const endless = [
  { line: /^serve$/, isReady: /listening/ },
  { line: /^migrate (?:record|compare --listen) /, isReady: /Passing calls on/ },
];
const running = new Map<string, RunningProgram>();
after(() => Promise.all([...running.values()].map((one) => one.kill())));

const settings = {
  WFH_CONFIG: join(folder, "settings.toml"),
  WFH_PORT: String(ports["8080"]),
};

/** Runs a block; resolves to its standard output. Exit code 1 is a finding, not an error. */
async function run(block: string): Promise<string> {
  const [last = "", words = ""] = /(?:^|(?<=\n))wfh (.*)\n$/.exec(block) ?? [];
  const program = endless.find(({ line }) => line.test(words));
  if (program === undefined) return runToEnd(block);
  // Live comparison takes the place of the recorder; the server is restarted.
  const [name = ""] = words.split(" ");
  await running.get(name)?.kill();
  const found = await runToEnd(block.slice(0, -last.length));
  const started = startWfh(words.split(" "), { cwd: folder, settings });
  running.set(name, started);
  return found + (await started.match(program.isReady));
}

async function runToEnd(commands: string): Promise<string> {
  const child = spawn("bash", ["-euo", "pipefail", "-c", commands], {
    cwd: folder,
    env: { ...plainEnvironment, ...settings, PATH: `${folder}/bin:${process.env["PATH"]}` },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 60_000,
  });
  const texts = ["", ""];
  for (const [index, stream] of [child.stdout, child.stderr].entries()) {
    stream.setEncoding("utf8").on("data", (chunk) => {
      texts[index] += chunk;
    });
  }
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  assert.ok(code === 0 || code === 1, `exit code ${code}: ${texts.join("")}`);
  return texts[0] ?? "";
}

/** Installs HAProxy, which takes the place of the recorder. */
async function startRoute(): Promise<void> {
  await running.get("migrate")?.kill();
  const hosts = { old: new URL(oldUrl).host, ours: `127.0.0.1:${ports["8080"]}` };
  const port = ports["8090"];
  const { stop } = await startHaproxy(folder, haproxyRoute(folder, { port, ...hosts }), port);
  after(stop);
}

const blocks = commandBlocksOf(readText("docs/moving.md"));
const firstOfRoute = blocks.find(({ heading }) => heading === "Route operation by operation");
const hasSocat = isRunning("socat", ["-V"]);
const skip = missingHaproxy || (!hasSocat && "there is no socat: apt-get install socat");
const options = { skip, timeout: 600_000 };
test("docs/moving.md can be walked from its top to its end", options, async (t) => {
  let isBroken = false;
  for (const { heading, commands, response } of blocks) {
    const isLeft = isBroken && "an earlier block failed";
    await t.test(`${heading}: ${commands.split("\n")[0]}`, { skip: isLeft }, async () => {
      isBroken = true;
      if (commands === firstOfRoute?.commands) await startRoute();
      const found = await run(filledIn(commands));
      const shown = filledIn(response ?? "…");
      assert.ok(isShown(shown, found), `shown:\n${shown}\nfound:\n${found}`);
      isBroken = false;
    });
  }
});

/** True when a text has a document's lines in order; a line of `…` stands for any lines. */
function isShown(shown: string, found: string): boolean {
  let at = 0;
  return shown.split(/^…$\n?/m).every((part) => {
    const start = found.indexOf(part, at);
    at = start + part.length;
    return start >= 0;
  });
}
