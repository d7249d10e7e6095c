import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { readConfig, SettingsError } from "../../src/server/config.ts";

const folder = mkdtempSync(join(tmpdir(), "wfh-config-"));
after(() => rmSync(folder, { recursive: true }));

function settingsFile(text: string): string {
  const path = join(folder, "settings.toml");
  writeFileSync(path, text);
  return path;
}

test("readConfig() of nothing is the defaults", () => {
  const { config, warnings } = readConfig(undefined, {});
  assert.deepEqual(warnings, []);
  assert.equal(config.port, 8080);
  assert.equal(config.host, "127.0.0.1");
  assert.equal(config.baseUrl, undefined);
  assert.deepEqual(config.countryPrecedence, ["US", "CA"]);
});

test("readConfig() takes the environment before the file before the default", () => {
  const file = settingsFile(
    'WFH_PORT = 1234\nWFH_HOST = "::1"\nWFH_COUNTRY_PRECEDENCE = ["DE", "US"]\n',
  );
  const { config } = readConfig(file, { WFH_PORT: "99" });
  assert.deepEqual([config.port, config.host, config.countryPrecedence], [99, "::1", ["DE", "US"]]);
});

test("readConfig() finds the file by WFH_CONFIG", () => {
  const { config } = readConfig(undefined, { WFH_CONFIG: settingsFile("WFH_PORT = 4321") });
  assert.equal(config.port, 4321);
});

const wrong: readonly (readonly [string, string])[] = [
  ["WFH_PORT", "65536"],
  ["WFH_PORT", "-1"],
  ["WFH_PORT", "80x"],
  ["WFH_PORT", ""],
  ["WFH_HOST", "two words"],
  ["WFH_BASE_URL", "ftp://example.org"],
  ["WFH_BASE_URL", "forms.example.org"],
  ["WFH_BASE_URL", "https://user@example.org"],
  ["WFH_LOCATION_NAMESPACE", "http://example.org/no-slash"],
  ["WFH_LOCATION_NAMESPACE", 'http://example.org/"/'],
  ["WFH_COUNTRY_PRECEDENCE", "us"],
  ["WFH_LOG_LEVEL", "loud"],
  ["WFH_BODY_BYTES_MAX", "1e9"],
];
for (const [variable, value] of wrong) {
  test(`readConfig() refuses ${variable}=${JSON.stringify(value)}, naming key, value and what is allowed`, () => {
    assert.throws(
      () => readConfig(undefined, { [variable]: value }),
      (reason) => {
        assert.ok(reason instanceof SettingsError);
        assert.ok(
          reason.message.startsWith(
            `${variable}=${JSON.stringify(value)} (environment): allowed is `,
          ),
        );
        return true;
      },
    );
  });
}

test("readConfig() names everything that is wrong at once", () => {
  assert.throws(
    () => readConfig(undefined, { WFH_PORT: "x", WFH_LOG_LEVEL: "y" }),
    /WFH_PORT.*WFH_LOG_LEVEL/s,
  );
});

test("readConfig() warns of a variable that is no setting and refuses one in a file", () => {
  assert.match(readConfig(undefined, { WFH_PROT: "1" }).warnings.join(), /WFH_PROT/);
  assert.throws(() => readConfig(settingsFile("WFH_PROT = 1"), {}), /WFH_PROT/);
});

test("readConfig() says why a file cannot be read", () => {
  assert.throws(
    () => readConfig(settingsFile("WFH_PORT = = 1"), {}),
    /settings\.toml cannot be read/,
  );
  assert.throws(
    () => readConfig(join(folder, "absent.toml"), {}),
    /absent\.toml cannot be read: ENOENT/,
  );
});
