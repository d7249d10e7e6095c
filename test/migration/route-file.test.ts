import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { openCliFixture } from "../cli/cli-fixture.ts";
import { freePort } from "../free-port.ts";
import { readText } from "../source-files.ts";

const fixture = openCliFixture();
after(() => fixture.close());

const example = readText("examples/routes.toml");
const file = join(fixture.folder, "routes.toml");
const check = (text: string, ...words: readonly string[]) => {
  writeFileSync(file, text);
  return fixture.run(["migrate", "route", file, ...words]);
};

const top = 'listen = "127.0.0.1:8090"\nold = "http://10.0.0.5"\nnew = "http://127.0.0.1:8080"\n';
const rule = (text: string) => `${top}[operations]\n${text}\n`;
const wrong: readonly (readonly [what: string, text: string, message: RegExp])[] = [
  ["nothing", "", /listen is missing: [^\n]*\n[^\n]*old is missing[^\n]*\n[^\n]*new is missing/],
  ["no TOML", "listen = \n", /^Cannot read the route file\. .*, line 1, column/],
  [
    "an unknown key",
    `${top}opperations = 1`,
    /opperations: unknown key; did you mean operations\?/,
  ],
  [
    "an operation outside of its table",
    `${top}LogInUser = "old"`,
    /LogInUser: write it below \[operations\]/,
  ],
  [
    "an unknown operation",
    rule('LoginUsr = "new"'),
    /LoginUsr: unknown operation; did you mean LogInUser\?/,
  ],
  ["one in other letters", rule('loginuser = "new"'), /did you mean LogInUser\?/],
  [
    "an operation of no service",
    rule('Pay = "new"'),
    /Pay: unknown operation; known are PostalCodeToCityState, /,
  ],
  ["an operation twice", rule('LogInUser = "new"\nLogInUser = "old"'), /line 6, column/],
  [
    "another rule",
    rule('LogInUser = "ours"'),
    /LogInUser = "ours": it must be "old", "new", "new-or-old", or a share/,
  ],
  ["a share over 100", rule('LogInUser = "101% new"'), /it must be/],
  ["a share for the old server", rule('LogInUser = "25% old"'), /it must be/],
  [
    "a rule that is a table",
    rule("LogInUser = { new = 25 }"),
    /LogInUser = \{"new":25\}: it must be/,
  ],
  [
    "a table that is a text",
    `${top}operations = "old"`,
    /operations: it must be a table, \[operations\]/,
  ],
  [
    "a URL with a path",
    top.replace("10.0.0.5", "10.0.0.5/services"),
    /old = "[^"]*": it must be the old server without a path/,
  ],
  [
    "a password, without showing it",
    top.replace("10.0.0.5", "bob:secret@10.0.0.5"),
    /old = "http:\/\/…@10\.0\.0\.5": it must be the old server without a path/,
  ],
  [
    "another scheme",
    top.replace("http://10", "ftp://10"),
    /it must be the old server without a path/,
  ],
  [
    "one server for both sides",
    top.replace("10.0.0.5", "localhost:8080"),
    /old and new are the same address: give two/,
  ],
  [
    "a server that is the program itself",
    top.replace("10.0.0.5", "localhost:8090"),
    /listen and old are the same address/,
  ],
  [
    "metrics on the address of the servers",
    `${top}metrics = "0.0.0.0:8090"`,
    /listen and metrics are the same address/,
  ],
  [
    "a port alone",
    top.replace("127.0.0.1:8090", "8090"),
    /listen = "8090": it must be an address with a port/,
  ],
  [
    "a cookie without a name",
    `${top}client = "cookie"`,
    /client = "cookie": it must be "address", "cookie NAME"/,
  ],
  [
    "a tester without a value",
    `${top}tester = "X-Tester"`,
    /tester = "X-Tester": it must be a header with its value/,
  ],
  ["an endless time", `${top}timeout_seconds = 0`, /it must be a whole number from 1 to 600/],
];

describe("wfh migrate route --check", () => {
  test("shows what goes where", async () => {
    const { code, out, err } = await check(example, "--check");
    assert.equal(err, "");
    assert.equal(code, 0);
    assert.match(out, /^GetCityStateForPostalCode +25% new-or-old$/m);
    assert.match(out, /^all others +old$/m);
    const { routes, warnings } = JSON.parse((await check(example, "--check", "--json")).out);
    assert.equal(routes.LogInUser, "old");
    assert.deepEqual(warnings, []);
  });

  test("takes the example with every line that is commented out", async () => {
    const lines = example.replace(/^# (?=\w+ = ["\d[])/gm, "");
    assert.equal(lines.match(/^\w+ = /gm)?.length, 15);
    assert.equal((await check(lines, "--check")).err, "");
  });

  test("warns where visitors would not stay logged in", async () => {
    const warns = async (logIn: string, auto: string) => {
      const text = example.replace(/(LogInUser =) .*/, `$1 "${logIn}"`);
      const { code, out } = await check(
        text.replace(/(TryAutoLogIn =) .*/, `$1 "${auto}"`),
        "--check",
      );
      assert.equal(code, 0);
      return /LogInUser and TryAutoLogIn go to different servers for some visitors/.test(out);
    };
    assert.ok(await warns("25% new", "old"));
    assert.ok(await warns("new-or-old", "new"));
    assert.equal(await warns("100% new", "new"), false);
    assert.equal(await warns("0% new-or-old", "old"), false);
  });

  for (const [what, text, message] of wrong) {
    test(`refuses ${what}`, async () => {
      const { code, out, err } = await check(text, "--check");
      assert.equal(code, 2);
      assert.equal(out, "");
      assert.match(err, message);
      assert.doesNotMatch(err, /^ +at /m);
    });
  }
});

const set = async (text: string, ...values: readonly string[]) => {
  const words = values.flatMap((value) => (value === "--check" ? value : ["--set", value]));
  const run = await check(text, ...words);
  return { ...run, text: readFileSync(file, "utf8") };
};

describe("wfh migrate route --set", () => {
  test("changes a rule and nothing else, and prints the command that goes back", async () => {
    const { code, out, text } = await set(example, "LogInUser=25% new", "TryAutoLogIn=25% new");
    assert.equal(code, 0);
    assert.equal(text, example.replaceAll(/((?:LogInUser|TryAutoLogIn) =) "old"/g, '$1 "25% new"'));
    assert.match(out, /^ {2}LogInUser: old -> 25% new$/m);
    const [, back = ""] = /^ {2}wfh (migrate route .*)$/m.exec(out) ?? [];
    assert.match(back, / --set TryAutoLogIn=old --set LogInUser=old$/);
    assert.equal((await fixture.run(back.split(" "))).code, 0);
    assert.equal(readFileSync(file, "utf8"), example);
  });

  test("adds what the file does not have, with or without its table", async () => {
    const bare =
      'listen = "127.0.0.1:8090"\nold = "http://10.0.0.5"\nnew = "http://127.0.0.1:8080"';
    const { code, text } = await set(bare, "everything=old", "LogInUser=new");
    assert.equal(code, 0);
    assert.equal(text, `everything = "old"\n${bare}\n[operations]\nLogInUser = "new"`);
    assert.equal((await set(text, "everything=listed", "TryAutoLogIn=new")).code, 0);
  });

  test("warns where the new server does not take the calls", async () => {
    const origin = `http://127.0.0.1:${await freePort()}`;
    const routes = `listen = "127.0.0.1:8090"\nold = "http://10.0.0.5"\nnew = "${origin}"\n`;
    const { code, out } = await set(routes, "LogInUser=new");
    assert.equal(code, 0);
    assert.match(
      out,
      /^Warnings\n(?: .*\n)* {2}The new server \(http:\S+\): nothing responds there\. Check/m,
    );
  });

  test("leaves a file as it was where the result would not be valid", async () => {
    for (const [value, message] of [
      ["LogInUser=nwe", /routes\.toml: LogInUser = "nwe": it must be/],
      ["constructor=new", /routes\.toml: constructor: unknown key; known are listen/],
      ["LogInUsr=new", /routes\.toml: LogInUsr: unknown key; did you mean LogInUser\?/],
      ["new=http://192.0.2.20", /old and new are the same address/],
      ["LogInUser", /--set LogInUser: expected a key with its value, such as LogInUser=old/],
    ] as const) {
      const { code, err, text } = await set(example, value);
      assert.equal(code, 2, err);
      assert.match(err, message);
      assert.equal(text, example);
    }
    const inline = `${example.slice(0, example.indexOf("[operations]"))}operations = { LogInUser = "new" }\n`;
    const { code, err, text } = await set(inline, "LogInUser=old");
    assert.equal(code, 2);
    assert.match(
      err,
      /\/routes\.toml: Invalid TOML document: trying to redefine an already defined table/,
    );
    assert.equal(text, inline);
    assert.deepEqual(
      readdirSync(fixture.folder).filter((name) => name.startsWith(".")),
      [],
    );
  });
});

test("wfh migrate route --set shows a change with --check, and writes nothing", async () => {
  const { code, out, text } = await set(example, "LogInUser=new", "TryAutoLogIn=new", "--check");
  assert.equal(code, 0);
  assert.match(out, /^Would change\n {2}TryAutoLogIn: old -> new\n {2}LogInUser: old -> new$/m);
  assert.doesNotMatch(out, /To go back/);
  assert.equal(text, example);
});

test("wfh migrate route --set changes a file that begins with a byte order mark", async () => {
  const { code, text } = await set(`\ufeff${example}`, "everything=old");
  assert.equal(code, 0);
  assert.equal(text, `everything = "old"\n${example}`);
});

test("two commands that change a file at the same time lose no change", async () => {
  writeFileSync(file, example);
  const change = (value: string) => fixture.run(["migrate", "route", file, "--set", value]);
  const both = ["LogInUser=new", "TryAutoLogIn=new"];
  const [first, second] = await Promise.all(both.map(change));
  assert.equal(first?.code, 0);
  assert.equal(second?.code, 3);
  assert.match(
    second?.err ?? "",
    /^Another command is changing .*routes\.toml\. Try again; if none/,
  );
  const again = await change("TryAutoLogIn=new");
  assert.equal(again.code, 0);
  assert.doesNotMatch(again.out, /LogInUser: /);
  const text = readFileSync(file, "utf8");
  for (const value of both) assert.ok(text.includes(value.replace("=", ' = "')), value);
});
