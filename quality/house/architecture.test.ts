import assert from "node:assert/strict";
import { posix } from "node:path";
import { describe, test } from "node:test";
import { listFiles, readText } from "@wfh/server/test/source-files.ts";
import { type Architecture, findBreaches } from "./architecture-rules.ts";
import { importsOf } from "./source-text.ts";

const folders = [
  "lib",
  "contract",
  "codec",
  "bindings",
  "metadata",
  "operations",
  "domain",
  "store",
  "gazetteer",
  "secrets",
  "server",
];

/**
 * Who may know whom: `server -> bindings -> operations -> domain <- store`, with the contract under
 * everything. Want another arrow? Change this table in a commit of its own and say why.
 */
const architecture: Architecture = {
  mayImport: {
    lib: [],
    contract: ["lib"],
    domain: ["lib"],
    codec: ["lib", "contract"],
    bindings: ["lib", "contract", "codec", "fault.ts"],
    metadata: ["lib", "contract", "codec", "bindings"],
    operations: ["lib", "contract", "domain", "fault.ts"],
    store: ["lib", "domain"],
    gazetteer: ["lib", "domain"],
    secrets: ["lib", "codec", "domain"],
    server: ["lib", "contract", "codec", "bindings", "metadata", "fault.ts"],
    "fault.ts": ["contract"],
    "service.ts": [...folders, "fault.ts"],
    "service-store.ts": ["lib", "secrets", "server", "store"],
    "index.ts": [...folders, "fault.ts", "service.ts", "service-store.ts"],
  },
  nodeModules: ["lib", "server", "store", "gazetteer", "secrets", "service.ts"],
  packages: {
    "codec/xml/reader.ts": ["saxes"],
    store: ["pg"],
    server: ["@opentelemetry/api", "pino", "@prometheus-io/client", "smol-toml"],
    secrets: ["@node-rs/argon2", "@node-rs/bcrypt"],
    // The composition root hands the log on and names its type.
    "service.ts": ["pino"],
    "service-store.ts": ["pino"],
  },
  environment: "server/settings/config.ts",
  timeless: ["contract", "codec", "bindings", "metadata", "operations", "domain"],
  browser: "metadata/assets/",
};

/** Folder of the rooms that the table above is about. */
const rooms = "packages/server/src/";

const sources = listFiles()
  .filter((path) => path.startsWith(rooms) && path.endsWith(".ts"))
  .map((path) => ({ path: path.slice(rooms.length), text: readText(path) }));

test("packages/server/src/ keeps to the table of imports, without cycles, clock or chance", () => {
  assert.notEqual(sources.length, 0);
  assert.deepEqual(findBreaches(sources, architecture), []);
});

test("a server and the thread of its database load no queries of operators", () => {
  const textOf = new Map(sources.map(({ path, text }) => [path, text]));
  const loaded = new Set(["service.ts", "service-store.ts", "store/sqlite/thread-main.ts"]);
  // A set also visits what is added meanwhile.
  for (const path of loaded) {
    for (const specifier of importsOf(textOf.get(path) ?? "")) {
      if (specifier.startsWith(".")) loaded.add(posix.join(posix.dirname(path), specifier));
    }
  }
  assert.ok(loaded.has("store/sqlite/database.ts"));
  assert.deepEqual(
    [...loaded].filter((path) => /^store\/(?:admin|database-copy)\//.test(path)),
    [],
  );
});

/** Imports that each package may have of others, by the beginning of the path. */
const packages: Readonly<Record<string, readonly string[]>> = {
  server: [],
  console: ["@wfh/server/"],
  cli: ["@wfh/server/", "@wfh/console/"],
  // Beside the kit of the command line: columns and state names of the table that a harvest writes.
  migrate: [
    "@wfh/server/",
    "@wfh/cli/io/",
    "@wfh/cli/places/place-row.ts",
    "@wfh/cli/imports/standard-places.ts",
  ],
  browser: ["@wfh/server/contract/"],
};
for (const [name, allowed] of Object.entries(packages)) {
  const own = `packages/${name}/`;
  // Tests may use all of a package of which the sources may use a part.
  const ofTests = allowed.map((start) => start.replace(/^(@wfh\/\w+\/).*/, "$1"));
  test(`${own} imports ${allowed.join(", ") || "no other package"}`, () => {
    const files = listFiles().filter((path) => path.startsWith(own) && path.endsWith(".ts"));
    assert.notEqual(files.length, 0);
    const beyond = files.flatMap((path) => {
      const isTest = /\/test\/|\.test\.ts$/.test(path);
      return importsOf(readText(path))
        .map((specifier) =>
          specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : specifier,
        )
        .filter((target) => /^(?:packages\/|quality\/|@wfh\/)/.test(target))
        .filter((target) => {
          const starts = isTest ? ofTests : allowed;
          return ![own, ...starts].some((start) => target.startsWith(start));
        })
        .map((target) => `${path} must not import ${target}`);
    });
    assert.deepEqual(beyond, []);
  });
}

test("packages/browser/ imports types alone", () => {
  const files = listFiles().filter((path) => /^packages\/browser\/src\/.*\.ts$/.test(path));
  const values = files.filter((path) => /^import (?!type ).*"@wfh\//m.test(readText(path)));
  assert.deepEqual(values, []);
});

describe("a breach is found", () => {
  const breaches: readonly { rule: string; files: Record<string, string>; breach: string }[] = [
    {
      rule: "a folder imports one that is above it",
      files: { "domain/log-in/throttle.ts": 'import { find } from "../../store/contacts.ts";' },
      breach: "domain/log-in/throttle.ts must not import store/contacts.ts",
    },
    {
      rule: "a type is imported from above",
      files: { "contract/a.ts": 'import type { Fault } from "../fault.ts";' },
      breach: "contract/a.ts must not import fault.ts",
    },
    {
      rule: "a folder is in nobody's table",
      files: { "drawer/a.ts": "" },
      breach: "drawer/a.ts is not in the table of imports",
    },
    {
      rule: "a root file is in nobody's table",
      files: { "stray.ts": "" },
      breach: "stray.ts is not in the table of imports",
    },
    {
      rule: "code leaves src/",
      files: { "service.ts": 'import pkg from "../package.json";' },
      breach: "service.ts must not import ../package.json",
    },
    {
      rule: "a test is imported",
      files: { "codec/a.ts": 'import "./b.test.ts";' },
      breach: "codec/a.ts must not import codec/b.test.ts",
    },
    {
      rule: "Node is used outside the edges",
      files: { "bindings/a.ts": 'import { once } from "node:events";' },
      breach: "bindings/a.ts must not import node:events",
    },
    {
      rule: "Node is asked for a module outside the edges",
      files: { "codec/a.ts": 'const zlib = process.getBuiltinModule("node:zlib");' },
      breach: "codec/a.ts:1 must not use getBuiltinModule: modules of Node are for the edges",
    },
    {
      rule: "a package is used where it does not belong",
      files: { "bindings/a.ts": 'import { SaxesParser } from "saxes";' },
      breach: "bindings/a.ts must not import saxes",
    },
    {
      rule: "a package of one file is used in its neighbour",
      files: { "codec/a.ts": 'const { SaxesParser } = await import("saxes");' },
      breach: "codec/a.ts must not import saxes",
    },
    {
      rule: "the environment is read elsewhere",
      files: { "server/a.ts": "export const home =\n  process.env.HOME;" },
      breach:
        "server/a.ts:2 must not use process.env: the environment is read in server/settings/config.ts",
    },
    {
      rule: "the domain looks at the clock",
      files: { "domain/a.ts": "const now = new Date();" },
      breach: "domain/a.ts:1 must not use new Date: clock and randomness are passed in",
    },
    {
      rule: "a binding rolls dice",
      files: { "bindings/a.ts": "const id = Math.random();" },
      breach: "bindings/a.ts:1 must not use Math.random: clock and randomness are passed in",
    },
    {
      rule: "two files import each other's types",
      files: {
        "codec/a.ts": 'import type { B } from "./b.ts";',
        "codec/b.ts": 'import type { A } from "./a.ts";',
      },
      breach: "Import cycle: codec/a.ts -> codec/b.ts -> codec/a.ts",
    },
    {
      rule: "a test lies where no code is",
      files: { "codec/far/a.test.ts": "" },
      breach: "codec/far/a.test.ts does not lie beside the code that it tests",
    },
  ];
  for (const { rule, files, breach } of breaches) {
    test(`when ${rule}`, () => {
      assert.deepEqual(findBreaches(asFiles(files), architecture), [breach]);
    });
  }
});

test("what the table allows is no breach", () => {
  const files = {
    "server/settings/config.ts": 'import { parse } from "smol-toml"; parse(process.env["A"]);',
    "codec/xml/reader.ts": 'import { SaxesParser } from "saxes"; import "../../contract/a.ts";',
    "contract/a.ts": "const then = new Date(0); // unlike Date.now()",
    "codec/xml/reader.test.ts":
      'import "../server/settings/config.ts"; import fc from "fast-check";',
    "service.ts": 'import "./server/settings/config.ts"; import "node:crypto";',
  };
  assert.deepEqual(findBreaches(asFiles(files), architecture), []);
});

function asFiles(files: Readonly<Record<string, string>>) {
  return Object.entries(files).map(([path, text]) => ({ path, text }));
}
