import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import {
  type CliFixture,
  isPassword,
  openCliFixture,
  openFixture,
  type Run,
  type Typed,
} from "./cli-fixture.ts";
import { emulator, noTerminal } from "./terminal-emulator.ts";
import { program } from "./wfh-process.ts";

const sentinel = "sentinel-otter paints a fence";
const enter = "\r";

/** Nothing of the password may be in what was written, nor in any file beside the settings. */
function assertNoSentinel(fixture: CliFixture, { out, err }: Pick<Run, "out" | "err">): void {
  assert.doesNotMatch(out + err, /sentinel|paints/);
  for (const name of readdirSync(fixture.folder)) {
    const bytes = readFileSync(join(fixture.folder, name));
    for (const encoding of ["utf8", "utf16le"] as const) {
      assert.equal(bytes.includes(Buffer.from("sentinel-otter", encoding)), false, name);
    }
    assert.equal(
      bytes.includes(Buffer.from(sentinel).toString("base64").slice(0, 12)),
      false,
      name,
    );
  }
}

describe("a password on a terminal", () => {
  const fixture = openCliFixture();
  after(() => fixture.close());
  const type = (name: string, keys: string, rawMode?: Typed["rawMode"]) =>
    fixture.run(["accounts", "add", name], { keys, ...(rawMode && { rawMode }) });

  test("is asked for twice on standard error, and nothing of it is shown", async () => {
    const modes: boolean[] = [];
    const run = await type("a", sentinel + enter + sentinel + enter, (isRaw) => modes.push(isRaw));
    assert.deepEqual(run, {
      code: 0,
      out: "Added a: record 1, contact 1\n",
      err: `Created a new database: ${fixture.databaseFile}\nPassword of a: \nThe same again: \n`,
    });
    assert.deepEqual(modes, [true, false]);
    assertNoSentinel(fixture, run);
  });

  test("can be mended with backspace and pasted with line ends of Windows", async () => {
    const keys = `${sentinel}é😀\u007f\u007f\r\n${sentinel}\r\n`;
    assert.equal((await type("b", keys)).code, 0);
  });

  for (const [name, key] of [
    ["Ctrl+C", "\u0003"],
    ["Ctrl+D", "\u0004"],
  ] as const) {
    test(`is given up with ${name}, which leaves everything as it was`, async () => {
      const modes: boolean[] = [];
      const typed = name === "Ctrl+C" ? sentinel : "";
      const run = await type("c", typed + key, (isRaw) => modes.push(isRaw));
      assert.equal(run.code, 130);
      assert.match(run.err, /Cancelled\. Nothing was changed\./);
      assert.deepEqual(modes, [true, false]);
      assertNoSentinel(fixture, run);
      assert.equal((await fixture.run(["accounts", "disable", "c"])).code, 1);
    });
  }

  test("is refused when the second is another, or it is weak", async () => {
    const other = await type("d", `${sentinel}${enter}${sentinel}!${enter}`);
    assert.equal(other.code, 69);
    assert.match(other.err, /not the same/);
    assertNoSentinel(fixture, other);
    const weak = await type("d", `sentinel${enter}`);
    assert.equal(weak.code, 69);
    assert.match(weak.err, /at least 15 .*--allow-weak/s);
    assert.doesNotMatch(weak.err, /again/);
    assertNoSentinel(fixture, weak);
  });
});

test("a password is not shown by a real terminal", {
  skip: noTerminal,
  timeout: 30_000,
}, async (t) => {
  const fixture = openFixture(t);
  const settings = join(fixture.folder, "settings.toml");
  const words = [process.execPath, program, "accounts", "add", "pty", "-c", settings];
  const child = spawn(emulator, ["-qec", words.join(" "), "/dev/null"], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, SHELL: "/bin/sh" },
  });
  t.after(() => child.kill());
  let shown = "";
  for await (const chunk of child.stdout) {
    const before = shown;
    shown += chunk;
    for (const question of ["Password of pty: ", "The same again: "]) {
      const isNew = shown.includes(question) && !before.includes(question);
      if (isNew) child.stdin.write(sentinel + enter);
    }
    // Otherwise the terminal would stay open for more keys.
    if (/contact \d+/.test(shown)) child.stdin.end();
  }
  assert.match(shown, /Password of pty: \r\nThe same again: \r\nAdded pty: /);
  assertNoSentinel(fixture, { out: shown, err: "" });
});

describe("a password from a pipe", () => {
  const fixture = openCliFixture();
  after(() => fixture.close());
  const pipe = (piped: string | Uint8Array, ...options: readonly string[]) =>
    fixture.run(["accounts", "add", "bob", ...options], { piped });

  const refused: readonly [why: string, piped: string | Uint8Array, message: RegExp][] = [
    ["nothing", "", /first line of standard input is empty/],
    ["an empty line", `\n${sentinel}`, /first line of standard input is empty/],
    ["bytes that are not UTF-8", Buffer.from([0x61, 0xff, 0x0a]), /not UTF-8/],
    ["a byte order mark", `\ufeff${sentinel}`, /byte order mark/],
    ["a line that is too long", `${"é".repeat(513)}\n`, /longer than 1,024 bytes/],
    ["a line without end", sentinel.repeat(5_000), /longer than 1,024 bytes/],
    ["U+0000", `${sentinel}\0`, /NUL/],
    ["what is too short", "sentinel", /at least 15/],
    ["the user name", "bob ".repeat(5), /repeats/],
  ];
  for (const [why, piped, message] of refused) {
    test(`is refused when it is ${why}`, async () => {
      const run = await pipe(piped);
      assert.equal(run.code, 69);
      assert.match(run.err, message);
      assertNoSentinel(fixture, run);
    });
  }

  test("--allow-weak takes a short one, but not one that log-in refuses", async () => {
    assert.equal((await pipe("a\0", "--allow-weak")).code, 69);
    assert.equal((await pipe("a", "--allow-weak")).code, 0);
  });

  test("is taken to the letter, blanks and a lone CR included", async () => {
    const run = await fixture.run(["accounts", "passwd", "bob"], { piped: ` ${sentinel}\r \nx` });
    assert.equal(run.code, 0);
    assert.ok(await isPassword(fixture, "bob", ` ${sentinel}\r `));
    assertNoSentinel(fixture, run);
  });
});

describe("a password as an argument", () => {
  const fixture = openCliFixture();
  after(() => fixture.close());
  for (const words of [
    ["bob", sentinel],
    ["bob", `--password=${sentinel}`],
    ["bob", "--password", sentinel],
    ["bob", "-p", sentinel],
  ]) {
    test(`wfh accounts add ${words[0]} ${words[1]?.slice(0, 10)}… is refused, and not repeated`, async () => {
      for (const command of ["add", "passwd"]) {
        const run = await fixture.run(["accounts", command, ...words]);
        assert.equal(run.code, 2);
        assert.match(run.err, /A password is never an argument/);
        assertNoSentinel(fixture, run);
      }
    });
  }
});
