import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { readText } from "@wfh/server/test/source-files.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { type Command, Help } from "commander";
import { exitCodeTable } from "../src/io/exit-codes.ts";
import { loadProgram, runProgram } from "../src/program.ts";

/** Runs a command that must succeed; what it wrote to standard output. */
async function outputOf(...words: readonly string[]): Promise<string> {
  const written: string[] = [];
  const err = (text: string) => assert.fail(text);
  assert.equal(await runProgram(words, { out: (text) => written.push(text), err }), 0);
  return written.join("");
}

const program = await loadProgram({ out: () => {}, err: () => {} }, () => {});
const folder = temporaryFolder();
writeFileSync(join(folder, "settings one.toml"), "");

/** Stands for the installed program: shells find it by its name. */
const bin = join(folder, "wfh");
const main = fileURLToPath(new URL("../../../packaging/npm/wfh.ts", import.meta.url));
writeFileSync(bin, `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`, { mode: 0o755 });

/** Runs a script in a shell that has read the completion first. */
async function askShell(shell: string, options: string, script: string): Promise<string> {
  const file = join(folder, `completion.${shell}`);
  writeFileSync(file, await outputOf("completion", shell));
  const { stdout } = await promisify(execFile)(shell, [options, `source ${file}; ${script}`], {
    cwd: folder,
    env: { ...process.env, HOME: folder, PATH: `${folder}:${process.env["PATH"]}` },
  });
  return stdout;
}

const below = program.commands
  .map((command) => command.name())
  .filter((name) => !["complete", "import", "data", "version"].includes(name));
const offers: readonly [words: readonly string[], offered: readonly string[]][] = [
  [[""], below],
  [["acc"], ["accounts"]],
  [
    ["page-requests", ""],
    ["tail", "export", "follow", "import", "delete"],
  ],
  [
    ["completion", ""],
    ["bash", "zsh", "fish", "powershell"],
  ],
  [["completion", "z"], ["zsh"]],
  [["serve", "--co"], ["--config"]],
  [["serve", "--config", "set"], [":files"]],
  [["serve", "--config=set"], [":files"]],
  [["serve", "--config", "=", "set"], [":files"]],
  [["serve", "--config", "="], [":files"]],
  [["restore", ""], [":files"]],
  [["accounts", "events", "--account", "li"], []],
  [["page-requests", "export", "--format", "c"], ["csv"]],
  [["page-requests", "export", "--format=c"], ["--format=csv"]],
  [["page-requests", "export", "--format", "csv", "--o"], ["--output"]],
  [["lookup", "accounts", "l"], []],
  // PowerShell has an equals sign for an empty word.
  [
    ["completion", "="],
    ["bash", "zsh", "fish", "powershell"],
  ],
];
for (const [words, offered] of offers) {
  test(`wfh ${words.join(" ")}| offers ${offered.slice(0, 3).join(", ") || "nothing"}`, async () => {
    const lines = (await outputOf("complete", "--", ...words)).split("\n").slice(0, -1);
    assert.deepEqual(
      lines.map((line) => line.replace(/\t.+$/, "")),
      offered,
    );
  });
}

test("completion knows every command and every option that help shows, with a description", async () => {
  for (const [path, command] of commandsBelow(program)) {
    const words = path.split(" ");
    const of = async (word: string) => outputOf("complete", "--", ...words, word);
    const flags = await of("-");
    for (const { long, description } of command.createHelp().visibleOptions(command)) {
      assert.ok(flags.includes(`${long}\t${description}\n`), `${path} ${long}`);
    }
    const names = await of("");
    for (const sub of visibleIn(command)) {
      assert.ok(names.includes(`${sub.name()}\t${sub.description()}\n`), `${path} ${sub.name()}`);
    }
  }
});

describe("completion in bash", () => {
  const cases: readonly [words: readonly string[], offered: readonly string[]][] = [
    [["acc"], ["accounts"]],
    [["serve", "--config", "=", "set"], ["settings one.toml"]],
    [
      ["restore", ""],
      ["completion.bash", "settings one.toml", "wfh"],
    ],
    [["accounts", "events", "--account", "li"], []],
  ];
  for (const [words, offered] of cases) {
    test(`wfh ${words.join(" ")}| offers ${offered.slice(0, 3).join(", ") || "nothing"}`, async () => {
      const typed = ["wfh", ...words].map((word) => `'${word}'`).join(" ");
      const script = `COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _wfh; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const lines = (await askShell("bash", "-c", script)).split("\n");
      assert.deepEqual(lines.filter((line) => line !== "").sort(), [...offered].sort());
    });
  }
});

/** Reason to skip when a program is not installed; else false. */
function missing(name: string): string | false {
  try {
    execFileSync(name, ["--version"]);
    return false;
  } catch {
    return `${name} is not installed here`;
  }
}

test("completion in zsh offers commands with what they do", { skip: missing("zsh") }, async () => {
  const stubs = `compdef() {}; _describe() { print -l $1 "\${(@P)2}" }`;
  const script = `${stubs}; words=(wfh page-requests ""); CURRENT=3; _wfh`;
  assert.match(await askShell("zsh", "-fc", script), /^command\ntail:\w.*\nexport:\w/);
});

test("completion in fish offers commands with what they do", {
  skip: missing("fish"),
}, async () => {
  const script = "complete -C 'wfh page-requests ta'";
  assert.match(await askShell("fish", "-Nc", script), /^tail\t\w+/);
});

test("completion in PowerShell offers commands with what they do", {
  skip: missing("pwsh"),
}, async () => {
  const line = "wfh page-requests ta";
  const script = `. ${join(folder, "completion.ps1")}
    $found = (TabExpansion2 '${line}' ${line.length}).CompletionMatches
    "$($found[0].CompletionText): $($found[0].ToolTip)"`;
  writeFileSync(join(folder, "completion.ps1"), await outputOf("completion", "powershell"));
  const { stdout } = await promisify(execFile)("pwsh", ["-NoProfile", "-Command", script], {
    env: { ...process.env, HOME: folder, PATH: `${folder}:${process.env["PATH"]}` },
  });
  assert.match(stdout, /^tail: \w+/);
});

/** Commands of a group that help lists. */
function visibleIn(command: Command): readonly Command[] {
  return new Help().visibleCommands(command).filter((sub) => sub.name() !== "help");
}

/** All commands that help lists, with the words that lead to them. */
function commandsBelow(command: Command, words: readonly string[] = []): [string, Command][] {
  return visibleIn(command).flatMap((sub) => {
    const path = [...words, sub.name()];
    return [[path.join(" "), sub] as [string, Command], ...commandsBelow(sub, path)];
  });
}

const commands = commandsBelow(program);
const leaves = commands.filter(([, command]) => command.commands.length === 0);

/** Commands that print a list or a state: scripts want them as JSON. */
const listing = /(?:^| )(?:list|lookup|sessions|events|status|doctor|explain)$/;

test("every command says what it does, and its options and arguments do too", () => {
  for (const [path, command] of commands) {
    assert.match(command.description(), /^[A-Z].{8,}[^.]$/, path);
    for (const { flags, description } of command.options)
      assert.ok(description, `${path} ${flags}`);
    for (const argument of command.registeredArguments) {
      assert.ok(argument.description, `${path} ${argument.name()}`);
    }
  }
});

test("every command that lists something has --json", () => {
  const lists = leaves.filter(([path]) => listing.test(path));
  assert.ok(lists.length >= 7);
  const without = lists.filter(([, { options }]) => !options.some(({ long }) => long === "--json"));
  assert.deepEqual(
    without.map(([path]) => path),
    [],
  );
});

test("every command that has settings takes them from a file", () => {
  const without = leaves.filter(
    ([, { options }]) => !options.some(({ long }) => long === "--config"),
  );
  assert.deepEqual(
    without.map(([path]) => path),
    ["keys new", "completion"],
  );
});

test("no line of help is wider than 100 columns", () => {
  for (const [path, command] of [["wfh", program] as const, ...commands]) {
    const written: string[] = [];
    command.configureOutput({ writeOut: (text) => written.push(text) });
    command.outputHelp();
    for (const line of written.join("").split("\n")) {
      assert.ok([...line].length <= 100, `${path}: ${line}`);
    }
  }
});

test("every group and every command of its own shows examples in its help", () => {
  for (const [path, command] of commands.filter(([words]) => !words.includes(" "))) {
    const written: string[] = [];
    command.configureOutput({ writeOut: (text) => written.push(text) });
    command.outputHelp();
    assert.match(written.join(""), /^ {2}(?:\w+=\S+ |source <\()?(?:sudo .*)?wfh /m, path);
  }
});

test("docs/operating.md and --help tell the exit codes that there are", () => {
  const rows = [...readText("docs/operating.md").matchAll(/^\| (\d+) \| (.+) \|$/gm)];
  assert.deepEqual(
    rows.map(([, code, meaning]) => [Number(code), meaning]),
    exitCodeTable,
  );
  const written: string[] = [];
  program.configureOutput({ writeOut: (text) => written.push(text) });
  program.outputHelp();
  for (const [code, meaning] of exitCodeTable) {
    const line = `  ${String(code).padEnd(5)}${meaning}\n`;
    assert.ok(written.join("").includes(line), line);
  }
});
