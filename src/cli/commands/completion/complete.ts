import type { Command, Option } from "commander";
import type { CommandContext, DeclareCommand } from "../../command.ts";

/** `wfh complete`: what the scripts of `wfh completion` ask on every Tab key. */
export const declareCommand: DeclareCommand = (command, { terminal, load }) => {
  command
    .argument("[words...]", "words after wfh, the last of which is being typed")
    .action(async (words: readonly string[]) => {
      const lines = await complete(command.parent ?? command, words, load);
      terminal.out(lines.map((line) => `${line}\n`).join(""));
    });
};

/** Candidates for the last word, each with its description after a tab; `:files` for the path of a file. */
async function complete(
  program: Command,
  words: readonly string[],
  load: CommandContext["load"],
): Promise<readonly string[]> {
  // Bash makes a word of its own of an equals sign.
  const current = words.at(-1)?.replace(/^=$/, "") ?? "";
  const before = words.slice(0, -1).filter((word) => word !== "=");
  let command = program;
  for (const word of before) {
    const below = visibleCommands(command).find((one) => one.name() === word);
    if (below === undefined) continue;
    await load(below);
    command = below;
  }
  const options = command.createHelp().visibleOptions(command);
  const [, flag = before.at(-1), value = current] = /^(--[^=]+)=(.*)$/.exec(current) ?? [];
  const option = options.find(({ short, long }) => flag === short || flag === long);
  if (option?.required || option?.optional) {
    const prefix = current.slice(0, current.length - value.length);
    return valuesOf(valueName(option), option.argChoices, prefix).filter(isCandidate(current));
  }
  if (current.startsWith("-")) return options.flatMap(describeFlags).filter(isCandidate(current));
  const [argument] = command.registeredArguments;
  const plain =
    argument === undefined
      ? visibleCommands(command).map((one) => `${one.name()}\t${one.description()}`)
      : valuesOf(argument.name(), argument.argChoices, "");
  return plain.filter(isCandidate(current));
}

function visibleCommands(command: Command): readonly Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== "help");
}

function describeFlags({ short, long, description }: Option): readonly string[] {
  return [short, long].flatMap((flag) => (flag === undefined ? [] : `${flag}\t${description}`));
}

function valueName({ flags }: Option): string {
  return /[<[]([^>\].]+)/.exec(flags)?.[1] ?? "";
}

/** Help calls the path of a file a file, which is all there is to know it by. */
function valuesOf(
  name: string,
  choices: readonly string[] | undefined,
  prefix: string,
): readonly string[] {
  if (choices !== undefined) return choices.map((choice) => prefix + choice);
  return /(?:^|[-. ])(?:file|csv)\b/i.test(name) ? [":files"] : [];
}

function isCandidate(current: string): (line: string) => boolean {
  return (line) => line === ":files" || line.startsWith(current);
}
