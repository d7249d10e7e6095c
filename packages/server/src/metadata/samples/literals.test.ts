import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import fc from "fast-check";
import { phpLiteral, quotedLiteral, shellWord, urlWord } from "./literals.ts";

/** Reader of a program of literals, which writes each text with a NUL after it. */
interface Reader {
  readonly language: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly install: string;
  readonly write: (texts: readonly string[]) => string;
}

const readers: readonly Reader[] = [
  {
    language: "bash",
    program: "bash",
    args: ["-s"],
    install: "apt-get install bash",
    write: (texts) => texts.map((text) => `printf '%s\\0' ${shellWord(text)}\n`).join(""),
  },
  {
    language: "JavaScript",
    program: process.execPath,
    args: ["--input-type=module", "-"],
    install: "it runs this test",
    write: (texts) =>
      texts.map((text) => `process.stdout.write(${quotedLiteral(text)} + "\\0");\n`).join(""),
  },
  {
    language: "PHP",
    program: "php",
    args: [],
    install: "apt-get install php-cli",
    write: (texts) =>
      `<?php\n${texts.map((text) => `echo ${phpLiteral(text)}, "\\0";\n`).join("")}`,
  },
  {
    language: "Python",
    program: "/usr/bin/python3",
    args: ["-"],
    install: "apt-get install python3",
    write: (texts) =>
      `import sys\n${texts.map((text) => `sys.stdout.buffer.write(${quotedLiteral(text)}.encode() + b"\\0")\n`).join("")}`,
  },
];

/** All that is special in one of the languages, and characters of one to four bytes. */
const special = [
  ..."'\"\\`$!{}()<>?%#&;|~*@=/ \n\r\tnuxé€😀\u0085\u2028\u2029\u{10ffff}",
  "$(",
  "${",
  "?>",
  '"""',
  "//",
  "/*",
];
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(...special) }),
  fc.string({ unit: "binary" }).map((value) => value.replaceAll("\0", "").toWellFormed()),
);
/** Many in one program: most of the time goes into starting it. */
const texts = fc.array(text, { minLength: 100, maxLength: 200 });

for (const { language, program, args, install, write } of readers) {
  const isMissing = spawnSync(program, ["--version"]).status !== 0;
  const missing = isMissing && `there is no ${program}: ${install}`;
  describe(`a literal of ${language}`, { skip: missing }, () => {
    test("is the text that it was made of, and nothing else", () => {
      fc.assert(
        fc.property(texts, (values) => {
          const { stdout, stderr } = spawnSync(program, args, { input: write(values) });
          assert.equal(String(stderr), "");
          assert.deepEqual(String(stdout).split("\0").slice(0, -1), values);
        }),
        { numRuns: 3 },
      );
    });
  });
}

test("a URL is one word to a shell, which runs nothing in it, and still the same URL", () => {
  const url = "https://h.example/$(echo a)/`echo b`/$HOME/\\$HOME/!!/\"'?wsdl";
  const { stdout } = spawnSync("bash", ["-s"], { input: `printf %s ${urlWord(url)}` });
  assert.equal(decodeURIComponent(String(stdout)), url);
  assert.doesNotMatch(urlWord(url).slice(1, -1), /["$`\\!]/);
});

test("a literal in double quotes stands on one line of any language", () => {
  fc.assert(
    fc.property(text, (value) => {
      assert.match(quotedLiteral(value), /^"[^\n\r\u0085\u2028\u2029]*"$/);
    }),
  );
});
