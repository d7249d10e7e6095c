import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { quickFolder } from "@wfh/server/test/quick-folder.ts";
import { killPrograms } from "@wfh/server/test/running-program.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { startWfh } from "./wfh-process.ts";

after(killPrograms);

/** Runs a command in a folder; resolves to its exit code and output. */
async function run(
  words: readonly string[],
  cwd: string,
  settings: Readonly<Record<string, string>> = {},
  uid?: number,
) {
  const running = startWfh(words, { cwd, settings, ...(uid !== undefined && { uid }) });
  return { code: await running.ended(), output: running.output() };
}

/** ID of the user `nobody`. */
const nobody = 65_534;
const check = ["serve", "--check"];
const accepted = { code: 0, output: "The server can start with these settings.\n" };

test("wfh serve --check accepts a new folder, and makes nothing", async () => {
  const cwd = temporaryFolder(quickFolder);
  assert.deepEqual(await run([...check, "--data-dir", "new"], cwd), accepted);
  assert.deepEqual(readdirSync(cwd), []);
});

test("wfh serve --check accepts the ports of the server that is to be restarted", async () => {
  const cwd = temporaryFolder(quickFolder);
  const server = startWfh(["serve"], { cwd, settings: { WFH_ADMIN_PORT: "0" } });
  const { url, adminUrl } = await server.line(({ msg }) => msg === "listening");
  const [WFH_PORT, WFH_ADMIN_PORT] = [url, adminUrl].map((at) => new URL(String(at)).port);
  assert.deepEqual(await run(check, cwd, { WFH_PORT, WFH_ADMIN_PORT } as never), accepted);
  await server.kill();
});

test("wfh serve --check accepts a reserved port that a running server was given", {
  skip: process.getuid?.() !== 0 && "only root may open such a port",
}, async (t) => {
  const server = createHttpServer((_request, response) => response.end('{"status":"ok"}'));
  await once(server.listen(1013, "127.0.0.1"), "listening");
  t.after(() => server.close());
  const cwd = temporaryFolder(quickFolder);
  chownSync(cwd, nobody, nobody);
  assert.deepEqual(await run(check, cwd, { WFH_PORT: "1013" }, nobody), accepted);
});

test("a port that is taken fails the check and the start, which makes no file", async (t) => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  t.after(() => other.close());
  const { port } = other.address() as AddressInfo;
  const cwd = temporaryFolder(quickFolder);
  const settings = { WFH_PORT: String(port) };
  for (const [words, expected] of [
    [check, 78],
    [["serve"], 69],
  ] as const) {
    const { code, output } = await run(words, cwd, settings);
    assert.equal(code, expected);
    assert.match(output, /^Cannot listen on .*That port is taken\. Stop the program.*\n$/);
  }
  assert.deepEqual(readdirSync(cwd), []);
});

test("wfh serve makes its folder, for its owner only, and other commands find it", async () => {
  const cwd = temporaryFolder(quickFolder);
  const folder = join(cwd, "state/web-forms-helper");
  const settings = { WFH_DATA_DIR: "", XDG_STATE_HOME: join(cwd, "state") };
  const server = startWfh(["serve"], { cwd, settings });
  await server.line(({ msg }) => msg === "listening");
  server.signal("SIGINT");
  assert.equal(await server.ended(), 0);
  assert.deepEqual(readdirSync(cwd), ["state"]);
  assert.ok(existsSync(join(folder, "web-forms-helper.db.key")));
  assert.equal((await run(["accounts", "list"], cwd, settings)).code, 0);
});

for (const [what, settings, prepare, named] of [
  [
    "keys that others can read",
    {},
    (cwd: string) => {
      writeFileSync(join(cwd, "web-forms-helper.db.key"), `${"A".repeat(43)}\n`);
      chmodSync(join(cwd, "web-forms-helper.db.key"), 0o644);
    },
    /Others can read .*web-forms-helper\.db\.key: run chmod 600/,
  ],
  [
    "a file that is no database",
    {},
    (cwd: string) => writeFileSync(join(cwd, "web-forms-helper.db"), "words ".repeat(1_000)),
    /web-forms-helper\.db .*not a database/,
  ],
  [
    "missing postal codes",
    { WFH_GAZETTEER: "/absent.gazetteer" },
    () => {},
    /\/absent\.gazetteer.*WFH_GAZETTEER/,
  ],
] as const) {
  test(`wfh serve --check and a start refuse ${what} with 78`, async () => {
    const cwd = temporaryFolder(quickFolder);
    prepare(cwd);
    for (const words of [check, ["serve"]]) {
      const { code, output } = await run(words, cwd, settings);
      assert.equal(code, 78, output);
      assert.match(output.replaceAll("\n", " "), named);
    }
  });
}

for (const [folder, named] of [
  ["/proc/x/y", /^WFH_DATA_DIR cannot be made\. \/proc\/x: the file system takes no new /],
  ["/dev/null/x", /File not found: \/dev\/null\/x \(a part of its path is a file, not a folder\)/],
  ["/dev/null", /\/dev\/null: file already exists/],
  [`/tmp/${"x".repeat(300)}`, /x: name too long/],
] as const) {
  test(`wfh serve refuses the folder ${folder.slice(0, 12)} with 78, at once`, async () => {
    const { code, output } = await run(["serve", "--data-dir", folder], temporaryFolder());
    assert.equal(code, 78, output);
    assert.match(output, named);
  });
}
