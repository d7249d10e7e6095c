import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { readConfig } from "../src/server/settings/config.ts";
import { readText, root } from "./source-files.ts";

const folder = mkdtempSync(join(tmpdir(), "wfh-examples-"));
after(() => rmSync(folder, { recursive: true }));

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
