import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readConfig } from "@wfh/server/server/settings/config.ts";
import { readText, root } from "@wfh/server/test/source-files.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";

const folder = temporaryFolder();

test("examples/settings.toml can be used as it is", () => {
  const { config } = readConfig(`${root}examples/settings.toml`, {});
  assert.equal(config.databaseUrl, "sqlite:/var/lib/wfh/wfh.db");
});

test("examples/settings.toml can be used with every line that is commented out", () => {
  const [given = [], commented = []] = [/^WFH_.*/gm, /(?<=^# )WFH_.*=.*/gm].map((line) =>
    readText("examples/settings.toml").match(line),
  ) as string[][];
  assert.ok(commented.length > 5);
  for (const line of commented) {
    const [name = ""] = line.split(" ");
    const others = given.filter((other) => !other.startsWith(`${name} `));
    const file = join(folder, "settings.toml");
    writeFileSync(file, [...others, line].join("\n"));
    assert.ok(readConfig(file, {}), line);
  }
});

for (const unit of ["wfh", "web-forms-helper@"]) {
  test(`${unit}.service starts a server again that a reload has ended before it could handle it`, () => {
    assert.match(readText(`examples/${unit}.service`), /^RestartForceExitStatus=SIGHUP$/m);
  });
}
