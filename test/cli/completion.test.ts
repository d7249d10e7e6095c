import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { promisify } from "node:util";
import type { Command } from "commander";
import { listCompletions } from "../../src/cli/commands/completion/tree.ts";
import { exitCodeTable } from "../../src/cli/exit-codes.ts";
import { createProgram } from "../../src/cli/program.ts";
import { readText } from "../source-files.ts";
import { openCliFixture } from "./cli-fixture.ts";

const silent = { out: () => {}, err: () => {} };
const program = createProgram(silent, () => {});
const folder = mkdtempSync(join(tmpdir(), "wfh-completion-"));
after(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, "settings one.toml"), "");

const scripts = await Promise.all(
  ["bash", "zsh", "fish"].map(async (shell) => {
    const office = openCliFixture();
    const written: string[] = [];
    const own = createProgram({ ...silent, out: (text) => written.push(text) }, () => {});
    await own.parseAsync(["completion", shell], { from: "user" });
    office.close();
    return [shell, written.join("")] as const;
  }),
);
const scriptOf = (shell: string) => new Map(scripts).get(shell) ?? "";

/** What bash offers behind some words, the last of which is being typed. */
async function offeredByBash(words: readonly string[]): Promise<readonly string[]> {
  const script = `${scriptOf("bash")}
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _wfh; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)("bash", ["-c", script, "bash", "wfh", ...words], {
    cwd: folder,
  });
  return stdout.split("\n").filter((line) => line !== "");
}

describe("completion in bash", () => {
  const below = program.commands.map((command) => command.name());
  const cases: readonly [words: readonly string[], offered: readonly string[]][] = [
    [[""], below],
    [["acc"], ["accounts"]],
    [
      ["page-requests", ""],
      ["stats", "export"],
    ],
    [
      ["completion", ""],
      ["bash", "zsh", "fish"],
    ],
    [["completion", "z"], ["zsh"]],
    [["serve", "--c"], ["--config"]],
    [["serve", "--config", "set"], ["settings one.toml"]],
    [["serve", "--config", "=", "set"], ["settings one.toml"]],
    [["restore", ""], ["settings one.toml"]],
    [["accounts", "events", "--account", "li"], []],
    [["page-requests", "export", "--format", "c"], ["csv"]],
    [["page-requests", "export", "--format", "csv", "--o"], ["--output"]],
    [["lookup", "accounts", "l"], []],
  ];
  for (const [words, offered] of cases) {
    test(`wfh ${words.join(" ")}| offers ${offered.slice(0, 3).join(", ") || "nothing"}`, async () => {
      assert.deepEqual(await offeredByBash(words), offered);
    });
  }
});

/** Whether a program is installed here. */
function missing(name: string): string | false {
  try {
    execFileSync(name, ["--version"]);
    return false;
  } catch {
    return `${name} is not installed here`;
  }
}

/** Runs a script in a shell that has read the completion first. */
async function askShell(shell: string, options: string, script: string): Promise<string> {
  const file = join(folder, `completion.${shell}`);
  writeFileSync(file, scriptOf(shell));
  const words = [options, script.replace("FILE", file)];
  const { stdout } = await promisify(execFile)(shell, words, {
    env: { ...process.env, HOME: folder },
  });
  return stdout;
}

test("completion in zsh offers commands with what they do", { skip: missing("zsh") }, async () => {
  const stubs = `compdef() {}; _describe() { print -l $1 "\${(@P)2}" }`;
  const script = `${stubs}; source FILE; words=(wfh page-requests ""); CURRENT=3; _wfh`;
  assert.match(await askShell("zsh", "-fc", script), /^command\nstats:\w.*\nexport:\w/);
});

test("completion in fish offers commands with what they do", {
  skip: missing("fish"),
}, async () => {
  const script = "source FILE; complete -C 'wfh page-requests st'";
  assert.match(await askShell("fish", "-Nc", script), /^stats\t\w+/);
});

for (const [shell, script] of scripts) {
  test(`completion in ${shell} knows every command and every option`, () => {
    for (const { path, options } of listCompletions(program)) {
      assert.ok(script.includes(path));
      for (const flag of options.flatMap(({ flags }) => flags)) {
        assert.ok(script.includes(flag.replace(/^-+/, "")), `${path} ${flag}`);
      }
    }
  });
}

/** All commands, with the words that lead to them. */
function commandsBelow(command: Command, words: readonly string[] = []): [string, Command][] {
  return command.commands.flatMap((sub) => {
    const path = [...words, sub.name()];
    return [[path.join(" "), sub] as [string, Command], ...commandsBelow(sub, path)];
  });
}

const commands = commandsBelow(program);
const leaves = commands.filter(([, command]) => command.commands.length === 0);

/** Commands whose answer is a list or a state: scripts want them as JSON. */
const listing = /(?:^| )(?:list|lookup|stats|sessions|events|status|doctor|explain)$/;

test("every command says what it does, and its options and arguments do too", () => {
  for (const [path, command] of commands) {
    assert.match(command.description(), /^[a-z].{8,}[^.]$/, path);
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
    ["completion"],
  );
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
