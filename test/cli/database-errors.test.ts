import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, test } from "node:test";
import { openAdministration } from "../../src/store/store.ts";
import { quickFolder } from "../quick-folder.ts";
import { plainEnvironment } from "../test-server.ts";

const folder = mkdtempSync(join(quickFolder, "wfh-errors-"));
after(() => rmSync(folder, { recursive: true }));

/** Another user than the one who runs the tests. */
const stranger = 65_534;
const isRoot = process.getuid?.() === 0;
const skip = isRoot ? false : "only the superuser can run a command as another user";

/** Runs a command in a process of its own. */
function runAs(uid: number | undefined, words: readonly string[], databaseUrl: string) {
  const options = uid === undefined ? {} : { uid, gid: uid };
  const env = { ...plainEnvironment, WFH_DATABASE_URL: databaseUrl, WFH_PORT: "0" };
  const { status, stderr } = spawnSync(process.execPath, ["src/cli/main.ts", ...words], {
    ...{ env, encoding: "utf8", timeout: 30_000 },
    ...options,
  });
  return { status, stderr };
}

test("with PostgreSQL, a folder that the server's user cannot read does not matter", {
  skip,
}, () => {
  chmodSync(folder, 0o755);
  const home = mkdtempSync(join(folder, "home-"));
  const { status, stdout } = spawnSync(process.execPath, [resolve("src/cli/main.ts"), "version"], {
    env: {
      ...plainEnvironment,
      WFH_DATABASE_URL: "postgres://127.0.0.1:1/wfh",
      WFH_KEY_FILE: join(folder, "wfh.key"),
    },
    ...{ cwd: home, uid: stranger, gid: stranger, encoding: "utf8", timeout: 30_000 },
  });
  assert.match(stdout, /^Postal data of +\d{4}-/m);
  assert.equal(status, 0);
});

test("a missing folder of the database is not blamed on the key file", () => {
  const missing = join(folder, "missing");
  const { status, stderr } = runAs(undefined, ["serve"], `sqlite:${join(missing, "a.db")}`);
  assert.equal(status, 3);
  assert.ok(stderr.includes(`The folder ${missing} for the database and its key does not exist`));
  assert.match(stderr, /correct WFH_DATABASE_URL/);
  assert.doesNotMatch(stderr, /WFH_KEY_FILE/);
});

test("a user who may not open the database learns whose command it is", { skip }, async () => {
  const shut = join(folder, "shut");
  mkdirSync(shut);
  const files = [join(folder, "a.db"), join(shut, "a.db")];
  for (const file of files) {
    const database = await openAdministration(`sqlite:${file}`, Date.now);
    await database.close();
  }
  chmodSync(folder, 0o755);
  chmodSync(shut, 0o700);
  for (const file of files) {
    const { status, stderr } = runAs(stranger, ["forms", "list"], `sqlite:${file}`);
    assert.equal(status, 3, stderr);
    assert.match(stderr, /Permission denied for \S+a\.db\. Run this as the server's user/);
  }
});
