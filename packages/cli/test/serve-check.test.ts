import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
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

for (const [host, startCode, text] of [
  [
    "192.0.2.1",
    69,
    /^Cannot listen on 192\.0\.2\.1.*This machine has no such address\. Set WFH_HOST/,
  ],
  [
    // No name server has to be asked for it.
    "no..host",
    78,
    /^Cannot listen on no\.\.host\. That name has no address\. Set WFH_HOST/,
  ],
] as const) {
  test(`a host that is not of this machine, ${host}, fails check and start, which makes no file`, async () => {
    const cwd = temporaryFolder(quickFolder);
    for (const [words, expected] of [
      [check, 78],
      [["serve"], startCode],
    ] as const) {
      const { code, output } = await run([...words, "--host", host], cwd);
      assert.equal(code, expected, output);
      assert.match(output, text);
    }
    assert.deepEqual(readdirSync(cwd), []);
  });
}

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
  [
    "a missing folder of the key file, beside a new folder of data",
    { WFH_DATA_DIR: "new", WFH_KEY_FILE: "/nope/k" },
    () => {},
    /\/nope.* WFH_KEY_FILE\.\s$/,
  ],
  [
    "a missing folder of the database, beside a new folder of data",
    { WFH_DATA_DIR: "new", WFH_DATABASE_URL: "sqlite:/nope/x.db" },
    () => {},
    /^The folder \/nope for the database (?:and its key )?does not exist\. [^.]+WFH_DATABASE_URL\.\s$/,
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
  test(`wfh serve, its check and doctor refuse the folder ${folder.slice(0, 12)} with 78`, async () => {
    const cwd = temporaryFolder(quickFolder);
    const start = await run(["serve", "--data-dir", folder], cwd);
    assert.equal(start.code, 78, start.output);
    assert.match(start.output, named);
    assert.deepEqual(await run([...check, "--data-dir", folder], cwd), start);
    const doctor = await run(["doctor"], cwd, { WFH_DATA_DIR: folder });
    assert.equal(doctor.code, 78, doctor.output);
    assert.match(doctor.output, /^FAIL +settings +WFH_DATA_DIR cannot be made\. /m);
  });
}

test("an ordinary user's check refuses a folder that a start cannot make, with its words", {
  skip: process.getuid?.() !== 0 && "only root gives folders away",
}, async () => {
  const cwd = temporaryFolder(quickFolder);
  const own = join(cwd, "own");
  mkdirSync(own);
  chownSync(own, nobody, nobody);
  chmodSync(cwd, 0o755);
  const database = { WFH_DATABASE_URL: `sqlite:${join(own, "x.db")}` };
  for (const settings of [{}, database]) {
    const given = { ...settings, WFH_DATA_DIR: join(cwd, "new/folder") };
    const start = await run(["serve"], own, given, nobody);
    assert.equal(start.code, 78, start.output);
    assert.match(start.output, /^WFH_DATA_DIR cannot be made\. Permission denied: .*\/new\. /);
    assert.deepEqual(await run(check, own, given, nobody), start);
  }
  const { code, output } = await run(check, own, { WFH_DATA_DIR: cwd }, nobody);
  assert.equal(code, 78, output);
  assert.match(output, /^The folder \S+ for the database is not writable\. .*\n$/);
  assert.deepEqual(readdirSync(cwd), ["own"]);
});

test("wfh serve --check accepts a database in a folder above the new folder of data", async () => {
  const cwd = temporaryFolder(quickFolder);
  const settings = { WFH_DATA_DIR: "new/folder", WFH_DATABASE_URL: "sqlite:new/x.db" };
  assert.deepEqual(await run(check, cwd, settings), accepted);
  assert.deepEqual(readdirSync(cwd), []);
});
