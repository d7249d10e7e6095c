import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { root } from "@wfh/server/test/source-files.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { zipOf } from "./zip-file.ts";

/** A user that this machine does not have. */
const uid = 64_321;
const skip =
  process.getuid?.() !== 0
    ? "only root can become another user"
    : spawnSync("unshare", ["--mount", "true"]).status !== 0 && "unshare is not allowed here";

const folder = temporaryFolder();
const data = join(folder, "data");
const secret = join(folder, "secret");
if (skip === false) {
  chmodSync(folder, 0o755);
  mkdirSync(data);
  mkdirSync(secret, { mode: 0o700 });
  chownSync(data, uid, uid);
  cpSync("/etc", join(folder, "etc"), { recursive: true, verbatimSymlinks: true });
  const settings = join(folder, "etc/web-forms-helper");
  mkdirSync(settings, { recursive: true });
  writeFileSync(
    join(settings, "settings.toml"),
    `WFH_DATABASE_URL = "sqlite:${data}/wfh.db"\nWFH_DISK_RESERVE_MB = 0\n`,
    { mode: 0o640 },
  );
  chownSync(join(settings, "settings.toml"), 0, uid);
  writeFileSync(join(folder, "etc/passwd"), `wfh:x:${uid}:${uid}::${data}:/bin/false\n`, {
    flag: "a",
  });
}

/** Runs the command line with the settings and the user of an installed server, as root. */
function wfh(command: string, prefix = "") {
  const program = `${process.execPath} ${root}packaging/npm/wfh.ts`;
  const script = `mount --bind ${folder}/etc /etc && cd ${secret} && ${prefix} ${program} ${command}`;
  const { stdout, stderr, status } = spawnSync("unshare", ["--mount", "sh", "-c", script], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], WFH_CONFIG: "/etc/web-forms-helper/settings.toml" },
  });
  return { out: stdout, err: stderr, status };
}

const forms = "id,name,applicationInstanceId,origins\n7,Order,3,https://www.example.org\n";
const inputs: readonly [what: string, make: (table: string) => string | Buffer][] = [
  ["plain", (table) => table],
  ["gzip", (table) => gzipSync(table)],
  ["zip", (table) => zipOf({ name: "forms.csv", text: table })],
];
for (const [what, make] of inputs) {
  test(`a ${what} file that only root may read is imported by the user of the server`, {
    skip,
  }, () => {
    writeFileSync(join(secret, what), make(forms), { mode: 0o600 });
    const { err, status } = wfh(`forms import ${what}`);
    assert.equal(status, 0, err);
    const owners = readdirSync(data).map((name) => statSync(join(data, name)).uid);
    assert.ok(owners.length > 0 && owners.every((owner) => owner === uid), owners.join());
  });
}

test("a file that is not there is not found, in a folder of root too", { skip }, () => {
  const { err, status } = wfh("forms import absent.csv");
  assert.equal(err, "File not found: absent.csv.\n");
  assert.equal(status, 69);
});

test("a pipe of root is read, with the settings named in another way", { skip }, () => {
  writeFileSync(join(secret, "piped"), forms, { mode: 0o600 });
  const pipe = "mkfifo --mode=600 pipe && (cat piped > pipe &) &&";
  const { err, status } = wfh(
    "forms import pipe --config /etc/web-forms-helper/../web-forms-helper/settings.toml",
    pipe,
  );
  assert.equal(status, 0, err);
  const owners = readdirSync(data).map((name) => statSync(join(data, name)).uid);
  assert.deepEqual([...new Set(owners)], [uid]);
});

test("standard input and output stay those of root", { skip }, () => {
  writeFileSync(join(secret, "more"), forms, {
    mode: 0o600,
  });
  const { err, status } = wfh("forms import - < more > report");
  assert.equal(status, 0, err);
  assert.equal(statSync(join(secret, "report")).uid, 0);
});

test("a command cannot write where the user of the server may not, and says so", { skip }, () => {
  const { err, status } = wfh("forms export --output forms.csv");
  assert.equal(status, 69);
  assert.match(err, /Permission denied: forms\.csv\. This runs as wfh, but \S+ belongs to root/);
});

test("a user who may not read the settings learns to run it as root", { skip }, () => {
  const { err, status } = wfh("lookup 10001", "setpriv --reuid=65534 --regid=65534 --clear-groups");
  assert.equal(status, 69);
  assert.match(
    err,
    /Permission denied: \/etc\/web-forms-helper\/settings\.toml\. Run this as root \(sudo wfh …\)/,
  );
});

test("other settings are used with the rights of root", { skip }, () => {
  writeFileSync(join(secret, "own.toml"), `WFH_DATABASE_URL = "sqlite:${secret}/own.db"\n`);
  writeFileSync(join(secret, "own.csv"), forms);
  const { err, status } = wfh("forms import own.csv --config own.toml");
  assert.equal(status, 0, err);
  assert.equal(statSync(join(secret, "own.db")).uid, 0);
});
