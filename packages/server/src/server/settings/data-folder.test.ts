import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { quickFolder } from "../../../test/quick-folder.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { keyFileOf, placeData } from "./data-folder.ts";

const none = { dataDir: "", databaseUrl: "", keyFile: "", gazetteer: "" };
const postgres = "postgres://wfh@127.0.0.1/wfh";

for (const [what, environment, folder] of [
  ["under systemd, in its first folder", { STATE_DIRECTORY: "/var/lib/a:/b" }, "/var/lib/a"],
  ["in the user's state", { XDG_STATE_HOME: "/state" }, "/state/web-forms-helper"],
  [
    "in the home folder, where that of the state is relative",
    { XDG_STATE_HOME: "state" },
    join(homedir(), ".local/state/web-forms-helper"),
  ],
] as const) {
  test(`files that no setting names are ${what}`, () => {
    assert.deepEqual(placeData(none, environment), {
      dataDir: folder,
      databaseUrl: `sqlite:${folder}/web-forms-helper.db`,
    });
  });
}

test("WFH_DATA_DIR wins, and has the key where the database is PostgreSQL", () => {
  const given = { ...none, dataDir: "/data", databaseUrl: postgres };
  const placed = placeData(given, { STATE_DIRECTORY: "/var/lib/wfh" });
  assert.deepEqual(placed, { dataDir: "/data", databaseUrl: postgres });
  assert.equal(keyFileOf({ ...given, ...placed }), "/data/web-forms-helper.key");
});

test("settings that name all files need no folder", () => {
  for (const named of [
    { ...none, databaseUrl: "sqlite:/a/b.db" },
    { ...none, databaseUrl: postgres, keyFile: "/a/b.key" },
  ]) {
    assert.equal(placeData(named, {}).dataDir, "");
  }
});

test("files of an earlier version in the working directory are used, with a notice", (t) => {
  const folder = temporaryFolder(quickFolder);
  const before = process.cwd();
  process.chdir(folder);
  t.after(() => process.chdir(before));
  const environment = { XDG_STATE_HOME: "/state" };
  // An import came before the first start.
  writeFileSync("web-forms-helper.gazetteer", "");
  assert.equal(placeData(none, environment).dataDir, ".");
  assert.notEqual(placeData({ ...none, gazetteer: "named" }, environment).dataDir, ".");
  writeFileSync("web-forms-helper.db", "");
  const { databaseUrl, notice = "" } = placeData(none, environment);
  assert.equal(databaseUrl, "sqlite:web-forms-helper.db");
  assert.ok(notice.includes(`${folder} are used`), notice);
  assert.match(notice, /Move them to \/state\/web-forms-helper, or set WFH_DATA_DIR/);
  // Where the unit of systemd works, they are where they belong.
  assert.equal(placeData(none, { STATE_DIRECTORY: folder }).notice, undefined);
  assert.equal(placeData({ ...none, dataDir: "/data" }, environment).dataDir, "/data");
});
