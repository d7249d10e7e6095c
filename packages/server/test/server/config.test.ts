import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readConfig, SettingsError } from "../../src/server/settings/config.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const folder = temporaryFolder();

function settingsFile(text: string): string {
  const path = join(folder, "settings.toml");
  writeFileSync(path, text);
  return path;
}

function binaryFile(): string {
  const path = settingsFile("");
  writeFileSync(path, Buffer.from([0xff, 0xfe, 0x00, 0x01]));
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

test("readConfig() shows no password of an address", () => {
  const address = "https://bob:pa/ss@old.example.org/x.svc";
  assert.throws(() => readConfig(undefined, { WFH_LEGACY_LOGIN_URL: address }), {
    message: /="https:\/\/bob:…@old\.example\.org\/x\.svc" .* without a user name or query/,
  });
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
  ["WFH_LOCATION_NAMESPACE", "no-scheme/"],
  ["WFH_LOCATION_NAMESPACE", 'http://example.org/"/'],
  ["WFH_LOCATION_NAMESPACE", "http://exämple.org/"],
  ["WFH_ENDPOINT_NAMESPACE", "http://example.org/wörter"],
  ["WFH_COUNTRY_PRECEDENCE", "us"],
  ["WFH_LOG_LEVEL", "loud"],
  ["WFH_BODY_BYTES_MAX", "1e9"],
  ["WFH_KEY_FILE", "a\0b"],
  ["WFH_HASHES_AT_ONCE", "0"],
  ["WFH_HASHES_AT_ONCE", "65"],
  ["WFH_HASHES_AT_ONCE", "Auto"],
];
for (const [variable, value] of wrong) {
  test(`readConfig() refuses ${variable}=${JSON.stringify(value)}, naming key, value and what is allowed`, () => {
    assert.throws(
      () => readConfig(undefined, { [variable]: value }),
      (reason) => {
        assert.ok(reason instanceof SettingsError);
        assert.ok(
          reason.message.startsWith(`${variable}=${JSON.stringify(value)} (environment): must be `),
        );
        return true;
      },
    );
  });
}

const key = `${"k".repeat(42)}0`;
/** The others are no keys: one bit too many, too short, padded, of the other alphabet. */
const secret: readonly (readonly [variable: string, value: string])[] = [
  ["WFH_SECRET_KEYS", `${key.slice(0, -1)}1`],
  ["WFH_SECRET_KEYS", `${key},${key.slice(1)}`],
  ["WFH_SECRET_KEYS", `${key}=`],
  ["WFH_SECRET_KEYS", key.replace("k", "+")],
  ["WFH_DATABASE_URL", "postgres://forms:pass word@db.example/forms"],
];
for (const [variable, value] of secret) {
  test(`readConfig() refuses ${variable}=${JSON.stringify(value)} without repeating it`, () => {
    const quoted = JSON.stringify(value);
    const file = settingsFile(`${variable} = ${quoted}`);
    for (const read of [
      () => readConfig(undefined, { [variable]: value }),
      () => readConfig(file, {}),
    ]) {
      assert.throws(read, ({ message }) => {
        assert.match(message, /^WFH_\w+=… \(.*\): must be /);
        assert.doesNotMatch(message, /kkk|pass word/);
        return true;
      });
    }
  });
}

test("readConfig() says where a file is wrong without repeating its lines", () => {
  const file = settingsFile(`WFH_PORT = 1\nWFH_SECRET_KEYS = "${key}\n`);
  assert.throws(
    () => readConfig(file, {}),
    ({ message }) => {
      assert.match(message, /settings\.toml: .*, line 2, column \d+$/);
      assert.doesNotMatch(message, /kkk/);
      return true;
    },
  );
});

test("readConfig() takes keys in their order", () => {
  const { config } = readConfig(undefined, { WFH_SECRET_KEYS: `${key}, ${key.replace("k", "_")}` });
  assert.deepEqual(config.secretKeys, [key, key.replace("k", "_")]);
});

test("readConfig() leaves the number of hashes to the machine by default", () => {
  assert.equal(readConfig(undefined, {}).config.hashesAtOnce, "auto");
  assert.equal(readConfig(undefined, { WFH_HASHES_AT_ONCE: "3" }).config.hashesAtOnce, 3);
});

test("readConfig() names everything that is wrong at once", () => {
  assert.throws(
    () => readConfig(undefined, { WFH_PORT: "x", WFH_LOG_LEVEL: "y" }),
    /WFH_PORT.*WFH_LOG_LEVEL/s,
  );
});

/** Hosts of the listeners that have port 8080 both, and whether they can. */
const portTwice: readonly (readonly [host: string, adminHost: string, isAllowed: boolean])[] = [
  ["127.0.0.1", "127.0.0.1", false],
  ["0.0.0.0", "127.0.0.1", false],
  ["10.0.0.7", "::", false],
  ["10.0.0.7", "127.0.0.1", true],
];
for (const [WFH_HOST, WFH_ADMIN_HOST, isAllowed] of portTwice) {
  test(`readConfig() of one port at ${WFH_HOST} and ${WFH_ADMIN_HOST}`, () => {
    const read = () => readConfig(undefined, { WFH_HOST, WFH_ADMIN_HOST, WFH_ADMIN_PORT: "8080" });
    if (isAllowed) assert.equal(read().config.adminPort, 8080);
    else
      assert.throws(read, {
        name: "SettingsError",
        message: /^WFH_PORT, WFH_ADMIN_PORT: both are 8080; set one of them to another port$/,
      });
  });
}

test("readConfig() lets both listeners pick a port", () => {
  const { config } = readConfig(undefined, { WFH_PORT: "0", WFH_ADMIN_PORT: "0" });
  assert.deepEqual([config.port, config.adminPort], [0, 0]);
});

for (const [written, meant] of [
  ["WFH_PROT", "WFH_PORT"],
  ["WFH_DATABSE_URL", "WFH_DATABASE_URL"],
  ["WFH_CONFG", "WFH_CONFIG"],
  ["WFH_CONFIG_FILE", "WFH_CONFIG"],
] as const) {
  test(`readConfig() refuses the variable ${written} and names ${meant}`, () => {
    assert.throws(
      () => readConfig(undefined, { [written]: "1" }),
      ({ message }) => {
        assert.equal(message, `${written} (environment): unknown setting; did you mean ${meant}?`);
        return true;
      },
    );
  });
}

test("readConfig() only warns of variables that are not close to a setting", () => {
  const strays = ["WFH_SERVICE_HOST", "WFH_SERVICE_PORT", "WFH_PORT_8080_TCP", "WFH_HOME"];
  const { warnings } = readConfig(undefined, Object.fromEntries(strays.map((name) => [name, "1"])));
  assert.deepEqual(
    warnings.map((warning) => warning.split(" ", 1)[0]),
    strays,
  );
});

test("readConfig() says where the WFH_PORT of a Kubernetes Service comes from", () => {
  assert.throws(
    () => readConfig(undefined, { WFH_PORT: "tcp://10.0.0.1:8080" }),
    /^SettingsError: WFH_PORT="tcp:.*Service named wfh; set enableServiceLinks: false/,
  );
});

/** Settings files with a value of the wrong kind or an unknown key, and what is said of each. */
const wrongFiles: readonly (readonly [text: string, message: RegExp])[] = [
  [
    "[server]\nWFH_PORT = 1",
    /^server \(.*\): this is a table, .* flat; write WFH_PORT = … without/,
  ],
  ["[server]\nhost = 'x'", /^server .* this is a table, .* write WFH_HOST = …/],
  ["[database]\nurl = 'x'", /^database .* this is a table, .* write WFH_DATABASE_URL = …/],
  ["server.WFH_HOST = 'x'", /^server .* this is a table, .* write WFH_HOST = …/],
  ["[[nodes]]\nx = 1", /^nodes .* this is a table, .* write WFH_PORT = …/],
  ["WFH_HOST = { a = 1 }", /^WFH_HOST .* this is a table, .* write WFH_HOST = …/],
  ["WFH_PORT = [1]", /^WFH_PORT .* an array is not allowed; it must be a whole number/],
  ["WFH_ALLOWED_ORIGINS = [['a']]", /^WFH_ALLOWED_ORIGINS .* an array is not allowed/],
  ["WFH_PORT = 2026-01-01", /^WFH_PORT .* a date is not allowed/],
  ["WFH_PROT = 1", /^WFH_PROT .* unknown setting; did you mean WFH_PORT\?$/],
  ["port = 1", /^port .* unknown setting; did you mean WFH_PORT\?$/],
  [
    "WFH_WORKERS = 1",
    /^WFH_WORKERS \(.*\): workers are gone; remove this, .*docs\/nodes\.md#several-/,
  ],
  ["WFH_CONFIG = 'x'", /^WFH_CONFIG .* unknown setting; docs\/settings\.md lists all settings$/],
];
for (const [text, expected] of wrongFiles) {
  test(`readConfig() refuses a file with ${JSON.stringify(text)}`, () => {
    assert.throws(
      () => readConfig(settingsFile(text), {}),
      (reason) => {
        assert.ok(reason instanceof SettingsError);
        assert.match(reason.message, expected);
        return true;
      },
    );
  });
}

test("readConfig() reads a file with a byte order mark", () => {
  assert.equal(readConfig(settingsFile("\ufeffWFH_PORT = 4321"), {}).config.port, 4321);
});

const unreadable: readonly (readonly [what: string, path: () => string, message: RegExp])[] = [
  ["malformed", () => settingsFile("WFH_PORT = = 1"), /settings\.toml: .*, line 1, column 12$/],
  ["binary", () => binaryFile(), /settings\.toml is not UTF-8 text: save it in that encoding$/],
  [
    "too long",
    () => settingsFile(Array.from({ length: 40_000 }, (_, i) => `k${i} = 1`).join("\n")),
    /settings\.toml is longer than 256 KiB: name another file$/,
  ],
  ["endless", () => "/dev/zero", /\/dev\/zero is longer than 256 KiB: name another file$/],
  ["absent", () => join(folder, "absent.toml"), /File not found: \S+absent\.toml$/],
  ["in no folder", () => join(folder, "none", "x.toml"), /Folder not found: \S+none$/],
  ["a folder", () => folder, / is a folder: name a file$/],
];
for (const [what, path, expected] of unreadable) {
  test(`readConfig() says why a settings file that is ${what} cannot be read`, () => {
    assert.throws(
      () => readConfig(path(), {}),
      ({ message }) => {
        assert.match(message, /^Cannot read the settings file\. /);
        assert.match(message, expected);
        return true;
      },
    );
  });
}
