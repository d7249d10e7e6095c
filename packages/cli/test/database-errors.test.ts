import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openAdmin } from "@wfh/server/store/admin/open-admin.ts";
import { quickFolder } from "@wfh/server/test/quick-folder.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { plainEnvironment } from "@wfh/server/test/test-server.ts";
import { program } from "./wfh-process.ts";

const folder = temporaryFolder(quickFolder);

/** Another user than the one who runs the tests. */
const stranger = 65_534;
const isRoot = process.getuid?.() === 0;
const skip = isRoot ? false : "only the superuser can run a command as another user";

/** Runs a command in a process of its own. */
function runAs(
  uid: number | undefined,
  words: readonly string[],
  databaseUrl: string,
  { cwd, ...more }: Readonly<Record<string, string>> & { readonly cwd?: string } = {},
) {
  const env = { ...plainEnvironment, WFH_DATABASE_URL: databaseUrl, WFH_PORT: "0", ...more };
  return spawnSync(process.execPath, [program, ...words], {
    env,
    cwd,
    encoding: "utf8",
    timeout: 30_000,
    ...(uid !== undefined && { uid, gid: uid }),
  });
}

test("with PostgreSQL, a folder that the server's user cannot read does not matter", {
  skip,
}, () => {
  chmodSync(folder, 0o755);
  const cwd = mkdtempSync(join(folder, "home-"));
  const key = { WFH_KEY_FILE: join(folder, "wfh.key") };
  const url = "postgres://127.0.0.1:1/wfh";
  const { status, stdout } = runAs(stranger, ["lookup", "10001"], url, { ...key, cwd });
  assert.match(stdout, /^10001 +New York/m);
  assert.equal(status, 0);
});

test("a missing folder of the database is not blamed on the key file", () => {
  const missing = join(folder, "missing");
  const { status, stderr } = runAs(undefined, ["serve"], `sqlite:${join(missing, "a.db")}`);
  assert.equal(status, 78);
  assert.ok(stderr.includes(`The folder ${missing} for the database and its key does not exist`));
  assert.match(stderr, /correct WFH_DATABASE_URL/);
  assert.doesNotMatch(stderr, /WFH_KEY_FILE/);
});

test("a user who may not open the database learns whose command it is", { skip }, async () => {
  const shut = join(folder, "shut");
  mkdirSync(shut);
  const files = [join(folder, "a.db"), join(shut, "a.db")];
  for (const file of files) {
    const database = await openAdmin(`sqlite:${file}`, "write", Date.now);
    await database.close();
  }
  chmodSync(folder, 0o755);
  chmodSync(shut, 0o700);
  for (const file of files) {
    const { status, stderr } = runAs(stranger, ["forms", "list"], `sqlite:${file}`);
    assert.equal(status, 69, stderr);
    assert.match(stderr, /Permission denied: \S+\. This runs as nobody, but \S+ belongs to root/);
  }
});

test("a refusal names the user who runs the command, and the owner of the path", { skip }, () => {
  chmodSync(folder, 0o755);
  const denied = join(folder, "unwritable");
  const own = join(folder, "own");
  const owned = join(folder, "owned");
  for (const [path, owner] of [
    [denied, 0],
    [own, stranger],
    [owned, 1],
  ] as const) {
    mkdirSync(path, { mode: 0o755 });
    chownSync(path, owner, owner);
  }
  const database = `sqlite:${join(own, "a.db")}`;
  const inDenied = `sqlite:${join(denied, "a.db")}`;
  const ofOther = `This runs as nobody, but ${denied} belongs to root. Name another path, or give nobody access to it (chown)`;
  const cases = [
    [["serve"], inDenied, ofOther],
    [["places", "override", "00790", "--country", "US", "--not-found"], inDenied, ofOther],
    [["places", "import", "geonames", "absent.zip"], inDenied, ofOther],
    [["doctor"], inDenied, ofOther],
    // Makes the database of those below.
    [["places", "override", "00790", "--country", "US", "--not-found"], database, ""],
    [["backup", join(denied, "a")], database, ofOther],
    [["backup", join(owned, "a")], database, "or run this as daemon (sudo -u daemon)"],
  ] as const;
  for (const [words, url, shown] of cases) {
    const { stdout, stderr } = runAs(stranger, words, url);
    assert.ok((stdout + stderr).includes(shown), `${words.join(" ")}: ${stdout}${stderr}`);
    assert.doesNotMatch(stdout + stderr, /sudo -u wfh|EACCES/);
  }
  chmodSync(own, 0o500);
  const { stderr } = runAs(stranger, ["backup", join(own, "a")], database);
  assert.ok(stderr.includes(`This runs as nobody, who owns ${own}: check the mode`), stderr);
});

test("a folder in place of the database is called one", () => {
  for (const [words, expected] of [
    [["accounts", "list"], 69],
    [["serve"], 78],
  ] as const) {
    const { status, stderr } = runAs(undefined, words, `sqlite:${folder}`);
    assert.equal(status, expected);
    assert.match(stderr, /\S+ is not a file\. Name a file/);
  }
});

/** A library that refuses locks as a network drive without a lock service does. */
const noLocks = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#define REFUSE(name) int name(int fd, int command, ...) { \\
  va_list list; va_start(list, command); void *given = va_arg(list, void *); va_end(list); \\
  if (command == F_SETLK || command == F_SETLKW) { errno = ENOLCK; return -1; } \\
  return ((int (*)(int, int, ...))dlsym(RTLD_NEXT, #name))(fd, command, given); }
REFUSE(fcntl)
REFUSE(fcntl64)
`;

test("a file system that grants no locks is called one, and no other program is blamed", async (t) => {
  const library = join(folder, "no-locks.so");
  const built = spawnSync("gcc", ["-shared", "-fPIC", "-o", library, "-x", "c", "-"], {
    input: noLocks,
  });
  if (built.status !== 0) {
    t.skip("there is no gcc here");
    return;
  }
  const file = join(folder, "unlocked.db");
  await (await openAdmin(`sqlite:${file}`, "write", Date.now)).close();
  const codes = join(folder, "IE.txt");
  writeFileSync(codes, "IE\tD02\tDublin\tLeinster\tL\t\t\t\t\t45.4\t-75.7\t\n");
  for (const words of [
    ["accounts", "remove", "ada"],
    ["places", "import", "geonames", codes],
  ]) {
    const { status, stderr } = runAs(undefined, words, `sqlite:${file}`, { LD_PRELOAD: library });
    assert.equal(status, 69);
    assert.match(stderr, /the file system grants no locks \(ENOLCK\)/);
    assert.doesNotMatch(stderr, /is locked|Another import/);
  }
  assert.doesNotMatch(readdirSync(folder).join(), /\.lock-/);
});
