import type { Command, Option } from "commander";

/** What a word of a command line may be: one of some words, the path of a file, or anything. */
export type WordKind = readonly string[] | "file" | "any";

/** An option as a shell knows it. */
export interface CompletedOption {
  /** All spellings, for example `["-c", "--config"]`. */
  readonly flags: readonly string[];
  readonly description: string;
  /** What follows it; null where nothing does. */
  readonly value: WordKind | null;
}

/** What may stand behind some words of a command line. */
export interface CompletedCommand {
  /** The words behind the name of the program with blanks between, for example `"accounts add"`; `""` for none. */
  readonly path: string;
  /** What may be the next word. */
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly CompletedOption[];
  /** What the arguments are; null where there are none. */
  readonly argument: WordKind | null;
}

/** Every command of a program, its own first. What is hidden in `--help` is left out. */
export function listCompletions(program: Command): readonly CompletedCommand[] {
  return completionsBelow(program, []);
}

function completionsBelow(command: Command, words: readonly string[]): readonly CompletedCommand[] {
  const help = command.createHelp();
  const below = help.visibleCommands(command).filter((sub) => sub.name() !== "help");
  const [argument] = command.registeredArguments;
  const own: CompletedCommand = {
    path: words.join(" "),
    commands: below.map((sub) => ({ name: sub.name(), description: sub.description() })),
    options: help.visibleOptions(command).map(optionOf),
    argument: argument === undefined ? null : kindOf(argument.name(), argument.argChoices),
  };
  return [own, ...below.flatMap((sub) => completionsBelow(sub, [...words, sub.name()]))];
}

function optionOf(option: Option): CompletedOption {
  const isValued = option.required || option.optional;
  const valueName = /[<[]([^>\].]+)/.exec(option.flags)?.[1] ?? "";
  return {
    flags: [option.short, option.long].flatMap((flag) => flag ?? []),
    description: option.description,
    value: isValued ? kindOf(valueName, option.argChoices) : null,
  };
}

/** `--help` calls a file a file, so a shell may too. */
function kindOf(name: string, choices: readonly string[] | undefined): WordKind {
  if (choices !== undefined) return choices;
  return /(?:^|[-. ])(?:file|csv)\b/i.test(name) ? "file" : "any";
}
