import { Command as BaseCommand, Option } from "commander";
import { parseChoice, parseCount, parseId, parseInstant } from "./options.ts";
import type { Terminal } from "./terminal.ts";

/** Options with one name and meaning in all commands; each command declares those that it has. */
export interface SharedOptions {
  /** Settings file in TOML. */
  readonly config?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  /** Shows what would change, and writes nothing. */
  readonly dryRun?: boolean;
  /** Consent without a question. */
  readonly yes?: boolean;
  /** Shows all of a report instead of its first lines. */
  readonly all?: boolean;
}

const shared = {
  config: ["-c, --config <file>", "settings file in TOML"],
  json: ["--json", "print one JSON object"],
  quiet: ["-q, --quiet", "print only errors, and the output of --json"],
  dryRun: ["--dry-run", "show what would change without writing anything"],
  yes: ["--yes", "do not ask for confirmation"],
} as const;

/** Adds arguments, options, help, action and subcommands to a command with a name and summary. */
export type DeclareCommand = (command: Command) => void;

/** Loads the rest of a command. */
export type LoadCommand = () => Promise<{ readonly declareCommand: DeclareCommand }>;

/** Commands of a package that imports this one: the tools that help to leave an old server. */
export type ToolModules = Readonly<Record<"migrate" | "wsdl", LoadCommand>>;

/** Command that knows the terminal. Parsing the command line throws the errors of values. */
export class Command extends BaseCommand {
  readonly terminal: Terminal;
  readonly #exitWith: (exitCode: number) => void;
  /** Declares the rest of a command of the first level. */
  loader: () => Promise<void> = async () => {};

  /** @param exitWith sets the exit code of the program; 0 without a call. */
  constructor(name: string, terminal: Terminal, exitWith: (exitCode: number) => void) {
    super(name);
    this.terminal = terminal;
    this.#exitWith = exitWith;
  }

  override createCommand(name = ""): Command {
    return new Command(name, this.terminal, this.#exitWith);
  }

  /** The command as it is typed, for example `wfh accounts add`. */
  get path(): string {
    return this.parent === null ? this.name() : `${(this.parent as Command).path} ${this.name()}`;
  }

  override copyInheritedSettings(parent: BaseCommand): this {
    return super.copyInheritedSettings(parent).showHelpAfterError(`See ${this.path} --help.`);
  }

  /** Loads what is below a command of the first level, once. */
  async load(): Promise<void> {
    const { loader } = this;
    this.loader = async () => {};
    await loader();
  }

  /** Adds options of {@link SharedOptions}, in this order. */
  shared(...names: readonly (keyof typeof shared)[]): this {
    for (const name of names) this.option(shared[name][0], shared[name][1]);
    return this;
  }

  /** Adds `--json` of a command that prints one object for each of something, such as `"form"`. */
  jsonPer(each: string): this {
    return this.option("--json", `print one JSON object per ${each}`);
  }

  /** Adds an option whose value is one of some words, which help and completion show. */
  choice(flags: string, description: string, choices: readonly string[], usual?: string): this {
    return this.addOption(choiceOption(flags, description, choices).default(usual));
  }

  /** Adds an option whose value a parser of `io/options.ts` reads. */
  value(...option: Parameters<typeof valueOption>): this {
    return this.addOption(valueOption(...option));
  }

  /** Adds an option whose value is an ID. */
  id(flags: string, description: string): this {
    return this.value(flags, description, parseId);
  }

  /** Adds an option whose value is a day, or a time with its zone; in milliseconds of UTC. */
  instant(flags: string, description: string): this {
    return this.value(flags, description, parseInstant);
  }

  /** Adds `--max`, the length of a list that is read at once. */
  max(description: string, usual: number): this {
    return this.addOption(valueOption("--max <n>", description, parseCount).default(usual));
  }

  /** Sets the action. It gets arguments, options and the command, and may return the exit code. */
  run(action: (...args: never[]) => Promise<unknown>): this {
    return this.action(async (...args) => {
      const result = await action(...(args as never[]));
      if (typeof result === "number") this.#exitWith(result);
    });
  }
}

/** As {@link Command.value}, to be changed further. */
export function valueOption(
  flags: string,
  description: string,
  parse: (name: string, text: string) => unknown,
): Option {
  const option = new Option(flags, description);
  return option.argParser((text) => parse(`--${option.name()}`, text));
}

/** As {@link Command.choice}, to be changed further. */
export function choiceOption(
  flags: string,
  description: string,
  choices: readonly string[],
): Option {
  const option = valueOption(flags, description, (name, text) => parseChoice(name, text, choices));
  option.argChoices = [...choices];
  return option;
}
