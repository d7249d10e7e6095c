import assert from "node:assert/strict";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, test } from "node:test";
import { readText } from "@wfh/server/test/source-files.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { makeDebianPackage } from "../../scripts/debian-package.ts";
import { stage } from "../../scripts/stage.ts";
import { findDeadLinks } from "../house/documents.ts";
import { type DebianMachine, findMissing, startMachine, waitFor } from "./debian-machine.ts";
import { orUnreachable, pack, placeReleaseData } from "./npm-project.ts";

const missing = findMissing();
if (missing !== undefined && process.env["INTEROP_REQUIRED"] !== undefined)
  throw new Error(`The Debian package cannot be tested: ${missing}`);
const { value, skip } = missing
  ? { value: undefined, skip: missing }
  : await orUnreachable(Promise.all([makePackages(), startMachine()]));
const [files = [], machine = {} as DebianMachine] = value ?? [];
const { folder, run, runOk, start } = machine;
const [first = "", second = ""] = files.map((file) => `/root/${basename(file)}`);
after(() => machine.stop?.());

/** Longest time for the server to be ready, in milliseconds; on a busy machine too. */
const serverMs = 30_000;
const options = { skip, timeout: 120_000 };
const settingsFile = "/etc/web-forms-helper/settings.toml";
const processes = ["web-forms-helper@1", "web-forms-helper@2"];
const lookUpPath = "/api/LocationUIHelper.asmx/PostalCodeToCityState?postalCode=10001";
const passwordLine = "seven slow brown bears\n";

// One machine goes through the life of the package, in this order.
const before = skip ? [] : await listFiles();
for (const file of files) copyFileSync(file, join(folder, "root", basename(file)));

for (const unit of ["wfh.service", "web-forms-helper@.service"]) {
  test(`the unit ${unit} exposes at most 2.0 to systemd-analyze`, options, async () => {
    writeFileSync(join(folder, "root", unit), readText(`examples/${unit}`));
    const words = ["systemd-analyze", "security", "--offline=true", `/root/${unit}`];
    const { out } = await run([...words, "--threshold=20", "--no-pager"]);
    const score = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(out)?.[1]);
    assert.ok(score <= 2, out);
  });
}

test("apt install gives a running service that finds a place", options, async (t) => {
  const started = performance.now();
  const out = await install(first);
  assert.match(out, /^Web Forms Helper is ready/m);
  assert.match(await lookUp(), /<City>New York<\/City>/);
  const seconds = (performance.now() - started) / 1000;
  t.diagnostic(`${seconds.toFixed(1)} s from apt install to the first response`);
});

test("links of the documents in the package lead somewhere", options, () => {
  assert.deepEqual(findDeadLinks(join(folder, "usr/share/doc/web-forms-helper")), []);
});

test("the manual page and the completions are where Debian looks for them", options, async () => {
  const paths = [
    "man/man1/wfh.1.gz",
    "bash-completion/completions/wfh",
    "zsh/vendor-completions/_wfh",
  ];
  for (const path of paths) await runOk(["test", "-s", `/usr/share/${path}`]);
});

test("the package has no tests of dependencies", options, async () => {
  const modules = "/usr/lib/web-forms-helper/node_modules";
  const found = await runOk(["find", modules, "-name", "test", "-o", "-name", "*.test.*"]);
  assert.equal(found, "");
});

test("wfh doctor has nothing to say against it", options, async () => {
  const out = await runOk(["wfh", "doctor"]);
  assert.match(out, /^0 problems, 0 warnings, \d+ ok$/m);
});

test("the server runs without privileges and under a filter", options, async () => {
  const state = await runOk(["cat", `/proc/${await mainProcess()}/status`]);
  assert.match(state, /^CapBnd:\t0+$/m);
  assert.match(state, /^NoNewPrivs:\t1$/m);
  assert.match(state, /^Seccomp:\t2$/m);
  assert.doesNotMatch(state, /^Uid:\t0\b/m);
});

test("commands of root leave no files of root", options, async () => {
  assert.match(await runOk(["wfh", "accounts", "add", "carol"], passwordLine), /Added carol/);
  await runOk(["wfh", "backup", "/var/lib/wfh/before"]);
  const forms = "id,name,applicationInstanceId,origins\n7,Order,3,https://www.example.org\n";
  writeFileSync(join(folder, "root/forms.csv"), forms, { mode: 0o600 });
  await runOk(["wfh", "forms", "import", "/root/forms.csv"]);
  rmSync(join(folder, "root/forms.csv"));
  assert.equal(await runOk(["find", "/var/lib/wfh", "!", "-user", "wfh"]), "");
  assert.equal(await logIn(), true);
});

test("postal codes that root imports in any folder are served", options, async () => {
  const table = "postalCode,city,stateAbbreviation,countryCode\n10001,Gotham,NY,US\n";
  await runOk(["wfh", "places", "import", "table", "-"], table);
  await waitFor("the new postal codes are served", serverMs, async () =>
    (await lookUp()).includes("<City>Gotham</City>"),
  );
  await runOk(["wfh", "places", "rollback"]);
});

test("settings hold after a restart, and a reload looks for postal codes", options, async () => {
  await edit("# WFH_PAGE_REQUEST_RETENTION = 400", "WFH_PAGE_REQUEST_RETENTION = 401");
  await runOk(["systemctl", "restart", "wfh"]);
  await waitForReady();
  await runOk(["systemctl", "reload", "wfh"]);
  await waitForLog("wfh", "no new gazetteer file");
  assert.equal(await logIn(), true);
  await logPage(701);
});

test("several processes share a socket, and a restart of each loses no call", options, async () => {
  await runOk(["systemctl", "stop", "wfh"]);
  // The second one fails, and the start with it.
  await run(["systemctl", "start", "web-forms-helper.socket", ...processes]);
  await waitForLog("web-forms-helper@*", "Another server has the SQLite file");
  await runOk(["systemctl", "stop", ...processes]);
  // There is no PostgreSQL here: without it a server serves look-ups.
  const dropIn = join(folder, "etc/systemd/system/web-forms-helper@.service.d");
  mkdirSync(dropIn, { recursive: true });
  const url = "postgres://wfh@127.0.0.1:1/wfh";
  writeFileSync(join(dropIn, "test.conf"), `[Service]\nEnvironment=WFH_DATABASE_URL=${url}\n`);
  await runOk(["systemctl", "daemon-reload"]);
  await runOk(["systemctl", "start", ...processes]);
  const loaded = script(`import { existsSync } from "node:fs";
    const statuses = new Set();
    const callAll = async () => {
      while (!existsSync("/run/load-is-over")) {
        const called = fetch("http://127.0.0.1:8080${lookUpPath}");
        const read = called.then((response) => response.text().then(() => response.status));
        statuses.add(await read.catch(String));
      }
    };
    await Promise.all(Array.from({ length: 8 }, callAll));
    console.log([...statuses].join());`);
  for (const [i, name] of [...processes, ...processes].entries()) {
    await runOk(["systemctl", "restart", name]);
    const port = 8081 + (i % processes.length);
    await waitFor("the process responds", serverMs, async () =>
      (await call("/healthz", undefined, port).catch(String)).startsWith("200"),
    );
  }
  await runOk(["touch", "/run/load-is-over"]);
  assert.equal(await loaded, "200\n");
  await runOk(["systemctl", "stop", "web-forms-helper.socket", ...processes]);
  rmSync(dropIn, { recursive: true });
  await runOk(["systemctl", "start", "wfh"]);
  await waitForReady();
});

test("an upgrade restarts the running server once and keeps the data", options, async () => {
  const key = readFileSync(join(folder, "var/lib/wfh/wfh.db.key"), "utf8");
  const starts = await countStarts();
  assert.match(await install(second), /^Web Forms Helper is ready/m);
  assert.equal(await countStarts(), starts + 1);
  assert.match(await runOk(["wfh", "status"]), /^Version +0\.1\.1$/m);
  assert.equal(readFileSync(join(folder, "var/lib/wfh/wfh.db.key"), "utf8"), key);
  await assertData();
});

test("an upgrade killed while it unpacks can be repeated", options, async () => {
  const dpkg = start(["dpkg", "--install", second]);
  const ended = once(dpkg, "exit");
  const draft = join(folder, "usr/lib/web-forms-helper/bin/node.dpkg-new");
  await waitFor("files are unpacked", serverMs, () => existsSync(draft));
  process.kill(-(dpkg.pid ?? assert.fail()), "SIGKILL");
  await ended;
  assert.match(await lookUp(), /<City>New York<\/City>/);
  await run(["dpkg", "--configure", "--pending"]);
  assert.match(await runOk(["dpkg", "--install", second]), /^Web Forms Helper is ready/m);
  assert.equal(existsSync(draft), false);
  await assertData();
});

test("an upgrade that ended before its last step is finished by dpkg", options, async () => {
  await runOk(["dpkg", "--unpack", second]);
  assert.match(await lookUp(), /<City>New York<\/City>/);
  const out = await runOk(["dpkg", "--configure", "--pending"]);
  assert.match(out, /^Web Forms Helper is ready/m);
  await assertData();
});

test("settings with an error stop the server, and the upgrade says so", options, async () => {
  await edit("WFH_PORT = 8080", 'WFH_PORT = "http"');
  const { code, err } = await run(["dpkg", "--install", second]);
  assert.equal(code, 0);
  assert.match(err, /it is not ready.*WFH_PORT="http".*wfh doctor/s);
  assert.equal((await run(["systemctl", "is-active", "wfh"])).out, "failed\n");
  await edit('WFH_PORT = "http"', "WFH_PORT = 8080");
  await runOk(["systemctl", "restart", "wfh"]);
  await waitForReady();
});

/** A line of the settings that cannot be used, and what the check and the log say of it. */
const wrongSettings: readonly (readonly [line: string, named: RegExp])[] = [
  ['WFH_PORT = "http"', /WFH_PORT="http" .*must be a whole number from 0 to 65535/],
  ["WFH_PORT = 80", /That port is reserved\. Set WFH_PORT .* above 1023; .* no check by hand/],
  ["WFH_PROT = 8080", /WFH_PROT .*did you mean WFH_PORT\?/],
  ['WFH_HOST = "a b"', /WFH_HOST="a b" .*must be a host name or an IP address/],
  ['WFH_DATABASE_URL = "sqlite:/nowhere/wfh.db"', /\/nowhere .*correct WFH_DATABASE_URL/],
  ['WFH_DATABASE_URL = "sqlite:/etc/hostname"', /\/etc\/hostname/],
  ['WFH_KEY_FILE = "/etc/hostname"', /Others can read .*\/etc\/hostname: run chmod 600/],
  ['WFH_SECRET_KEYS = "short"', /WFH_SECRET_KEYS=… .*must be keys of 32 bytes/],
  ['WFH_GAZETTEER = "/absent.gazetteer"', /\/absent\.gazetteer\. .*WFH_GAZETTEER/],
  ['WFH_LEGACY_COOKIE_UNTIL = "2099-12-31"', /WFH_LEGACY_MACHINE_KEY_FILE.*set both, or neither/],
];

test("ten settings that cannot be used: a check saves the server, a restart fails for good", {
  skip,
  timeout: 300_000,
}, async () => {
  const path = join(folder, settingsFile);
  const usual = readFileSync(path, "utf8");
  for (const [line, named] of wrongSettings) {
    const [key = ""] = line.split(" ");
    const others = usual.split("\n").filter((other) => !other.startsWith(`${key} `));
    writeFileSync(path, [...others, line, ""].join("\n"));
    const process = await mainProcess();
    const checked = await run(["sh", "-c", "wfh serve --check && systemctl restart wfh"]);
    assert.equal(checked.code, 78, checked.out + checked.err);
    assert.match(checked.err.replaceAll("\n", " "), named);
    assert.equal(await mainProcess(), process);
    assert.match(await lookUp(), /<City>New York<\/City>/);
    assert.notEqual((await run(["systemctl", "restart", "wfh"])).code, 0, line);
    const shown = await runOk(["systemctl", "show", "wfh", "--property=SubState,ExecMainStatus"]);
    // "auto-restart" where it tries again.
    assert.equal(shown, "ExecMainStatus=78\nSubState=failed\n", line);
    const log = await runOk(["journalctl", "--unit=wfh", "--lines=12", "--output=cat"]);
    assert.match(log.replaceAll("\n", " "), named);
    writeFileSync(path, usual);
    await runOk(["systemctl", "restart", "wfh"]);
    assert.match(await lookUp(), /<City>New York<\/City>/);
  }
});

test("an older program refuses a newer schema, and its status says so", options, async () => {
  await changeSchema("insert into schema_migrations values (99, 'later', 0, null)");
  const { err } = await run(["dpkg", "--install", "--force-downgrade", first]);
  assert.match(err, /it was written by a newer program/);
  assert.match((await run(["wfh", "status"])).out, /it was written by a newer program/);
  await changeSchema("delete from schema_migrations where version = 99");
  await waitForReady();
});

test("a file of another owner is named with the way to fix it", options, async () => {
  await runOk(["chown", "root:root", "/var/lib/wfh/wfh.db"]);
  const { err } = await run(["dpkg", "--install", first]);
  assert.match(
    err,
    /Permission denied: \/var\/lib\/wfh\/wfh\.db\. This runs as wfh, .* root\. .*chown/,
  );
  await runOk(["chown", "wfh:wfh", "/var/lib/wfh/wfh.db"]);
  await runOk(["systemctl", "restart", "wfh"]);
  await waitForReady();
});

test("the data of the release 0.1.0 are upgraded and kept", options, async () => {
  await runOk(["systemctl", "stop", "wfh"]);
  rmSync(join(folder, "var/lib/wfh/wfh.db"));
  placeReleaseData(join(folder, "var/lib/wfh/wfh.db"));
  await runOk(["chown", "--recursive", "wfh:wfh", "/var/lib/wfh"]);
  await runOk(["systemctl", "start", "wfh"]);
  await waitForReady();
  await assertData();
  assert.match(await runOk(["wfh", "doctor"]), /^0 problems, /m);
});

test("removal stops the server and keeps data and settings", options, async () => {
  await runOk(["apt-get", "remove", "--yes", "web-forms-helper"]);
  assert.equal((await run(["systemctl", "is-active", "wfh"])).out, "inactive\n");
  assert.match(await install(second), /^Web Forms Helper is ready/m);
  assert.match(await runOk(["cat", settingsFile]), /^WFH_PAGE_REQUEST_RETENTION = 401/m);
  await assertData();
});

test("purge leaves nothing", options, async () => {
  await runOk(["apt-get", "purge", "--yes", "web-forms-helper"]);
  await runOk(["rm", first, second, "/root/wfh.service", "/root/web-forms-helper@.service"]);
  assert.deepEqual(await listFiles(), before);
  assert.equal((await run(["getent", "passwd", "wfh"])).out, "");
  assert.equal((await run(["getent", "group", "wfh"])).out, "");
});

function install(file: string): Promise<string> {
  return runOk(["apt-get", "install", "--yes", file]);
}

/** Without what logs, caches and the processes of the system itself leave. */
async function listFiles(): Promise<readonly string[]> {
  const left = ["/proc", "/sys", "/dev", "/run", "/tmp", "/var/log", "/var/cache", "/var/tmp"];
  const prune = [...left, "/var/lib/apt", "/var/lib/dpkg"].flatMap((path) => ["-path", path, "-o"]);
  const out = await runOk(["find", "/", "(", ...prune, "-false", ")", "-prune", "-o", "-print"]);
  return out.split("\n").toSorted();
}

async function edit(from: string, to: string): Promise<void> {
  const path = join(folder, settingsFile);
  const text = readFileSync(path, "utf8");
  assert.ok(text.includes(from), from);
  writeFileSync(path, text.replace(from, to));
}

/** Runs a program with the Node.js of the package. */
function script(text: string): Promise<string> {
  return runOk(["/usr/lib/web-forms-helper/bin/node", "--input-type=module", "--eval", text]);
}

function call(path: string, body?: object, port = 8080): Promise<string> {
  const post = { method: "POST", headers: { "content-type": "application/json" } };
  const options = body === undefined ? {} : { ...post, body: JSON.stringify(body) };
  const address = `http://127.0.0.1:${port}${path}`;
  return script(`const response = await fetch("${address}", ${JSON.stringify(options)});
    console.log(response.status, await response.text());`);
}

function lookUp(): Promise<string> {
  return call(lookUpPath);
}

async function logIn(): Promise<boolean> {
  const out = await call("/api/WebFormsAjaxEndpoint.svc/LogInUser", {
    userName: "carol",
    passWord: passwordLine.trim(),
  });
  return out.includes('"Success":true');
}

async function logPage(form: number): Promise<void> {
  assert.match(await call("/api/v1/page-requests", { formId: String(form) }), /^204/);
}

async function assertData(): Promise<void> {
  const exported = await runOk(["wfh", "page-requests", "export", "--format", "csv"]);
  assert.match(exported, /\b701\b/);
  assert.equal(await logIn(), true);
}

async function changeSchema(sql: string): Promise<void> {
  await runOk(["systemctl", "stop", "wfh"]);
  await script(`import { DatabaseSync } from "node:sqlite";
    new DatabaseSync("/var/lib/wfh/wfh.db").exec(${JSON.stringify(sql)});`);
  await runOk(["chown", "--recursive", "wfh:wfh", "/var/lib/wfh"]);
  // It fails where the schema cannot be used.
  await run(["systemctl", "start", "wfh"]);
}

async function waitForReady(): Promise<void> {
  const isReady = async () => (await run(["wfh", "status"])).code === 0;
  await waitFor("the server is ready", serverMs, isReady);
}

async function waitForLog(unit: string, text: string): Promise<void> {
  await waitFor(`the log of ${unit} has: ${text}`, serverMs, async () =>
    (await runOk(["journalctl", `--unit=${unit}`, "--output=cat"])).includes(text),
  );
}

async function mainProcess(): Promise<string> {
  const show = ["systemctl", "show", "wfh", "--property=MainPID", "--value"];
  return (await runOk(show)).trim();
}

async function countStarts(): Promise<number> {
  const log = await runOk(["journalctl", "--unit=wfh", "--output=cat"]);
  return log.split("Started wfh.service").length - 1;
}

/** The package as it is, and a later version of it. */
async function makePackages(): Promise<readonly string[]> {
  const { tarball } = await pack();
  const output = temporaryFolder();
  const program = join(output, "program");
  stage(program, tarball);
  const manifest = join(program, "package.json");
  return ["0.1.0", "0.1.1"].map((version) => {
    const text = readFileSync(manifest, "utf8");
    writeFileSync(manifest, text.replace(/"version": ".*?"/, `"version": "${version}"`));
    return makeDebianPackage({ program, output });
  });
}
